//! The lines between `mcp-transport` and `mcp-oauth`.

use std::sync::Arc;

use mcp_oauth::{Exchange, Session};
use mcp_transport::{Authorize, BoxFuture, Cause, RequestHead, ResponseHead, Verdict};

/// Signs requests in with the login of one session: all that lies between `mcp-transport` and `mcp-oauth`.
///
/// A [`Client`](crate::Client) does this for every server. Whoever takes the two crates without it uses this, or copies it: it
/// is the body of [`prepare`](Authorize::prepare) and [`inspect`](Authorize::inspect), and nothing else.
///
/// ```
/// use std::sync::Arc;
///
/// use mcp_client::SignIn;
/// use mcp_client::oauth::{HttpsClient, MemoryStore, Reach, Session, SessionOptions};
/// use mcp_client::transport::{Endpoint, HttpOptions};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "https://mcp.example.com/mcp";
/// let web = Arc::new(HttpsClient::new(Reach::of(&url.parse()?))?);
/// let session = Arc::new(Session::new(SessionOptions::new(url.parse()?, Arc::new(MemoryStore::new()), web)));
/// let endpoint = Endpoint::Http(HttpOptions::new(url).with_authorize(Arc::new(SignIn::new(session))));
/// # drop(endpoint);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SignIn {
    session: Arc<Session>,
}

impl SignIn {
    /// Signs in with this session's login.
    pub fn new(session: Arc<Session>) -> Self {
        Self { session }
    }
}

impl Authorize for SignIn {
    fn prepare<'a>(&'a self, request: &'a mut RequestHead) -> BoxFuture<'a, Result<(), Cause>> {
        Box::pin(async { Ok(self.session.authorize(&request.method, &request.url, &mut request.headers).await?) })
    }

    fn inspect<'a>(
        &'a self,
        request: &'a RequestHead,
        response: &'a ResponseHead,
    ) -> BoxFuture<'a, Result<Verdict, Cause>> {
        Box::pin(async {
            let exchange = Exchange::new(&request.url, &request.headers, response.status, &response.headers);
            Ok(match self.session.answer(&exchange).await? {
                mcp_oauth::Verdict::Retry => Verdict::Retry,
                _ => Verdict::Accept,
            })
        })
    }
}
