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
fn before_a_brace_two_dollars_stand_for_one() {
    let literal = |text: &str| vec![Piece::Literal(text.to_owned())];
    let pieces = |text: &str| Template::new(text, Syntax::Toolkit).pieces();
    for (text, meant) in [
        ("$${A}", "${A}"),
        ("$$$${A}", "$${A}"),
        ("$${A:-$${B}}", "${A:-${B}}"),
        ("$${{ secrets.A }}", "${{ secrets.A }}"),
        ("$${env:A}", "${env:A}"),
        ("$${", "${"),
        ("$$", "$$"),
        ("$$$ $${}", "$$$ ${}"),
    ] {
        assert_eq!(pieces(text), literal(meant), "{text}");
    }
    let [Piece::Literal(dollar), Piece::Variable(reference)] = &pieces("$$${A}")[..] else { panic!("no variable") };
    assert_eq!((dollar.as_str(), reference.text.as_str()), ("$", "${A}"));
    let [Piece::Literal(opened), Piece::Variable(_), Piece::Literal(closed)] = &pieces("$${A:-${B}}")[..] else {
        panic!("no variable")
    };
    assert_eq!((opened.as_str(), closed.as_str()), ("${A:-", "}"));
    // A long run costs one step a character.
    assert_eq!(pieces(&"$".repeat(64 * 1024)), literal(&"$".repeat(64 * 1024)));
}

#[test]
fn defaults_nest() {
    assert_eq!(names("${A:-${B:-c}}", Syntax::Claude), ["${A:-${B:-c}}", "${B:-c}"]);
}
