use std::time::Duration;

use proptest::prelude::*;

use super::Backoff;

#[test]
fn waits_double_up_to_the_ceiling() {
    let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5));
    let waits: Vec<u64> = (0..5).map(|failures| backoff.wait(failures, 1.0).as_secs()).collect();
    assert_eq!(waits, [1, 2, 4, 5, 5]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_wait_is_in_the_upper_half_of_its_step(failures: u32, jitter in 0.0..1.0) {
        let backoff = Backoff::default();
        let (wait, step) = (backoff.wait(failures, jitter), backoff.wait(failures, 1.0));
        prop_assert!(wait <= step && step <= backoff.ceiling && wait * 2 >= step);
    }
}
