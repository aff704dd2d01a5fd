//! Servers whose definition has an `Authorization` header of its own.

use mcp_config::{Activated, Launch};
use mcp_transport::{Authorize, BoxFuture, Cause, RequestHead, ResponseHead, Verdict};

/// Says what is wrong when the header is refused. A login would not help: the header would still be the one that is sent.
pub(super) struct OwnHeader;

/// The server refused the `Authorization` header of its definition.
#[derive(Debug, thiserror::Error)]
#[error("the `Authorization` header of its definition was refused (HTTP {status})")]
pub(crate) struct HeaderRefused {
    status: u16,
}

impl OwnHeader {
    /// Whether the definition signs its requests itself.
    pub(super) fn is_in(activated: &Activated) -> bool {
        match &activated.launch {
            Launch::Stdio { .. } => false,
            Launch::Http { headers, .. } | Launch::Sse { headers, .. } | Launch::HttpAuto { headers, .. } => {
                headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
            }
        }
    }
}

impl Authorize for OwnHeader {
    fn prepare<'a>(&'a self, _request: &'a mut RequestHead) -> BoxFuture<'a, Result<(), Cause>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn inspect<'a>(
        &'a self,
        _request: &'a RequestHead,
        response: &'a ResponseHead,
    ) -> BoxFuture<'a, Result<Verdict, Cause>> {
        let verdict = match response.status.as_u16() {
            status @ 401 => Err(HeaderRefused { status }.into()),
            _ => Ok(Verdict::Accept),
        };
        Box::pin(std::future::ready(verdict))
    }
}
