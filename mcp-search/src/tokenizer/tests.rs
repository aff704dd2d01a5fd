use proptest::prelude::*;

use super::{Buffers, each_word_of, fold, words};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(words(text), expected, "words of {text:?}");
}

#[test]
fn names_are_cut_in_every_convention() {
    check("create_issue", &["create", "issue"]);
    check("create-issue", &["create", "issue"]);
    check("createIssue", &["create", "issue"]);
    check("CreateIssue", &["create", "issue"]);
    check("CREATE_ISSUE", &["create", "issue"]);
    check("mcp__github__create_issue", &["mcp", "github", "create", "issue"]);
}

#[test]
fn acronyms_survive() {
    check("HTTPServerError", &["http", "server", "error"]);
    check("parseJSON", &["parse", "json"]);
    check("listPRs", &["list", "prs"]);
    check("URLs", &["urls"]);
    check("getIDs by name", &["get", "ids", "by", "name"]);
}

#[test]
fn digits_count_whole_and_in_parts() {
    check("base64", &["base64", "base", "64"]);
    check("sha256Sum", &["sha256", "sha", "256", "sum"]);
    check("2024", &["2024"]);
}

#[test]
fn apostrophes_do_not_split() {
    check("the user's don’t 'quoted'", &["the", "users", "dont", "quoted"]);
}

#[test]
fn accents_and_widths_are_folded() {
    check("Résumé naïve ＦＵＬＬ", &["resume", "naive", "full"]);
    assert_eq!(fold("Résumé-Tool"), fold("resume_tool"));
}

#[test]
fn scripts_without_spaces_give_characters_and_pairs() {
    check("搜索工具", &["搜", "索", "工", "具", "搜索", "索工", "工具"]);
    check("用Bing搜索", &["用", "bing", "搜", "索", "搜索"]);
}

#[test]
fn other_scripts_are_words() {
    check("Создать задачу", &["создать", "задачу"]);
    check("إنشاء مهمة", &["إنشاء", "مهمة"]);
    check("खोज उपकरण", &["खोज", "उपकरण"]);
    check("검색 도구", &["검색", "도구"]);
}

#[test]
fn nothing_gives_no_words() {
    check("", &[]);
    check(" _-./ ", &[]);
    check("'", &[]);
}

#[test]
fn fold_makes_all_spellings_equal() {
    for spelling in ["create_issue", "createIssue", "Create Issue", "CREATE-ISSUE", "create.issue"] {
        assert_eq!(fold(spelling), "createissue");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The short ways for ASCII text lead to the same words as the long one.
    #[test]
    fn plain_text_is_cut_as_any_other(text in "([a-z]{0,9}|[A-Z0-9' _.,\\-/]{0,3}|[a-z0-9]{60,70}){0,12}") {
        let mut expected = Vec::new();
        each_word_of(&text, &mut Buffers::default(), &mut |word: &str| expected.push(word.to_owned()));
        prop_assert_eq!(words(&text), expected);
    }
}
