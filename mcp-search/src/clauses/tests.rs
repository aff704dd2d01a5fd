use super::{CLAUSES, clauses};

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    assert_eq!(clauses(query), expected, "clauses of {query:?}");
}

#[test]
fn sentences_are_clauses() {
    check(
        "Find a flight. Is it late? \"Book it!\" Thanks",
        &["Find a flight.", "Is it late?", "\"Book it!\"", "Thanks"],
    );
    check("one\ntwo; three", &["one", "two", "three"]);
    check("搜索。打开", &["搜索", "打开"]);
}

#[test]
fn numbers_and_names_are_not_cut() {
    check("convert 3.5 km with v1.2 of units.convert", &["convert 3.5 km with v1.2 of units.convert"]);
}

#[test]
fn connectives_open_clauses() {
    check("look up flights, and book a hotel", &["look up flights,", "and book a hotel"]);
    check("look up flights and then book", &["look up flights", "and then book"]);
    check("bread and butter", &["bread and butter"]);
    check("the weather as well as the news", &["the weather", "as well as the news"]);
    check("The weather. Additionally, news", &["The weather.", "Additionally, news"]);
}

#[test]
fn nothing_has_no_clauses_and_many_are_bounded() {
    check("", &[]);
    check(" \n ; ", &[]);
    let many = clauses(&"go. ".repeat(1000));
    assert_eq!(many.len(), CLAUSES);
    assert!(many[CLAUSES - 1].len() > 1000);
}
