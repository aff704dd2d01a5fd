use std::time::Duration;

use super::Timeouts;

#[test]
fn a_longer_call_timeout_raises_the_total() {
    let hour = Duration::from_hours(1);
    assert_eq!(Timeouts::default().with_call(hour).call_total, hour);
    assert_eq!(Timeouts::default().with_call(Duration::from_secs(1)).call_total, Timeouts::default().call_total);
}
