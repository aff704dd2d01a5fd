//! What a person looks at before they approve it.

use std::collections::BTreeSet;

use mcp_registry::{Difference, Pin};

use crate::client::Client;
use crate::error::Error;
use crate::offered::Offered;
use crate::server::Link;

/// What of a connected server is not as it was approved, as it was when [`Client::review`] asked.
///
/// What is [approved](Client::approve) is exactly this: a server that changes in between has changed since it was approved.
#[derive(Debug)]
pub struct Review {
    pub(crate) server: String,
    pub(crate) link: Link,
    pub(crate) offered: Offered,
    differences: Vec<Difference>,
}

impl Review {
    /// The server's name.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// What a person would approve: tools, prompts, instructions; each sorted by name. Nothing, if all is approved.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Whether the server has this tool, by its own name for it, or had it when it was approved.
    pub fn has_tool(&self, tool: &str) -> bool {
        let differs = self.differences.iter().any(|difference| difference.pin == Pin::Tool(tool.to_owned()));
        differs || self.offered.tools.iter().any(|offered| offered.name == tool)
    }
}

impl Client {
    /// Lists what a connected server offers, and compares it with what was approved.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`], [`Error::NotConnected`], or [`Error::Connect`] when it cannot be listed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn review(&self, server: &str) -> Result<Review, Error> {
        let server = self.server(server)?;
        let link = server.living_link()?;
        let offered = server.listed(&link).await?;
        let differences = self.shared.pins.differences(&server.subject(&offered, &link.connection));
        Ok(Review { server: server.name().to_owned(), link, offered, differences })
    }

    /// Takes what a review shows for approved, and all of it: tools, prompts, instructions.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`], or [`Error::Pins`] when that cannot be kept; then what was approved before still counts.
    pub fn approve(&self, review: &Review) -> Result<(), Error> {
        let server = self.server(&review.server)?;
        let kept = self.shared.pins.approve(&server.subject(&review.offered, &review.link.connection));
        kept.map_err(|source| Error::Pins { server: review.server.clone(), source })?;
        self.settle(review)
    }

    /// Takes these tools for approved as a review shows them, by the server's names for them, and nothing else. One that is
    /// gone is forgotten.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTool`] for one that the server neither has nor had; otherwise as for [`approve`](Self::approve).
    pub fn approve_some<'a>(&self, review: &Review, tools: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        let server = self.server(&review.server)?;
        let tools: BTreeSet<&str> = tools.into_iter().collect();
        if let Some(unknown) = tools.iter().find(|tool| !review.has_tool(tool)) {
            return Err(Error::UnknownTool {
                reference: format!("{}.{unknown}", review.server),
                nearest: Vec::new(),
                unavailable: Vec::new(),
            });
        }
        let subject = server.subject(&review.offered, &review.link.connection);
        let kept = self.shared.pins.approve_tools(&subject, &tools);
        kept.map_err(|source| Error::Pins { server: review.server.clone(), source })?;
        self.settle(review)
    }

    /// Offers what was reviewed as it now stands. Should the server have changed in between, it says so itself, and is listed
    /// anew for that.
    fn settle(&self, review: &Review) -> Result<(), Error> {
        let server = self.server(&review.server)?;
        let tools = server.settle(&review.link, &review.offered, &self.shared);
        self.announce(|known| known.replace_server(tools));
        Ok(())
    }

    /// Takes a connected server as it is now for approved: its tools, its prompts, its instructions.
    ///
    /// # Errors
    ///
    /// As for [`review`](Self::review) and [`approve`](Self::approve).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future approves nothing, or all.
    pub async fn approve_tools(&self, server: &str) -> Result<(), Error> {
        let review = self.review(server).await?;
        self.approve(&review)
    }
}
