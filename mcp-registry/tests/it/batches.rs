use mcp_registry::Effect::{self, Mutating, ReadOnly};
use mcp_registry::{Failure, plan_batches};
use proptest::prelude::*;

#[test]
fn neighbouring_reads_share_a_batch_and_writes_stand_alone() {
    for (effects, expected) in [
        (vec![], ""),
        (vec![Mutating], "0..1"),
        (vec![ReadOnly, ReadOnly], "0..2"),
        (vec![Mutating, Mutating], "0..1 1..2"),
        (vec![ReadOnly, Mutating, ReadOnly, ReadOnly], "0..1 1..2 2..4"),
    ] {
        let planned: Vec<_> =
            plan_batches(effects.clone()).into_iter().map(|batch| format!("{:?}", batch.calls)).collect();
        assert_eq!(planned.join(" "), expected, "{effects:?}");
    }
}

#[test]
fn only_reads_are_repeated_and_only_once() {
    let mut allowed = Vec::new();
    for effect in [ReadOnly, Mutating] {
        for failure in [Failure::Transient, Failure::Permanent] {
            for attempts in 1..4 {
                if effect.may_retry(attempts, failure) {
                    allowed.push((effect, failure, attempts));
                }
            }
        }
    }
    assert_eq!(allowed, [(ReadOnly, Failure::Transient, 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutating_call_never_runs_beside_another(reads in prop::collection::vec(any::<bool>(), 0..40)) {
        let effects: Vec<Effect> = reads.iter().map(|read| if *read { ReadOnly } else { Mutating }).collect();
        let batches = plan_batches(effects.clone());
        let order: Vec<usize> = batches.iter().flat_map(|batch| batch.calls.clone()).collect();
        prop_assert_eq!(order, (0..effects.len()).collect::<Vec<_>>(), "every call once, in order");
        for batch in batches {
            let called = &effects[batch.calls];
            prop_assert!(called.len() == 1 || called.iter().all(|effect| *effect == ReadOnly), "{called:?}");
            prop_assert!(called.iter().all(|effect| *effect == batch.effect));
        }
    }
}
