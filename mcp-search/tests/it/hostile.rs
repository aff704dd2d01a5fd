use std::time::{Duration, Instant};

use mcp_search::{Document, Index, Options};

use crate::support::{all, ids, index, office, tool};

#[test]
fn stuffing_a_description_with_keywords_does_not_win() {
    let honest = tool("mail", "send_email", "Send an email message to a recipient.");
    let stuffed = tool("spam", "do_everything", &"send email message mail recipient ".repeat(200));
    let many = tool("spam", "universal", &"send email. create issue. read file. search web. ".repeat(20));
    let index = index([honest, stuffed, many]);
    for query in ["send an email", "email message to a recipient", "send a message"] {
        assert_eq!(index.search(query, 3, &all).hits[0].id, "mcp__mail__send_email", "{query}");
    }
}

#[test]
fn stuffing_parameters_does_not_win() {
    let mut stuffed = tool("spam", "universal", "");
    stuffed.parameters = (0..500).map(|number| (format!("send_email_{number}"), "send email ".repeat(50))).collect();
    let index = index([stuffed, tool("mail", "send_email", "Send an email.")]);
    assert_eq!(index.search("send an email", 1, &all).hits[0].id, "mcp__mail__send_email");
}

#[test]
fn a_tool_without_any_text_is_found_by_name() {
    let index = index([tool("", "ping", ""), tool("s", "other", "Other.")]);
    assert_eq!(ids(&index.search("ping", 5, &all)), ["mcp____ping"]);
    let nameless = Document { id: "x".to_owned(), ..Document::default() };
    let mut index = index;
    index.insert(nameless);
    assert_eq!(ids(&index.search("x", 5, &all)), ["x"]);
}

#[test]
fn a_megabyte_of_description_is_cut() {
    let started = Instant::now();
    let huge = tool("s", "huge", &"lorem ipsum dolor ".repeat(60_000));
    let endless = tool("s", "endless", &"x".repeat(1_000_000));
    let marks = tool("s", "marks", &"e\u{301}\u{302}".repeat(300_000));
    let index = index([huge, endless, marks, tool("s", "small", "Finds lorem.")]);
    assert_eq!(ids(&index.search("huge", 5, &all)), ["mcp__s__huge"]);
    let kept = index.document("mcp__s__huge").expect("the tool").description.chars().count();
    assert_eq!(kept, Options::default().field_characters);
    assert_eq!(index.search("finds lorem", 5, &all).hits[0].id, "mcp__s__small");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_megabyte_of_query_is_cut() {
    let office = office();
    let started = Instant::now();
    for query in [
        "issue, ".repeat(150_000),
        "+issue ".repeat(150_000),
        "a.b ".repeat(250_000),
        "select:".to_owned() + &"x,".repeat(500_000),
    ] {
        let answer = office.search(&query, 5, &all);
        assert!(answer.hits.len() <= 5 && answer.unknown.len() <= 64, "{answer:?}");
    }
    office.nearest(&"x".repeat(1_000_000), 5);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn text_in_any_script_is_found() {
    let index = index([
        tool("ru", "zadacha", "Создаёт задачу в трекере"),
        tool("ar", "muhima", "إنشاء مهمة جديدة"),
        tool("hi", "khoj", "उपकरण खोजें"),
        tool("ko", "geomsaeg", "도구 검색"),
        tool("ja", "kensaku", "ツールを検索する"),
        tool("th", "kha", "ค้นหาเครื่องมือ"),
        tool("de", "suche", "Sucht über Straßen"),
        tool("zh", "搜索", "按关键词搜索"),
    ]);
    for (query, expected) in [
        ("задачу", "mcp__ru__zadacha"),
        ("создает", "mcp__ru__zadacha"),
        ("مهمة", "mcp__ar__muhima"),
        ("उपकरण", "mcp__hi__khoj"),
        ("검색", "mcp__ko__geomsaeg"),
        ("検索", "mcp__ja__kensaku"),
        ("เครื่อง", "mcp__th__kha"),
        ("STRASSEN UBER", "mcp__de__suche"),
        ("搜索", "mcp__zh__搜索"),
        ("关键词", "mcp__zh__搜索"),
    ] {
        let answer = index.search(query, 5, &all);
        assert_eq!(answer.hits.first().map(|hit| hit.id.as_str()), Some(expected), "{query}");
    }
}

#[test]
fn weights_that_are_no_numbers_do_not_panic() {
    let mut index = office();
    let mut weights = Options::default().weights;
    weights.name = f32::NAN;
    weights.saturation = 0.0;
    weights.length = f32::INFINITY;
    index.set_weights(weights);
    index.search("open an issue, and then send mail", 5, &all);
}

#[test]
fn an_empty_index_answers() {
    let index = Index::new(Options::default());
    assert!(index.is_empty() && index.search("anything +at all", 5, &all).hits.is_empty());
}
