//! What a request pays for being signed, and what a refusal costs before anything is asked.
//!
//! `cargo bench -p mcp-oauth`

use std::sync::Arc;

use divan::Bencher;
use http::{HeaderMap, Method};
use mcp_oauth::{Challenge, HttpsClient, MemoryStore, Reach, Session, SessionOptions};
use url::Url;

fn main() {
    divan::main();
}

/// Reading the challenge of a 401.
#[divan::bench]
fn challenge() -> Vec<Challenge> {
    Challenge::parse([divan::black_box(
        r#"Bearer realm="mcp", error="invalid_token", error_description="The token has expired", scope="files:read files:write", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp""#,
    )])
}

/// Signing a request where nobody has logged in: the price of having a session for a server that wants no login.
#[divan::bench]
fn authorize_without_a_login(bencher: Bencher<'_, '_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let url = Url::parse("https://mcp.example.com/mcp").expect("it is a URL");
    let web = Arc::new(HttpsClient::new(Reach::Public).expect("the system has certificates"));
    let session = Session::new(SessionOptions::new(url.clone(), Arc::new(MemoryStore::new()), web));
    bencher.bench_local(|| {
        let mut headers = HeaderMap::new();
        runtime.block_on(session.authorize(&Method::POST, &url, &mut headers)).expect("nothing is asked");
        headers
    });
}
