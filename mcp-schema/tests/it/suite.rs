//! The JSON Schema Test Suite, as `cargo run --example suite` runs it.

use crate::{runner, support::data};

#[test]
fn no_verdict_changes() {
    let Some(folder) = data("json-schema-test-suite") else { return };
    let summary = runner::run(&folder).unwrap();
    println!("{summary}");
    assert_eq!(summary.changes, Vec::<String>::new());
    assert_eq!(summary.unused_exceptions, Vec::<String>::new());
    assert!(summary.exceptions <= 10, "{summary}");
    assert_eq!(summary.groups, 1404);
    assert!(summary.percent() >= 90, "{summary}: {:#?}", summary.unresolved);
}
