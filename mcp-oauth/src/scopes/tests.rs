use proptest::prelude::*;

use super::{MOST_SCOPES, Scopes};

#[test]
fn a_list_without_an_end_is_cut() {
    let endless: Vec<String> = (0..200_000).map(|number| format!("s{number}")).collect();
    let scopes = Scopes::parse(&endless.join(" "));
    assert_eq!((scopes.iter().count(), scopes.contains("s0")), (MOST_SCOPES, true));
    assert_eq!(scopes.union(&Scopes::parse("more")), scopes);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_union_keeps_the_order_of_the_first_and_covers_both(left in "[a-e ]{0,12}", right in "[a-e ]{0,12}") {
        let (left, right) = (Scopes::parse(&left), Scopes::parse(&right));
        let both = left.union(&right);
        prop_assert!(both.covers(&left) && both.covers(&right));
        prop_assert_eq!(both.iter().take(left.iter().count()).collect::<Vec<_>>(), left.iter().collect::<Vec<_>>());
        prop_assert_eq!(both.union(&left), both.clone());
        prop_assert_eq!(Scopes::parse(&both.to_string()), both);
    }
}
