use super::{Change, ChangeHub, RESOURCES_WAITING};

#[tokio::test]
async fn changes_keep_their_order_and_are_coalesced() {
    let hub = ChangeHub::default();
    let mut changes = hub.subscribe(false);
    for change in [Change::Prompts, Change::Tools, Change::Prompts, Change::Tools, Change::Closed] {
        hub.publish(&change);
    }
    let mut seen = Vec::new();
    while let Some(change) = changes.next().await {
        seen.push(change);
    }
    assert_eq!(seen, [Change::Prompts, Change::Tools, Change::Closed]);
}

#[tokio::test]
async fn a_late_reader_of_a_dead_connection_learns_of_it() {
    let mut changes = ChangeHub::default().subscribe(true);
    assert_eq!((changes.next().await, changes.next().await), (Some(Change::Closed), None));
}

#[tokio::test]
async fn a_flood_of_resources_is_reported_as_one_change() {
    let hub = ChangeHub::default();
    let mut changes = hub.subscribe(false);
    for number in 0..RESOURCES_WAITING * 3 {
        hub.publish(&Change::Resource(number.to_string()));
    }
    hub.publish(&Change::Closed);
    let mut count = 0;
    while changes.next().await.is_some() {
        count += 1;
    }
    assert_eq!(count, RESOURCES_WAITING + 2, "the resources that fit, one summary, the end");
}

/// I14: names of resources count by their bytes.
#[tokio::test]
async fn long_names_of_resources_are_one_change_of_all() {
    let hub = ChangeHub::default();
    let mut changes = hub.subscribe(false);
    for number in 0..60 {
        hub.publish(&Change::Resource(format!("{number}{}", "x".repeat(100 << 10))));
    }
    let queued = changes.queue.waiting.lock().expect("unpoisoned").changes.len();
    assert_eq!(queued, 3, "two of 100 KiB, and that there are more");
    for _ in 0..2 {
        assert!(matches!(changes.next().await, Some(Change::Resource(_))));
    }
    assert_eq!(changes.next().await, Some(Change::Resources));
    hub.publish(&Change::Resource("short".to_owned()));
    assert_eq!(changes.next().await, Some(Change::Resource("short".to_owned())), "what was read makes room");
}
