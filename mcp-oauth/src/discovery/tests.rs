use std::collections::BTreeMap;
use std::sync::Mutex;

use http::{Request, Response};
use url::Url;

use super::{Discovery, discover};
use crate::challenge::Challenge;
use crate::error::Error;
use crate::settings::Settings;
use crate::web::{BoxFuture, Web};

/// Pages by URL; anything else is 404. `>` leads elsewhere.
#[derive(Debug, Default)]
struct Pages {
    pages: BTreeMap<String, String>,
    asked: Mutex<Vec<String>>,
}

impl Pages {
    fn new(pages: &[(&str, &str)]) -> Self {
        let pages = pages.iter().map(|(url, page)| ((*url).to_owned(), (*page).to_owned())).collect();
        Self { pages, asked: Mutex::default() }
    }
}

impl Web for Pages {
    fn send(&self, request: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>> {
        let url = request.uri().to_string();
        self.asked.lock().unwrap().push(url.clone());
        let response = match self.pages.get(&url) {
            None => Response::builder().status(404).body(b"<html>".to_vec()),
            Some(page) => match page.strip_prefix('>') {
                Some(target) => Response::builder().status(302).header("location", target).body(Vec::new()),
                None => Response::builder().status(200).body(page.clone().into_bytes()),
            },
        };
        Box::pin(async { Ok(response.unwrap()) })
    }
}

const RESOURCE: &str = "https://h/.well-known/oauth-protected-resource/mcp";
const SERVER: &str = "https://as/.well-known/oauth-authorization-server";

async fn find(pages: &Pages, challenge: Option<&str>, settings: &Settings) -> Result<Discovery, Error> {
    let challenge = challenge.map(|header| Challenge::parse([header]).remove(0));
    discover(pages, &Url::parse("https://h/mcp").unwrap(), challenge.as_ref(), settings).await
}

#[tokio::test]
async fn the_challenge_goes_first_and_the_root_last() {
    let pages = Pages::new(&[
        (
            "https://h/custom",
            r#"{"authorization_servers":["https://as/t"],"resource":"https://h","scopes_supported":["a"]}"#,
        ),
        (RESOURCE, r#"{"authorization_servers":["https://wrong"]}"#),
        ("https://as/.well-known/openid-configuration/t", "<html>"),
        ("https://as/t/.well-known/openid-configuration", r#"{"issuer":"https://as/t"}"#),
    ]);
    let found =
        find(&pages, Some("Bearer resource_metadata=\"https://h/custom\""), &Settings::default()).await.unwrap();
    assert_eq!((found.resource.as_str(), found.authorization_server.issuer.as_str()), ("https://h", "https://as/t"));
    assert_eq!(found.scopes_supported.unwrap().to_string(), "a");
    assert_eq!(
        *pages.asked.lock().unwrap(),
        [
            "https://h/custom",
            "https://as/.well-known/oauth-authorization-server/t",
            "https://as/.well-known/openid-configuration/t",
            "https://as/t/.well-known/openid-configuration",
        ]
    );
}

#[tokio::test]
async fn bug_22_the_published_identifier_is_kept_byte_by_byte() {
    for published in ["https://h", "https://h/", "https://h/mcp"] {
        let page = format!(r#"{{"authorization_servers":["https://as"],"resource":"{published}"}}"#);
        let pages = Pages::new(&[(RESOURCE, &page), (SERVER, r#"{"issuer":"https://as"}"#)]);
        let found = find(&pages, None, &Settings::default()).await.unwrap();
        assert_eq!(found.resource.as_str(), published);
    }
}

#[tokio::test]
async fn a_document_about_another_server_is_refused() {
    let pages = Pages::new(&[(RESOURCE, r#"{"authorization_servers":["https://as"],"resource":"https://h/other"}"#)]);
    let error = find(&pages, None, &Settings::default()).await.unwrap_err();
    assert!(error.to_string().ends_with("is `another path there`, expected `https://h`"), "{error}");
    let pages = Pages::new(&[
        (RESOURCE, r#"{"authorization_servers":["https://as"],"resource":"https://evil.example.com/mcp"}"#),
        (SERVER, r#"{"issuer":"https://as"}"#),
    ]);
    let error = find(&pages, None, &Settings::default()).await.unwrap_err();
    assert!(matches!(&error, Error::Mismatch { found, .. } if found == "https://evil.example.com"), "{error}");
}

#[tokio::test]
async fn a_document_of_another_issuer_is_refused() {
    for (issuer, expected) in [("https://as/", true), ("https://evil", false), ("https://as/t", false)] {
        let page = format!(r#"{{"issuer":"{issuer}"}}"#);
        let pages = Pages::new(&[(RESOURCE, r#"{"authorization_servers":["https://as"]}"#), (SERVER, &page)]);
        assert_eq!(find(&pages, None, &Settings::default()).await.is_ok(), expected, "{issuer}");
    }
}

#[tokio::test]
async fn without_a_resource_document_the_origin_is_the_issuer() {
    let pages = Pages::new(&[("https://h/.well-known/oauth-authorization-server", r#"{"issuer":"https://h/"}"#)]);
    let found = find(&pages, None, &Settings::default()).await.unwrap();
    assert_eq!((found.resource.as_str(), found.authorization_server.issuer.as_str()), ("https://h/mcp", "https://h/"));
}

#[tokio::test]
async fn bug_23_and_33_nothing_published_means_no_login_and_a_list_of_what_was_asked() {
    let error = find(&Pages::default(), None, &Settings::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot find the authorization server of `https://h`; asked \
         `https://h/.well-known/oauth-protected-resource/…` (404), \
         `https://h/.well-known/oauth-protected-resource` (404), \
         `https://h/.well-known/oauth-authorization-server` (404), \
         `https://h/.well-known/openid-configuration` (404)"
    );
    let legacy = Settings { legacy_endpoints: true, ..Settings::default() };
    let found = find(&Pages::default(), None, &legacy).await.unwrap();
    assert_eq!(found.authorization_server.token_endpoint.unwrap().as_str(), "https://h/token");
}

#[tokio::test]
async fn a_set_issuer_is_the_only_one() {
    let pages = Pages::new(&[
        (RESOURCE, r#"{"authorization_servers":["https://other","https://as"]}"#),
        (SERVER, r#"{"issuer":"https://as"}"#),
    ]);
    let only = |issuer: &str| Settings { issuer: Some(issuer.to_owned()), ..Settings::default() };
    assert!(find(&pages, None, &only("https://as")).await.is_ok());
    assert!(!pages.asked.lock().unwrap().iter().any(|url| url.starts_with("https://other")));
    assert!(matches!(find(&pages, None, &only("https://third")).await, Err(Error::Mismatch { .. })));
}

#[tokio::test]
async fn redirects_are_followed_with_care() {
    let server = (SERVER, r#"{"issuer":"https://as"}"#);
    let resource = r#"{"authorization_servers":["https://as"]}"#;
    for (target, page_at, expected) in [
        ("/moved", "https://h/moved", true),
        ("https://elsewhere/moved", "https://elsewhere/moved", true),
        ("http://h/moved", "http://h/moved", false),
        ("https://10.0.0.1/moved", "https://10.0.0.1/moved", false),
        ("https://169.254.169.254/moved", "https://169.254.169.254/moved", false),
        ("https://localhost/moved", "https://localhost/moved", false),
    ] {
        let pages = Pages::new(&[(RESOURCE, &format!(">{target}")), (page_at, resource), server]);
        assert_eq!(find(&pages, None, &Settings::default()).await.is_ok(), expected, "{target}");
        assert_eq!(pages.asked.lock().unwrap().iter().any(|url| url == page_at), expected, "{target}");
    }
    let circle = Pages::new(&[(RESOURCE, &format!(">{RESOURCE}"))]);
    assert!(find(&circle, None, &Settings::default()).await.is_err());
    assert!(circle.asked.lock().unwrap().len() < 20);
}

#[tokio::test]
async fn of_many_issuers_few_are_tried() {
    let issuers: Vec<String> = (0..500).map(|number| format!("\"https://as{number}\"")).collect();
    let page = format!(r#"{{"authorization_servers":[{}]}}"#, issuers.join(","));
    let pages = Pages::new(&[(RESOURCE, &page)]);
    assert!(matches!(find(&pages, None, &Settings::default()).await, Err(Error::Undiscovered { .. })));
    assert!(pages.asked.lock().unwrap().len() < 20);
}

/// Answers nothing, ever.
#[derive(Debug)]
struct Silence;

impl Web for Silence {
    fn send(&self, _: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_ends() {
    let server = Url::parse("https://h/mcp").unwrap();
    let error = discover(&Silence, &server, None, &Settings::default()).await.unwrap_err();
    assert!(matches!(&error, Error::TimedOut { .. }) && error.is_transient());
}

#[tokio::test]
async fn endpoints_that_must_not_be_asked_are_refused() {
    for endpoint in ["http://as/token", "https://127.0.0.1/token", "https://192.168.0.1/token", "https://u@as/token"] {
        let page = format!(r#"{{"issuer":"https://as","token_endpoint":"{endpoint}"}}"#);
        let pages = Pages::new(&[(RESOURCE, r#"{"authorization_servers":["https://as"]}"#), (SERVER, &page)]);
        assert!(find(&pages, None, &Settings::default()).await.unwrap_err().is_unsafe(), "{endpoint}");
    }
}
