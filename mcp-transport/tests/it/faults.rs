//! Every row of the fault table, met by this crate.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    time::{Duration, Instant},
};

use expect_test::expect_file;
use futures_util::{StreamExt as _, stream};
use mcp_testkit::{children_named, example_binary, rows};

use crate::drive::{ours, tag};

/// A row that hangs would hold up the whole table; the runner's timeout ends it and names this test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fault_hangs_or_spreads() {
    let (rows, peer) = (rows(), example_binary("hostile_peer"));
    assert!(rows.len() >= 130, "{} rows", rows.len());
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), rows.len(), "names are unique");

    let met = rows.clone().into_iter().enumerate().map(|(position, row)| {
        let peer = peer.clone();
        tokio::spawn(async move { (position, ours(&row, &peer).await) })
    });
    // A few at a time: most rows wait, and one that does not must not slow down its neighbours' clocks.
    let mut outcomes: Vec<(usize, String)> =
        stream::iter(met).buffer_unordered(12).map(|outcome| outcome.expect("no row panics")).collect().await;
    outcomes.sort_unstable();
    let mut table = String::new();
    for (row, (_, outcome)) in rows.iter().zip(outcomes) {
        writeln!(table, "{:<36} {outcome}", row.name).expect("writing to a string");
    }
    expect_file!["faults.txt"].assert_eq(&table);

    let started = Instant::now();
    while !children_named(&tag()).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(10), "left behind: {:?}", children_named(&tag()));
        tokio::task::yield_now().await;
    }
}
