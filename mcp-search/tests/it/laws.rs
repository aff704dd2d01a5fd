use std::collections::BTreeMap;

use mcp_search::{Answer, Catalog, CatalogOptions, Document, Index, Options};
use proptest::prelude::*;

use crate::support::{all, index};

/// Tools over a small vocabulary, so that they share words, have twins, and look alike.
fn document() -> impl Strategy<Value = Document> {
    let word = prop::sample::select(vec![
        "create", "list", "issue", "issues", "file", "read", "mail", "Send", "搜索", "v2", "the",
    ]);
    let name = prop::collection::vec(word.clone(), 1..4).prop_map(|words| words.join("_"));
    let text = prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "));
    ("[a-c]", name, text.clone(), text).prop_map(|(server, name, description, parameter)| Document {
        id: format!("{server}/{name}"),
        server,
        name,
        title: None,
        description,
        parameters: vec![("value".to_owned(), parameter)],
    })
}

fn query() -> impl Strategy<Value = String> {
    let plain = "[ a-zA-Z,.;:+_`éß搜索-]{0,40}";
    prop_oneof![
        plain.prop_map(|text| text),
        "(list|create|raed|fille|issue|mail|[.] )( (list|isue|file|the|and then)){0,5}"
    ]
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() }
}

fn scores_are_sound(answer: &Answer) -> bool {
    let scores: Vec<f32> = answer.hits.iter().map(|hit| hit.score).collect();
    scores.is_sorted_by(|left, right| left >= right) && scores.iter().all(|score| (0.0..=1.0).contains(score))
}

proptest! {
    #![proptest_config(config())]

    /// Whatever was added, replaced and removed before: only what is there counts.
    #[test]
    fn history_leaves_no_trace(
        first in prop::collection::vec(document(), 0..12),
        kept in prop::collection::vec(document(), 0..12),
        query in query(),
    ) {
        let mut changed = index(first.clone());
        // What a query prepares must not outlive the next change.
        changed.search(&query, 9, &all);
        for document in kept.iter().rev() {
            changed.insert(Document { description: "something else".to_owned(), ..document.clone() });
        }
        for document in &kept {
            changed.insert(document.clone());
        }
        changed.search(&query, 9, &all);
        let kept_ids: Vec<&str> = kept.iter().map(|document| document.id.as_str()).collect();
        for document in first.iter().filter(|document| !kept_ids.contains(&document.id.as_str())) {
            changed.remove(&document.id);
        }
        let fresh = index(kept.clone());
        prop_assert_eq!(changed.len(), fresh.len());
        prop_assert_eq!(changed.search(&query, 9, &all), fresh.search(&query, 9, &all));
        prop_assert_eq!(changed.nearest(&query, 9), fresh.nearest(&query, 9));
        let catalog = |index: &Index| Catalog::new(index, &all, &BTreeMap::default(), &CatalogOptions::default());
        prop_assert_eq!(catalog(&changed), catalog(&fresh));
    }

    /// Any tool is first for its id, and no text panics.
    #[test]
    fn an_id_is_always_found_first(documents in prop::collection::vec(document(), 1..12), pick in any::<prop::sample::Index>()) {
        let wanted = pick.get(&documents);
        let answer = index(documents.clone()).search(&wanted.id, 3, &all);
        prop_assert_eq!(&answer.hits[0].id, &wanted.id);
    }

    #[test]
    fn answers_are_sound(documents in prop::collection::vec(document(), 0..12), query in query(), limit in 0_usize..6) {
        let index = index(documents);
        let answer = index.search(&query, limit, &all);
        prop_assert!(scores_are_sound(&answer), "{:?}", answer);
        prop_assert!(answer.total >= answer.hits.len() && answer.total <= index.len());
        let longer = index.search(&query, limit + 3, &all);
        prop_assert_eq!(&longer.hits[..answer.hits.len()], &answer.hits[..]);
    }

    /// What is denied is as good as not there, except for how rare its words make others.
    #[test]
    fn denied_tools_never_show(documents in prop::collection::vec(document(), 0..12), query in query()) {
        let answer = index(documents).search(&query, 9, &|id| !id.starts_with('a'));
        let names = answer.ambiguous.iter().flat_map(|name| &name.candidates);
        let nearest = answer.unknown.iter().flat_map(|name| &name.nearest);
        let shown = answer.hits.iter().map(|hit| &hit.id).chain(names).chain(nearest);
        prop_assert!(shown.into_iter().all(|id| !id.starts_with('a')));
    }

    #[test]
    fn any_text_is_taken(server in any::<String>(), name in any::<String>(), description in any::<String>(), query in any::<String>()) {
        let mut index = Index::new(Options { field_characters: 50, ..Options::default() });
        index.insert(Document { id: "id".to_owned(), server, name, description, ..Document::default() });
        prop_assert!(scores_are_sound(&index.search(&query, 5, &all)));
        prop_assert!(index.remove("id") && index.is_empty());
    }
}
