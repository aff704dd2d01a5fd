//! Sends a signed request to a server for every line of standard input, with a login that was stored before.
//!
//! ```text
//! cargo run --example signed_requests -- DIRECTORY URL
//! ```
//!
//! Each line is answered by the HTTP status, or by the error. Any number of these may run at the same time with the same
//! directory: the login is renewed once, by whichever comes first.
#![expect(clippy::print_stdout, reason = "an example that shows nothing is none")]

use std::io::BufRead as _;
use std::sync::Arc;

use http::{HeaderMap, Method, Request};
use mcp_oauth::{DirectoryStore, Error, Exchange, HttpsClient, Reach, Session, SessionOptions, Verdict, Web};
use url::Url;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(url)) = (arguments.next(), arguments.next()) else {
        return Err("usage: signed_requests DIRECTORY URL".into());
    };
    let url = Url::parse(&url)?;
    let web: Arc<dyn Web> = Arc::new(HttpsClient::new(Reach::of(&url))?);
    let store = Arc::new(DirectoryStore::plain(directory)?);
    let session = Session::new(SessionOptions::new(url.clone(), store, Arc::clone(&web)));
    for line in std::io::stdin().lock().lines() {
        line?;
        match send(&session, &*web, &url).await {
            Ok(status) => println!("{status}"),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}

/// One request, sent again as long as the session says so.
async fn send(session: &Session, web: &dyn Web, url: &Url) -> Result<u16, Error> {
    loop {
        let mut headers = HeaderMap::new();
        session.authorize(&Method::POST, url, &mut headers).await?;
        let mut request = Request::new(Vec::new());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url.as_str().parse().map_err(|source| Error::Unreachable {
            url: url.origin().ascii_serialization(),
            source: Box::<http::uri::InvalidUri>::new(source),
        })?;
        request.headers_mut().clone_from(&headers);
        let answer = web.send(request).await?;
        match session.answer(&Exchange::new(url, &headers, answer.status(), answer.headers())).await? {
            Verdict::Retry => {}
            _ => return Ok(answer.status().as_u16()),
        }
    }
}
