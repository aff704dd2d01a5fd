use std::error::Error as StdError;
use std::future::pending;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use mcp_search::{ContentKey, Dense, Embed, Error, Index, Leg, LegState, Similarities, Vectors, phrases};

use crate::support::{all, ids, office};

type Vector = Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>>;

/// A model that knows three topics: code, talk and everything else.
struct Topics;

impl Embed for Topics {
    fn model(&self) -> &'static str {
        "topics"
    }

    async fn embed(&self, texts: &[String]) -> Vector {
        let vector = |text: &String| {
            let text = text.to_lowercase();
            let code = ["issue", "pull", "repository", "defect"].iter().any(|word| text.contains(word));
            let talk = ["mail", "people", "geplauder"].iter().any(|word| text.contains(word));
            vec![f32::from(u8::from(code)), f32::from(u8::from(talk)), 0.2]
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// A model that answers with what it is told to.
struct Broken(fn(usize) -> Vector);

impl Embed for Broken {
    fn model(&self) -> &'static str {
        "broken"
    }

    async fn embed(&self, texts: &[String]) -> Vector {
        (self.0)(texts.len())
    }
}

struct Hung;

impl Embed for Hung {
    fn model(&self) -> &'static str {
        "hung"
    }

    async fn embed(&self, _texts: &[String]) -> Vector {
        pending().await
    }
}

/// Runs a future that does not wait for anything.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn embedded(index: &Index) -> Vectors {
    let mut vectors = Vectors::new("topics");
    now(vectors.embed_tools(index, &Topics)).expect("ready").expect("embedded");
    vectors
}

fn similar(index: &Index, query: &str) -> Similarities {
    now(embedded(index).embed_query(query, &Topics)).expect("ready").expect("similarities")
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let office = office();
    assert!(office.search("geplauder", 1, &all).hits.is_empty());
    let similarities = similar(&office, "geplauder");
    let answer = office.search_with("geplauder", 1, &all, Dense::On(&similarities));
    assert_eq!(ids(&answer), ["mcp__mail__sendMessage"]);
    assert_eq!(answer.hits[0].leg, Leg::Dense);
    assert!(matches!(answer.legs[2].state, LegState::Answered { matched } if matched > 0));
}

#[test]
fn an_exact_name_wins_over_any_meaning() {
    let office = office();
    let mut similarities = Similarities::default();
    similarities.push([("mcp__mail__sendMessage".to_owned(), 1.0), ("mcp__bing__search_web".to_owned(), -1.0)]);
    let answer = office.search_with("searchWeb", 5, &all, Dense::On(&similarities));
    assert_eq!(answer.hits[0].id, "mcp__bing__search_web");
    assert_eq!(answer.hits[0].leg, Leg::Exact);
}

#[test]
fn meaning_obeys_the_filter_and_required_terms() {
    let office = office();
    let similarities = similar(&office, "geplauder");
    let answer = office.search_with("geplauder", 9, &|id| !id.contains("mail"), Dense::On(&similarities));
    assert!(!ids(&answer).contains(&"mcp__mail__sendMessage"));
    let answer = office.search_with("geplauder +ticket", 9, &all, Dense::On(&similarities));
    let mut found = ids(&answer);
    found.sort_unstable();
    assert_eq!(found, ["mcp__tracker__create_issue", "mcp__tracker__search"]);
}

#[test]
fn why_the_leg_is_off_is_said() {
    let answer = office().search_with("issue", 1, &all, Dense::Off("the model hung"));
    assert_eq!(answer.legs[2].leg, Leg::Dense);
    assert_eq!(answer.legs[2].state, LegState::Off { reason: "the model hung".to_owned() });
}

#[test]
fn figures_that_are_no_numbers_are_ignored() {
    let office = office();
    let mut similarities = Similarities::default();
    let tools = ["mcp__mail__sendMessage", "mcp__bing__search_web", "mcp__gone__tool"];
    similarities
        .push(tools.into_iter().zip([f32::NAN, f32::INFINITY, 1.0]).map(|(id, figure)| (id.to_owned(), figure)));
    let with = office.search_with("issue", 9, &all, Dense::On(&similarities));
    assert_eq!(ids(&with), ids(&office.search("issue", 9, &all)));
}

#[test]
fn a_tool_without_a_vector_stands_where_its_words_put_it() {
    let office = office();
    let mut similarities = Similarities::default();
    similarities.push([("mcp__bing__search_web".to_owned(), 0.1), ("mcp__mail__sendMessage".to_owned(), 0.0)]);
    let answer = office.search_with("list the issues", 1, &all, Dense::On(&similarities));
    assert_eq!(ids(&answer), ["mcp__github__list_issues"]);
}

#[test]
fn vectors_are_kept_by_content() {
    let mut office = office();
    let mut vectors = embedded(&office);
    assert_eq!(vectors.ready(), office.len());
    let entries: Vec<(ContentKey, Vec<f32>)> = vectors.entries().map(|(key, vector)| (key, vector.to_vec())).collect();
    assert!(office.remove("mcp__bing__search_web"));
    assert!(vectors.update(&office).is_empty());
    assert_eq!(vectors.entries().count(), entries.len() - 1);

    let mut again = Vectors::new("topics");
    assert_eq!(again.update(&office).len(), office.len());
    for (key, vector) in entries {
        let key: ContentKey = key.to_string().parse().expect("a key");
        again.insert(key, vector).expect("a vector");
    }
    assert!(again.update(&office).is_empty());
    assert_eq!(Vectors::new("other").update(&office).len(), office.len());
}

#[track_caller]
fn fails(answer: fn(usize) -> Vector, expected: &str) {
    let mut vectors = Vectors::new("broken");
    let error = now(vectors.embed_tools(&office(), &Broken(answer))).expect("ready").expect_err("a failure");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_broken_model_is_an_error() {
    fails(|_| Err("the child died".into()), "the embedding model `broken` failed");
    fails(|count| Ok(vec![vec![1.0]; count + 1]), "the embedding model `broken` gave 10 vectors for 9 texts");
    fails(
        |count| Ok(vec![vec![f32::NAN, 1.0]; count]),
        "the embedding model `broken` gave a vector that has no direction",
    );
    fails(|count| Ok(vec![vec![0.0, 0.0]; count]), "the embedding model `broken` gave a vector that has no direction");
    fails(
        |count| Ok(vec![vec![f32::MAX, f32::MAX]; count]),
        "the embedding model `broken` gave a vector that has no direction",
    );
    fails(|count| Ok(vec![Vec::new(); count]), "the embedding model `broken` gave a vector that has no direction");
    let ragged = |count: usize| Ok((0..count).map(|number| vec![1.0; 2 + number.min(1)]).collect());
    fails(ragged, "the embedding model `broken` gave a vector of 3 numbers, where others have 2");
}

#[test]
fn a_broken_model_keeps_its_cause() {
    let error = now(Vectors::new("broken").embed_tools(&office(), &Broken(|_| Err("the child died".into()))));
    let error: Error = error.expect("ready").expect_err("a failure");
    assert_eq!(error.source().expect("a cause").to_string(), "the child died");
}

#[test]
fn a_hung_model_leaves_everything_as_it_was() {
    let office = office();
    let mut vectors = embedded(&office);
    assert!(now(vectors.embed_query("geplauder", &Hung)).is_none());
    assert!(now(Vectors::new("hung").embed_tools(&office, &Hung)).is_none());
    assert!(vectors.update(&office).is_empty());
}

#[test]
fn phrases_are_the_clauses_that_say_something() {
    assert_eq!(phrases("list my open issues"), ["list my open issues"]);
    assert_eq!(
        phrases("Find flights to Oslo. Thanks! Then book the cheap hotel"),
        ["Find flights to Oslo.", "Then book the cheap hotel"]
    );
    assert_eq!(phrases("+github open issues"), ["github open issues"]);
    assert!(phrases("select:a,b").is_empty() && phrases(" ").is_empty());
}

#[test]
fn content_keys_are_printed_and_parsed() {
    let key = ContentKey::of("model", "text");
    assert_eq!(key.to_string().parse::<ContentKey>().expect("a key"), key);
    assert_ne!(ContentKey::of("mode", "ltext"), key);
    for wrong in ["", "00", &"g".repeat(64), &"0".repeat(65), &"é".repeat(32)] {
        assert!(wrong.parse::<ContentKey>().is_err(), "{wrong}");
    }
}
