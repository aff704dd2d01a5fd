use std::time::Duration;

use tokio::time::Instant;

use super::CallScope;
use crate::Timeouts;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn a_call_may_be_shorter_and_longer_than_its_connection_says() {
    let timeouts = Timeouts::default().with_call(seconds(5)).with_call_total(seconds(20));
    for (scope, silence, total) in [
        (CallScope::default(), 5, 20),
        (CallScope::default().within(seconds(1)), 1, 1),
        (CallScope::default().within(seconds(90)), 90, 90),
        (CallScope::default().with_silence(seconds(9)), 9, 20),
        (CallScope::default().with_silence(seconds(30)), 30, 30),
        (CallScope::default().with_total(seconds(60)), 5, 60),
        (CallScope::default().with_total(seconds(2)), 2, 2),
    ] {
        let (patience, now) = (scope.patience(&timeouts), Instant::now());
        let limits = (patience.silent_until() - now, patience.deadline() - now);
        assert_eq!(limits, (seconds(silence), seconds(total)), "{scope:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_made_again_has_what_is_left() {
    let scope = CallScope::default().within(seconds(10)).with_since(Instant::now());
    tokio::time::advance(seconds(7)).await;
    let patience = scope.patience(&Timeouts::default());
    assert_eq!(patience.deadline() - Instant::now(), seconds(3));
    tokio::time::advance(seconds(7)).await;
    assert!(scope.patience(&Timeouts::default()).is_over());
}

#[tokio::test]
async fn for_ever_is_a_point_in_time_too() {
    let patience = CallScope::default().within(Duration::MAX).patience(&Timeouts::default());
    assert!(!patience.is_over() && patience.silent_until() <= patience.deadline());
}
