use super::{Piece, Syntax, Template};

fn names(text: &str, syntax: Syntax) -> Vec<String> {
    Template::new(text, syntax).references().into_iter().map(|reference| reference.text).collect()
}

#[test]
fn text_that_only_looks_like_a_variable_is_literal() {
    for text in ["", "$", "$$", "${", "${}", "{", "{}", "%", "100%", "%20%20", "a$", "{env:}", "$1", "€{x}"] {
        let pieces = Template::new(text, Syntax::Toolkit).pieces();
        let certain = pieces.iter().any(|piece| !matches!(piece, Piece::Literal(_)));
        assert_eq!(certain, text == "${}", "{text:?} is {pieces:?}");
    }
}

#[test]
fn a_doubled_dollar_escapes_the_whole_reference() {
    assert_eq!(Template::new("$${A}", Syntax::Toolkit).pieces(), [Piece::Literal("${A}".to_owned())]);
}

#[test]
fn defaults_nest() {
    assert_eq!(names("${A:-${B:-c}}", Syntax::Claude), ["${A:-${B:-c}}", "${B:-c}"]);
}
