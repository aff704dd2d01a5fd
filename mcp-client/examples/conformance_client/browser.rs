//! A browser whose person is logged in everywhere and consents at once.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_client::oauth::{BoxFuture, Error, Interaction, Prompt, Web};

/// Follows an authorization URL as far as the redirect that ends the login, and hands that on as if it were pasted.
#[derive(Debug)]
pub(crate) struct Browser {
    web: Arc<dyn Web>,
    ended_at: Mutex<Option<String>>,
}

impl Browser {
    pub(crate) fn new(web: Arc<dyn Web>) -> Self {
        Self { web, ended_at: Mutex::default() }
    }

    async fn visit(&self, url: &str) -> Result<(), Error> {
        let unreachable = |source| Error::Unreachable { url: url.to_owned(), source: Box::new(source) };
        let request = http::Request::get(url).body(Vec::new()).map_err(unreachable)?;
        let answer = self.web.send(request).await?;
        let location = answer.headers().get(http::header::LOCATION).and_then(|location| location.to_str().ok());
        let location = location.ok_or_else(|| Error::UnexpectedAnswer {
            url: url.to_owned(),
            status: answer.status().as_u16(),
            expected: "a redirect",
        })?;
        *self.ended_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(location.to_owned());
        Ok(())
    }
}

impl Interaction for Browser {
    fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            match prompt {
                Prompt::Open { url, .. } => self.visit(url.as_str()).await,
                Prompt::NotAccepted { reason } => Err(Error::Denied { code: reason, description: None }),
                _ => Ok(()),
            }
        })
    }

    fn pasted(&self) -> BoxFuture<'_, String> {
        match self.ended_at.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(url) => Box::pin(std::future::ready(url)),
            None => Box::pin(std::future::pending()),
        }
    }
}
