use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Request, Response};

use oauth2::TokenResponse as _;

use super::{Grant, TokenEndpoint, TokenRequest};
use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::settings::SubjectKind;
use crate::timestamp::Clock;
use crate::web::{BoxFuture, Web};

/// Answers everything with one token and keeps what was asked.
#[derive(Debug, Default)]
struct Recorder(Mutex<Vec<Request<Vec<u8>>>>);

impl Web for Recorder {
    fn send(&self, request: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>> {
        self.0.lock().unwrap().push(request);
        Box::pin(async { Ok(Response::new(br#"{"access_token":"a","token_type":"Bearer"}"#.to_vec())) })
    }
}

/// The authorization header and the body that a grant of a client makes.
async fn sent(client: &Client, request: TokenRequest<'_>) -> (String, String) {
    let server = AuthorizationServer::parse(br#"{"issuer":"https://as","token_endpoint":"https://as/token"}"#).unwrap();
    let (web, clock) = (Recorder::default(), Clock::system());
    TokenEndpoint::new(&web, &server, client, &clock).request(&request).await.unwrap();
    let request = web.0.into_inner().unwrap().remove(0);
    let header = request.headers().get("authorization");
    assert!(header.is_none_or(http::HeaderValue::is_sensitive));
    let header = header.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    (header, String::from_utf8(request.into_body()).unwrap())
}

#[tokio::test]
async fn grants() {
    let client = Client::public("c", ClientOrigin::Registered);
    let (one, two) = (Secret::new("o&1"), Secret::new("t"));
    let code = Grant::AuthorizationCode { code: &one, verifier: &two, redirect_uri: "http://h/c" };
    let exchange = Grant::Exchange { subject: &one, kind: SubjectKind::IdToken, audience: "https://as2" };
    let urn = "urn%3Aietf%3Aparams%3Aoauth";
    for (grant, expected) in [
        (
            code,
            "grant_type=authorization_code&code=o%261&code_verifier=t&client_id=c&redirect_uri=http%3A%2F%2Fh%2Fc"
                .to_owned(),
        ),
        (Grant::RefreshToken(&one), "grant_type=refresh_token&refresh_token=o%261&client_id=c".to_owned()),
        (Grant::ClientCredentials, "grant_type=client_credentials&client_id=c".to_owned()),
        (Grant::JwtBearer(&one), format!("client_id=c&grant_type={urn}%3Agrant-type%3Ajwt-bearer&assertion=o%261")),
        (
            exchange,
            format!(
                "client_id=c&grant_type={urn}%3Agrant-type%3Atoken-exchange&requested_token_type={urn}%3Atoken-type%3Aid-jag\
                 &audience=https%3A%2F%2Fas2&subject_token=o%261&subject_token_type={urn}%3Atoken-type%3Aid_token"
            ),
        ),
    ] {
        assert_eq!(sent(&client, TokenRequest::new(grant)).await, (String::new(), expected));
    }
}

#[tokio::test]
async fn bug_10_resource_and_scopes_are_sent_as_they_are() {
    let client = Client::public("c", ClientOrigin::Registered);
    let scopes = Scopes::parse("a b");
    let mut request = TokenRequest::new(Grant::ClientCredentials);
    request.resource = Some("https://h");
    request.scopes = Some(&scopes);
    let (_, body) = sent(&client, request).await;
    assert_eq!(body, "grant_type=client_credentials&scope=a+b&client_id=c&resource=https%3A%2F%2Fh");
}

#[tokio::test]
async fn clients_prove_who_they_are() {
    let client = |method| Client::confidential("i:d", Secret::new("s/ä"), method, ClientOrigin::Configured);
    let grant = || TokenRequest::new(Grant::ClientCredentials);
    // RFC 6749 §2.3.1: form-encoded before they are joined.
    let basic = format!("Basic {}", STANDARD.encode("i%3Ad:s%2F%C3%A4"));
    assert_eq!(
        sent(&client(ClientAuthentication::ClientSecretBasic), grant()).await,
        (basic, "grant_type=client_credentials".to_owned())
    );
    assert_eq!(
        sent(&client(ClientAuthentication::ClientSecretPost), grant()).await,
        (String::new(), "grant_type=client_credentials&client_id=i%3Ad&client_secret=s%2F%C3%A4".to_owned())
    );
    assert_eq!(
        sent(&client(ClientAuthentication::None), grant()).await,
        (String::new(), "grant_type=client_credentials&client_id=i%3Ad".to_owned())
    );
}

#[tokio::test]
async fn a_method_without_its_means_is_an_error() {
    let server = AuthorizationServer::parse(br#"{"issuer":"https://as","token_endpoint":"https://as/token"}"#).unwrap();
    for method in [ClientAuthentication::ClientSecretBasic, ClientAuthentication::PrivateKeyJwt] {
        let mut client = Client::public("c", ClientOrigin::Configured);
        client.authentication = method;
        let (web, clock) = (Recorder::default(), Clock::system());
        let endpoint = TokenEndpoint::new(&web, &server, &client, &clock);
        let error = endpoint.request(&TokenRequest::new(Grant::ClientCredentials)).await.unwrap_err();
        assert!(matches!(error, Error::Key { .. }), "{error}");
        assert_eq!(web.0.lock().unwrap().len(), 0);
    }
}

/// Gives these answers, one after the other, and tells at what second each was asked for.
#[derive(Debug)]
struct Script {
    answers: Mutex<Vec<(u16, &'static str)>>,
    asked_at: Mutex<Vec<u64>>,
    start: tokio::time::Instant,
}

impl Web for Script {
    fn send(&self, _: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>> {
        self.asked_at.lock().unwrap().push(self.start.elapsed().as_secs());
        let (status, body) = self.answers.lock().unwrap().remove(0);
        Box::pin(async move { Ok(Response::builder().status(status).body(body.as_bytes().to_vec()).unwrap()) })
    }
}

/// The access token of a login on another device, or the error, and when the server was asked.
async fn polled(answers: &[(u16, &'static str)]) -> (Result<String, Error>, Vec<u64>) {
    let document = br#"{"issuer":"https://as","token_endpoint":"https://as/token","device_authorization_endpoint":"https://as/d"}"#;
    let (server, clock) = (AuthorizationServer::parse(document).unwrap(), Clock::system());
    let client = Client::public("c", ClientOrigin::Registered);
    // Google's name for the page, no end of the code, and both as other than the numbers they should be.
    let device = r#"{"device_code":"canary-device","user_code":"u","verification_url":"https://as/go","interval":"2"}"#;
    let answers = [&[(200, device)], answers].concat();
    let web = Script { answers: Mutex::new(answers), asked_at: Mutex::default(), start: tokio::time::Instant::now() };
    let endpoint = TokenEndpoint::new(&web, &server, &client, &clock);
    let device = endpoint.start_device(&Scopes::default(), None).await.unwrap();
    let answer = endpoint.poll_device(&device, None).await.map(|answer| answer.access_token().secret().clone());
    let asked_at = web.asked_at.lock().unwrap().clone();
    (answer, asked_at)
}

#[tokio::test(start_paused = true)]
async fn a_device_is_asked_about_more_slowly_when_the_server_wants_that_or_is_down() {
    let pending = (400, r#"{"error":"authorization_pending"}"#);
    let slow_down = (400, r#"{"error":"slow_down"}"#);
    let token = (201, r#"{"access_token":"a"}"#);
    let (answer, asked_at) = polled(&[pending, pending, slow_down, (503, "<html>"), token]).await;
    assert_eq!(answer.unwrap(), "a");
    assert_eq!(asked_at, [0, 0, 2, 4, 11, 25]);
}

#[tokio::test(start_paused = true)]
async fn what_is_final_about_a_device_ends_the_asking() {
    let (answer, asked_at) =
        polled(&[(400, r#"{"error":"access_denied","error_description":"no canary-device"}"#)]).await;
    let Err(Error::Denied { code, description }) = answer else { panic!("{answer:?}") };
    assert_eq!((code.as_str(), description.as_deref()), ("access_denied", Some("no [redacted]")));
    assert_eq!(asked_at.len(), 2);
    let (answer, _) = polled(&[(400, r#"{"error":"invalid_grant"}"#)]).await;
    assert!(answer.unwrap_err().is_invalid_grant());
    let (answer, _) = polled(&[(404, "<html>")]).await;
    assert!(matches!(answer.unwrap_err(), Error::UnexpectedAnswer { status: 404, .. }));
    let pending = [(400, r#"{"error":"authorization_pending"}"#); 400];
    let (answer, _) = polled(&pending).await;
    let Err(Error::TimedOut { after, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(after.as_secs(), 600);
}
