//! Every row of the fault table, met by this crate.

use std::{collections::BTreeSet, fmt::Write as _};

use expect_test::expect;
use futures_util::{StreamExt as _, stream};
use mcp_testkit::{children_named, example_binary, rows};

use crate::drive::ours;

/// A row that hangs would hold up the whole table; the runner's timeout ends it and names this test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fault_hangs_or_spreads() {
    let (rows, peer) = (rows(), example_binary("hostile_peer"));
    assert!(rows.len() >= 40, "{} rows", rows.len());
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
    expect![[r#"
        well-behaved                         ok
        modern-only                          connected, 2026-07-28 over stdio
        oldest-version                       connected, 2024-11-05 over stdio
        unknown-version                      connect: no common version
        silent-on-probe                      connected, 2025-11-25 over stdio
        exits-on-probe                       connected, 2025-11-25 over stdio
        late-probe-answer                    connected, 2025-11-25 over stdio
        slow-modern-only                     connected, 2026-07-28 over stdio
        probe-answered-with-nonsense         connected, 2025-11-25 over stdio
        silent-handshake                     connect: timeout
        handshake-without-version            connect: protocol: missing field `protocolVersion` at line 1 column 2
        refused-handshake                    connect: refused (-32000)
        neither-result-nor-error             protocol: neither `result` nor `error` is present, then protocol: neither `result` nor `error` is present
        result-and-error                     protocol: both `result` and `error` are present, then protocol: both `result` and `error` are present
        error-code-a-string                  protocol: `error` is not a JSON-RPC error, then protocol: `error` is not a JSON-RPC error
        error-not-an-object                  protocol: `error` is not a JSON-RPC error, then protocol: `error` is not a JSON-RPC error
        missing-jsonrpc                      ok, then ok
        id-as-string                         ok, then ok
        id-as-float                          ok, then ok
        id-an-object                         protocol: its id is none of ours, then protocol: its id is none of ours
        id-null-with-error                   refused (-32700), then refused (-32700)
        result-null                          protocol: `result` must be an object, found `null`, then protocol: `result` must be an object, found `null`
        result-an-array                      protocol: `result` must be an object, found `[1]`, then protocol: `result` must be an object, found `[1]`
        broken-json                          protocol: expected value at line 1 column 39, then protocol: expected value at line 1 column 39
        duplicate-member                     protocol: duplicate field `result` at line 1 column 44, then protocol: duplicate field `result` at line 1 column 44
        unknown-content-block                ok, then ok
        deep-nesting                         ok, then ok
        batch                                ok, then ok
        invalid-utf-8                        protocol: invalid unicode code point at line 1 column 43, then protocol: invalid unicode code point at line 1 column 43
        duplicate-answer                     ok, then ok
        oversized-answer                     too large, then too large
        silent-call                          timeout, then timeout
        answers-in-reverse                   each got its own
        progress-without-end                 timeout
        banner-on-stdout                     ok
        json-log-on-stdout                   ok
        array-on-stdout                      ok
        byte-order-mark                      ok
        blank-lines                          ok
        unknown-notification                 ok
        malformed-notification               ok
        unknown-request                      ok
        answer-to-a-notification             ok
        refusal-of-a-notification            ok
        request-with-an-id-of-ours           ok
        ping-from-the-server                 ok
        unwanted-elicitation                 ok
        stderr-flood                         ok
        oversized-notification               closed: the server sent an oversized message
        line-without-end                     closed: the server sent a message without end
        tool-without-schema                  1 tools, 1 rejected
        tool-schema-true                     1 tools, 1 rejected
        tool-without-name                    1 tools, 1 rejected
        tool-not-an-object                   1 tools, 1 rejected
        tool-description-a-number            1 tools, 1 rejected
        tools-not-an-array                   protocol: invalid type
        no-tools-method                      refused (-32601)
        two-pages                            2 tools, 0 rejected
        empty-cursor-is-a-cursor             2 tools, 0 rejected
        cursor-a-number                      1 tools, 0 rejected, incomplete: the cursor must be a string, found `2`
        repeated-cursor                      2 tools, 0 rejected, incomplete: the server repeats a cursor
        endless-cursor                       50 tools, 0 rejected, incomplete: more than 50 pages; raise `Limits::pages`
        second-page-broken                   1 tools, 0 rejected, incomplete: page 2: answer to `tools/list` breaks the protocol: invalid type: integer `7`, expected a sequence at line 1 column 10
        dies-at-once                         connect: exited with 3, stderr kept: true
        dies-during-a-call                   exited with 9, stderr kept: true, then exited with 9, stderr kept: true
        closes-stdout-and-lives              closed: the server closed its standard output
        grandchild                           ok
        ignores-end-of-input                 ok
        http-well-behaved                    ok
        http-modern-only                     ok
        http-probe-hangs                     connected, 2025-11-25 over http
        http-login                           connect: login (401)
        http-login-without-challenge         connect: login (401)
        http-forbidden                       connect: HTTP 403
        http-server-error                    connect: HTTP 500
        http-not-found                       connect: HTTP 404
        http-web-page                        connect: protocol: the response holds no answer
        http-redirect-elsewhere              connect: redirect refused
        http-redirect-drops-the-message      connect: redirect refused
        http-redirect-loop                   connect: redirect refused
        http-redirect-on-the-same-server     ok
        http-auto-old-sse-elsewhere          connect: redirect refused
        http-auto-login                      connect: login (401)
        http-answer-to-nobody                protocol: the response holds no answer, then protocol: the response holds no answer
        http-accepted-without-answer         protocol: the response holds no answer, then protocol: the response holds no answer
        http-empty-answer                    protocol: the response holds no answer, then protocol: the response holds no answer
        http-broken-json                     protocol: the response holds no answer, then protocol: the response holds no answer
        http-error-without-id                refused (-32602), then refused (-32602)
        http-gateway-error                   HTTP 502, then HTTP 502
        http-oversized-answer                too large, then too large
        http-gzip-bomb                       too large, then too large
        http-hangs-before-the-headers        timeout, then timeout
        http-hangs-in-the-body               timeout, then timeout
        http-session-expires                 ok
        http-too-many-requests               ok
        http-unavailable-for-an-hour         HTTP 503
        http-stream                          ok
        http-stream-with-news                ok
        http-stream-ends-early               protocol: the event stream ended before the answer
        http-stream-with-broken-answer       protocol: expected value at line 1 column 23
        http-stream-without-end              timeout
        http-event-without-end               too large
        http-stream-resumes                  ok
    "#]].assert_eq(&table);

    let left: Vec<u32> = rows.iter().flat_map(|row| children_named(&format!("hostile_peer {} ", row.name))).collect();
    assert_eq!(left, Vec::<u32>::new(), "processes left behind");
}
