//! Whatever an HTTP server answers, in JSON or as an event stream, connecting and listing come to an end without a panic.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use mcp_testkit::{HttpAnswer, HttpPeer};
use mcp_transport::{ConnectOptions, Endpoint, HttpOptions, Limits, Timeouts, connect};

fuzz_target!(|data: &[u8]| {
    let Some((&kind, body)) = data.split_first() else { return };
    let body = body.to_vec();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let answer = move || {
            let media_type = if kind & 1 == 0 { "application/json" } else { "text/event-stream" };
            HttpAnswer::new(200).header("content-type", media_type).body(body.clone())
        };
        let server = HttpPeer::start(move |_| answer()).await.expect("a free port");
        let second = Duration::from_secs(1);
        let timeouts = Timeouts::default().with_connect(second).with_list(second).with_call(second);
        let options = ConnectOptions::default().with_timeouts(timeouts).with_limits(Limits::default().with_message(4_096));
        if let Ok(connection) = connect(Endpoint::HttpAuto(HttpOptions::new(server.url("/"))), options).await {
            let _listing = connection.list_tools().await;
        }
    });
});
