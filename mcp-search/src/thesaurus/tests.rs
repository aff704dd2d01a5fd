use std::collections::BTreeSet;

use super::{TABLE, count, find, letters, related, relation_start};

#[test]
fn related_words_are_found_both_ways() {
    for (left, right) in [("delet", "remov"), ("pictur", "photo"), ("folder", "directori"), ("email", "mail")] {
        assert!(related(left).any(|(stem, _)| stem == right), "{left} should lead to {right}");
        assert!(related(right).any(|(stem, _)| stem == left), "{right} should lead to {left}");
    }
    assert_eq!(related("xyzzy").count(), 0);
    assert_eq!(related("").count(), 0);
}

#[test]
fn the_table_is_sorted_whole_and_free_of_loops() {
    let stems: Vec<_> = (0..count()).map(|place| letters(place).expect("a stem")).collect();
    assert!(stems.len() > 1_000 && stems.is_sorted());
    assert_eq!(stems.iter().collect::<BTreeSet<_>>().len(), stems.len());
    for stem in stems.iter().map(|stem| std::str::from_utf8(stem).expect("letters")) {
        let similarities: Vec<f32> = related(stem).map(|(_, similarity)| similarity).collect();
        assert!(similarities.is_sorted_by(|left, right| left >= right), "{stem}");
        assert!(related(stem).all(|(other, similarity)| other != stem && similarity > 0.0), "{stem}");
        assert!(find(stem).is_some());
    }
    let end = super::letters_start() + super::number(4 + 4 * count()).expect("an end");
    assert_eq!(TABLE.len(), end + 3 * relation_start(count()).expect("an end"));
}
