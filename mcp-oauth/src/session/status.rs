//! The status of one session.

use crate::error::Error;
use crate::session::Session;
use crate::status::Status;

impl Session {
    /// How this session's login stands. Nothing is asked of any server.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn status(&self) -> Result<Status, Error> {
        let shared = &*self.shared;
        let now = shared.clock.now();
        let stored = shared.last_login().await?;
        Ok(match stored {
            Some(credential) => Status::of(&credential, shared.store.kind(), now),
            None => Status::logged_out(&shared.slot, shared.store.kind()),
        })
    }
}
