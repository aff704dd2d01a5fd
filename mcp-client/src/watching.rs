//! Keeps the tools of a connected server as its server says they are.

use std::sync::Weak;

use mcp_transport::{Change, Changes};
use tokio::task::JoinHandle;

use crate::client::{Client, Shared};

/// The task that hears a server's changes. It ends with this, and so with the connection it belongs to.
#[derive(Debug)]
pub(crate) struct Watch(JoinHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Lists a server's tools anew whenever it says that they changed, and whenever it may have forgotten us and them.
///
/// A list that cannot be had leaves the tools as they were: the next change, or the next call, shows what is wrong.
pub(crate) fn watch(shared: Weak<Shared>, server: String, mut changes: Changes) -> Watch {
    Watch(tokio::spawn(async move {
        while let Some(change) = changes.next().await {
            if matches!(change, Change::Tools | Change::SessionRenewed) {
                // Nobody has the client any more: its servers end with it.
                let Some(shared) = shared.upgrade() else { return };
                if let Err(error) = (Client { shared }).refresh(&server).await {
                    tracing::warn!(server, error = %crate::error::chain(&error), "changed tools could not be listed");
                }
            }
        }
    }))
}
