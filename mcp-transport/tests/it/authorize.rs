//! The login hook: what it sees, what it may ask for, and where it ends.

use std::sync::{Arc, Mutex};

use mcp_testkit::{HttpAnswer, HttpPeer, legacy_http};
use mcp_transport::{
    Authorize, BoxFuture, Cause, Endpoint, Error, HttpOptions, RequestHead, ResponseHead, Verdict, connect,
};

use crate::support::{options, serve};

/// Renews its token on 401 and picks up a nonce from any response, as `DPoP` needs it.
#[derive(Default)]
struct Login {
    state: Mutex<State>,
    gives_up: bool,
}

#[derive(Default)]
struct State {
    token: u32,
    nonce: String,
    signed: Vec<String>,
}

impl Authorize for Login {
    fn prepare<'a>(&'a self, request: &'a mut RequestHead) -> BoxFuture<'a, Result<(), Cause>> {
        Box::pin(async move {
            let mut state = self.state.lock().expect("unpoisoned");
            let proof = format!("{} {} {}", request.method, request.url.path(), state.nonce);
            request.headers.insert("dpop", proof.parse()?);
            request.headers.insert("authorization", format!("Bearer t{}", state.token).parse()?);
            state.signed.push(proof);
            Ok(())
        })
    }

    fn inspect<'a>(
        &'a self,
        _request: &'a RequestHead,
        response: &'a ResponseHead,
    ) -> BoxFuture<'a, Result<Verdict, Cause>> {
        Box::pin(async move {
            let mut state = self.state.lock().expect("unpoisoned");
            if let Some(nonce) = response.headers.get("dpop-nonce") {
                nonce.to_str()?.clone_into(&mut state.nonce);
            }
            if response.status != 401 {
                return Ok(Verdict::Accept);
            }
            if self.gives_up {
                return Err("the user closed the window".into());
            }
            state.token += 1;
            Ok(Verdict::Retry)
        })
    }
}

fn endpoint(server: &HttpPeer, login: &Arc<Login>) -> Endpoint {
    Endpoint::Http(HttpOptions::new(server.url("/mcp")).with_authorize(login.clone()))
}

#[tokio::test]
async fn a_refused_request_is_signed_anew() {
    let server = serve(|request| {
        if request.header("authorization") == Some("Bearer t2") {
            return legacy_http(request).header("dpop-nonce", "n2");
        }
        HttpAnswer::new(401).header("www-authenticate", "DPoP").header("dpop-nonce", "n1")
    });
    let server = server.await;
    let login = Arc::new(Login::default());
    let connection = connect(endpoint(&server, &login), options()).await.expect("a connection");
    connection.call_tool("echo", None).await.expect("a result");
    let signed = login.state.lock().expect("unpoisoned").signed.clone();
    assert_eq!(signed[..4], ["POST /mcp ", "POST /mcp n1", "POST /mcp n1", "POST /mcp n2"]);
}

#[tokio::test]
async fn a_server_that_is_never_satisfied_is_not_asked_for_ever() {
    let server = serve(|_| HttpAnswer::new(401)).await;
    let error = connect(endpoint(&server, &Arc::default()), options()).await.expect_err("never satisfied");
    assert!(error.is_auth_required(), "{error:?}");
    assert_eq!(server.requests().len(), 4, "one request and three more");
}

#[tokio::test]
async fn a_failed_login_is_the_cause() {
    let server = serve(|_| HttpAnswer::new(401)).await;
    let login = Arc::new(Login { gives_up: true, ..Login::default() });
    let error = connect(endpoint(&server, &login), options()).await.expect_err("no login");
    assert!(matches!(error, Error::Authorize { .. }), "{error:?}");
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(cause.as_deref(), Some("the user closed the window"));
}

#[tokio::test]
async fn a_login_does_not_travel_over_plain_http_beyond_this_machine() {
    let options_elsewhere = HttpOptions::new("http://example.com/mcp").with_authorize(Arc::<Login>::default());
    let error = connect(Endpoint::Http(options_elsewhere), options()).await.expect_err("refused before any request");
    assert!(matches!(error, Error::InvalidOption { option: "url", .. }), "{error:?}");
}
