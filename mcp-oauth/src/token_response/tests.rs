use std::time::Duration;

use http::{Request, Response};
use oauth2::TokenResponse as _;
use proptest::prelude::*;

use super::{TokenKind, TokenResponse};
use crate::client::{Client, ClientOrigin};
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::secret::Secret;
use crate::timestamp::Clock;
use crate::token_endpoint::{Grant, TokenEndpoint, TokenRequest};
use crate::web::{BoxFuture, Web};

/// Answers everything alike.
#[derive(Debug)]
struct Fixed(Response<Vec<u8>>);

impl Web for Fixed {
    fn send(&self, _: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// What becomes of an answer to a refresh token.
fn read(status: u16, body: &str) -> Result<TokenResponse, Error> {
    let answer = Response::builder().status(status).header("content-type", "text/html");
    let web = Fixed(answer.body(body.as_bytes().to_vec()).unwrap());
    let document = br#"{"issuer":"https://as.example","token_endpoint":"https://as.example/token?canary"}"#;
    let (server, clock) = (AuthorizationServer::parse(document).unwrap(), Clock::system());
    let client = Client::public("c", ClientOrigin::Registered);
    let sent = Secret::new("canary-refresh");
    let (endpoint, request) =
        (TokenEndpoint::new(&web, &server, &client, &clock), TokenRequest::new(Grant::RefreshToken(&sent)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(endpoint.request(&request))
}

#[test]
fn lifetimes() {
    for (member, expected) in [
        ("60", Some(60)),
        ("\"60\"", Some(60)),
        ("60.9", Some(60)),
        ("-5", Some(0)),
        ("null", None),
        ("\"soon\"", None),
        ("1e300", None),
        ("[]", None),
    ] {
        let found =
            read(200, &format!(r#"{{"access_token":"a","token_type":"bearer","expires_in":{member}}}"#)).unwrap();
        assert_eq!(found.expires_in().map(|time| time.as_secs()), expected, "{member}");
    }
}

#[test]
fn kinds() {
    for (kind, expected) in [
        (r#","token_type":"Bearer""#, Some(TokenKind::Bearer)),
        (r#","token_type":"BEARER""#, Some(TokenKind::Bearer)),
        (r#","token_type":"DPoP""#, Some(TokenKind::Dpop)),
        (r#","token_type":null"#, Some(TokenKind::Bearer)),
        ("", Some(TokenKind::Bearer)),
        (r#","token_type":"mac""#, None),
    ] {
        assert_eq!(
            read(200, &format!(r#"{{"access_token":"a"{kind}}}"#)).ok().map(|found| *found.token_type()),
            expected,
            "{kind}"
        );
    }
}

#[test]
fn every_successful_status_is_success() {
    for status in [200, 201, 203] {
        assert_eq!(
            read(status, r#"{"access_token":"a","refresh_token":""}"#)
                .unwrap()
                .refresh_token()
                .map(oauth2::RefreshToken::secret),
            None
        );
    }
}

#[test]
fn errors_say_what_the_server_said_without_what_was_sent() {
    for (status, body, expected) in [
        (
            400,
            r#"{"error":"invalid_grant","error_description":"canary-refresh was used"}"#,
            "`https://as.example/token` answered 400 `invalid_grant`: [redacted] was used",
        ),
        (
            400,
            r#"{"error":"invalid_grant","error_description":null}"#,
            "`https://as.example/token` answered 400 `invalid_grant`",
        ),
        (200, r#"{"error":"invalid_client"}"#, "`https://as.example/token` answered 200 `invalid_client`"),
        (502, "<html>canary-refresh</html>", "`https://as.example/token` answered 502, expected a token"),
        (200, "<html>", "`https://as.example/token` answered 200, expected a token"),
        (200, r#"{"access_token":""}"#, "`https://as.example/token` answered 200, expected a token"),
        (200, r#"["access_token"]"#, "`https://as.example/token` answered 200, expected a token"),
        (307, "", "`https://as.example/token` answered 307, expected a token"),
    ] {
        let error = read(status, body).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }
}

#[test]
fn only_faults_of_the_server_are_transient() {
    for (status, body, transient) in [
        (400, r#"{"error":"invalid_grant"}"#, false),
        (429, r#"{"error":"slow_down"}"#, true),
        (503, r#"{"error":"temporarily_unavailable"}"#, true),
        (502, "<html>", true),
        (404, "<html>", false),
    ] {
        assert_eq!(read(status, body).unwrap_err().is_transient(), transient, "{status} {body}");
    }
}

#[test]
fn debug_of_an_answer_shows_no_token() {
    let found = read(200, r#"{"access_token":"canary-a","refresh_token":"canary-r","expires_in":1}"#).unwrap();
    assert_eq!(found.expires_in(), Some(Duration::from_secs(1)));
    assert!(!format!("{found:?}").contains("canary"), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_is_read(status in 100u16..600, body in ".{0,200}") {
        // Either way an answer comes back; a body that is no JSON object never becomes a token.
        prop_assert!(read(status, &body).is_err());
    }
}
