use http::{Request, Response};
use mcp_testkit::{HttpAnswer, HttpPeer};
use reqwest::dns::Resolve as _;
use url::Url;

use super::{GuardedResolver, HttpsClient, LONGEST_BODY};
use crate::error::Error;
use crate::guard::Reach;
use crate::web::Web as _;

async fn get(reach: Reach, url: &str) -> Result<Response<Vec<u8>>, Error> {
    let request = Request::get(url).body(Vec::new()).unwrap();
    HttpsClient::new(reach).unwrap().send(request).await
}

#[tokio::test]
async fn redirects_are_returned_and_not_followed() {
    let peer = HttpPeer::start(|_| HttpAnswer::new(307).header("location", "/elsewhere")).await.unwrap();
    let answer = get(Reach::Loopback, &peer.url("/token?canary")).await.unwrap();
    assert_eq!((answer.status().as_u16(), peer.requests().len()), (307, 1));
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up() {
    let peer = HttpPeer::start(|_| HttpAnswer::new(200).endless("x".repeat(4096))).await.unwrap();
    let error = get(Reach::Loopback, &peer.url("/?canary")).await.unwrap_err();
    assert!(matches!(&error, Error::Unreachable { .. }) && error.is_transient());
    let shown = format!("{error:?}");
    assert!(shown.contains("TooLong") && !shown.contains("canary"), "{shown}");
    let long = HttpPeer::start(|_| HttpAnswer::new(200).body("x".repeat(LONGEST_BODY))).await.unwrap();
    assert_eq!(get(Reach::Loopback, &long.url("/")).await.unwrap().body().len(), LONGEST_BODY);
}

#[tokio::test]
async fn nobody_at_the_other_end_is_an_error_without_the_query() {
    let peer = HttpPeer::start(|_| HttpAnswer::new(200)).await.unwrap();
    let url = peer.url("/token?code=canary");
    drop(peer);
    let error = get(Reach::Loopback, &url).await.unwrap_err();
    assert!(error.is_transient());
    let mut shown = format!("{error:?} {error}");
    let mut cause = std::error::Error::source(&error);
    while let Some(source) = cause {
        shown.push_str(&source.to_string());
        cause = source.source();
    }
    assert!(!shown.contains("canary"), "{shown}");
}

#[tokio::test]
async fn what_is_out_of_reach_is_not_asked() {
    let peer = HttpPeer::start(|_| HttpAnswer::new(200)).await.unwrap();
    for reach in [Reach::Public, Reach::Private] {
        assert!(get(reach, &peer.url("/")).await.unwrap_err().is_unsafe());
    }
    assert_eq!(peer.requests().len(), 0);
}

#[tokio::test]
async fn a_proxy_is_asked_where_one_was_given() {
    let proxy = HttpPeer::start(|_| HttpAnswer::new(200)).await.unwrap();
    let address: Url = proxy.url("").parse().unwrap();
    let choose = move |url: &Url| (url.port() == Some(1)).then(|| address.clone());
    let client = HttpsClient::through(Reach::Loopback, choose).unwrap();
    let request = Request::get("http://127.0.0.1:1/metadata").body(Vec::new()).unwrap();
    assert_eq!(client.send(request).await.unwrap().status().as_u16(), 200);
    assert_eq!(proxy.requests()[0].target, "http://127.0.0.1:1/metadata");
    let request = Request::get("http://127.0.0.1:2/metadata").body(Vec::new()).unwrap();
    assert!(client.send(request).await.is_err());
    assert_eq!(proxy.requests().len(), 1);
}

/// The check of the URL cannot see what its name leads to; the check at the moment of connecting can.
#[tokio::test]
async fn a_name_that_leads_here_is_not_connected_to() {
    for (reach, expected) in [(Reach::Public, 0), (Reach::Private, 0), (Reach::Loopback, 1)] {
        let found = GuardedResolver { reach }.resolve("localhost".parse().unwrap()).await;
        let count = found.map(|addresses| addresses.take(1).count()).unwrap_or_default();
        assert_eq!(count, expected, "{reach:?}");
    }
}
