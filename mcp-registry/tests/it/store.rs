use mcp_registry::{OutputLimits, OutputStore, Page, PageRequest};
use proptest::prelude::*;

use crate::support::ids;

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
}

/// Returns a store with one session that holds one text.
fn holding(text: String) -> OutputStore {
    let mut store = OutputStore::new(OutputLimits::default());
    assert_eq!(store.store("s", text).as_deref(), Some("out-1"));
    store
}

fn numbers(page: &Page) -> Vec<usize> {
    page.lines.iter().map(|(number, _)| *number).collect()
}

#[test]
fn a_short_output_is_not_kept() {
    let mut store = OutputStore::new(OutputLimits::default());
    assert_eq!(store.shorten("s", "short".to_owned()), "short");
    let error = store.page("s", "out-1", &PageRequest::default()).expect_err("nothing is kept");
    assert!(error.to_string().starts_with("no stored output `out-1`: expected a handle from this session"), "{error}");
}

#[test]
fn freecodes_limits_are_the_defaults() {
    let limits = OutputLimits::default();
    assert_eq!((limits.max_chars, limits.tail_chars, limits.page_lines), (30_000, 6_000, 200));
    assert_eq!((limits.session_bytes, limits.sessions), (16 * 1024 * 1024, 50));
    let mut store = OutputStore::new(limits);
    let seen = store.shorten("s", numbered(10_000));
    assert!(seen.starts_with("line 1\n") && seen.ends_with("line 10000\n"));
    assert!((29_000..30_200).contains(&seen.chars().count()), "{}", seen.chars().count());
    let page = store.page("s", "out-1", &PageRequest::default().from_line(5_000)).expect("the text is kept");
    assert_eq!((page.lines.len(), page.total, page.next), (200, 10_000, Some(5_200)));
    assert_eq!(page.lines[0], (5_000, "line 5000".to_owned()));
}

#[test]
fn pages_follow_each_other_to_the_end() {
    let mut store = holding(numbered(7));
    let mut request = PageRequest::default().with_limit(3);
    let mut seen = Vec::new();
    loop {
        let page = store.page("s", "out-1", &request).expect("the text is kept");
        seen.extend(numbers(&page));
        let Some(next) = page.next else { break };
        request = request.from_line(next);
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
    let behind = store.page("s", "out-1", &PageRequest::default().from_line(99)).expect("the text is kept");
    assert_eq!(behind.to_string(), "[all shown; 7 lines in total]");
}

#[test]
fn a_page_shows_what_matches_and_what_stands_around_it() {
    let mut store = holding("a\nb\nERROR 1\nc\nERROR 2\nd\ne\n(x\n".to_owned());
    for (pattern, context, expected, matches) in [
        ("ERROR", 0, vec![3, 5], 2),
        ("ERROR", 1, vec![2, 3, 4, 5, 6], 2),
        ("^ERROR [2-9]$", 2, vec![3, 4, 5, 6, 7], 1),
        ("^[bd]$", 1, vec![1, 2, 3, 5, 6, 7], 2),
        ("(x", 0, vec![8], 1), // No regular expression, so it is plain text.
        ("absent", 3, vec![], 0),
    ] {
        let request = PageRequest::default().matching(pattern).with_context(context);
        let page = store.page("s", "out-1", &request).expect("the text is kept");
        assert_eq!((numbers(&page), page.matches), (expected, Some(matches)), "{pattern} with {context}");
    }
}

#[test]
fn a_text_of_many_lines_is_read_without_a_list_of_them() {
    let mut store = holding("\n".repeat(4_000_000));
    let page = store.page("s", "out-1", &PageRequest::default().matching("x").with_context(usize::MAX));
    assert_eq!(page.map(|page| (page.total, page.matches)).expect("the text is kept"), (4_000_000, Some(0)));
}

#[test]
fn one_long_line_can_be_read_in_parts() {
    let mut store = holding("é".repeat(2_500));
    let page = store.page("s", "out-1", &PageRequest::default()).expect("the text is kept");
    let lengths: Vec<_> = page.lines.iter().map(|(_, line)| line.chars().count()).collect();
    assert_eq!(lengths, [1_000, 1_000, 500]);
}

#[test]
fn a_page_is_never_longer_than_what_the_model_sees_at_once() {
    let mut store = OutputStore::new(OutputLimits::default().with_chars(2_500, 100));
    store.store("s", "x".repeat(10_000)).expect("the text fits");
    let page = store.page("s", "out-1", &PageRequest::default().with_limit(usize::MAX)).expect("the text is kept");
    assert_eq!((numbers(&page), page.next), (vec![1, 2], Some(3)));
}

#[test]
fn the_text_used_longest_ago_goes_first() {
    let mut store = OutputStore::new(OutputLimits::default().with_store(10, 2));
    let text = |size| "x".repeat(size);
    assert_eq!(store.store("s", text(11)), None, "larger than a session may be");
    for _ in 0..2 {
        store.store("s", text(4)).expect("the text fits");
    }
    let all = PageRequest::default();
    store.page("s", "out-1", &all).expect("both fit");
    store.store("s", text(4)).expect("the text fits");
    let kept: Vec<bool> =
        ["out-1", "out-2", "out-3"].iter().map(|handle| store.page("s", handle, &all).is_ok()).collect();
    assert_eq!(kept, [true, false, true]);

    store.store("t", text(1)).expect("the text fits");
    store.page("s", "out-1", &all).expect("two sessions fit");
    store.store("u", text(1)).expect("the text fits");
    assert!(store.page("t", "out-4", &all).is_err(), "three sessions do not");
    assert!(store.page("s", "out-1", &all).is_ok());
    store.forget("s");
    assert!(store.page("s", "out-1", &all).is_err());
}

#[test]
fn a_session_reads_its_own_texts_only() {
    let mut store = holding("secret".to_owned());
    store.store("t", "other".to_owned()).expect("the text fits");
    assert!(store.page("t", "out-1", &PageRequest::default()).is_err());
    assert!(!format!("{store:?}").contains("secret"));
}

#[test]
fn a_pattern_cannot_take_much_memory_or_time() {
    let mut store = holding("a".repeat(100_000));
    let ask = |store: &mut OutputStore, pattern: &str| {
        store.page("s", "out-1", &PageRequest::default().matching(pattern)).map(|page| page.matches)
    };
    let errors: Vec<_> = ["x".repeat(1_001), "(a{1000}){1000}".to_owned()]
        .iter()
        .map(|pattern| ask(&mut store, pattern).expect_err("the pattern is too large"))
        .collect();
    let expected = "the search pattern is too large: expected at most 1000 bytes and a small regular expression";
    assert_eq!(ids(&errors), [expected; 2]);
    assert_eq!(ask(&mut store, "(a*)*b").expect("matching takes linear time"), Some(0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_a_model_asks_for_panics(
        text in "[a-cé\n]{0,80}", offset in prop_oneof![0_usize..20, Just(usize::MAX)], limit in prop::option::of(0_usize..9),
        pattern in prop::option::of("[a-c(.*\\[]{0,4}"), context in prop_oneof![0_usize..5, Just(usize::MAX)],
    ) {
        let mut store = holding(text.clone());
        let request = PageRequest::default().from_line(offset).with_context(context);
        let request = match (limit, pattern) {
            (Some(limit), None) => request.with_limit(limit),
            (_, Some(pattern)) => request.matching(pattern),
            (None, None) => request,
        };
        let page = store.page("s", "out-1", &request).expect("the text is kept");
        let shown = numbers(&page);
        prop_assert!(shown.windows(2).all(|pair| pair[0] < pair[1]), "{shown:?}");
        for (number, line) in &page.lines {
            prop_assert_eq!(text.lines().nth(number - 1), Some(line.as_str()));
        }
    }
}
