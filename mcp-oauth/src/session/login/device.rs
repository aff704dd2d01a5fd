//! Logging in on another device.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::Error;
use crate::scrub::scrub;
use crate::session::Shared;
use crate::session::login::Attempt;
use crate::token_endpoint::{DeviceAuthorization, Grant};
use crate::token_response::TokenResponse;

/// How much longer to wait between questions after `slow_down`
/// ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)).
const SLOWER_BY: Duration = Duration::from_secs(5);

/// Shortest time between questions, whatever the server says.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time between questions, and longest login, whatever the server says.
const LONGEST_INTERVAL: Duration = Duration::from_mins(1);
const LONGEST_LOGIN: Duration = Duration::from_mins(30);

impl Shared {
    pub(super) async fn start_device(&self, attempt: &Attempt) -> Result<DeviceAuthorization, Error> {
        let authorization = &attempt.authorization;
        self.endpoint(attempt).start_device(&authorization.scopes, authorization.resource.as_deref()).await
    }

    /// Asks until the person has answered on the other device.
    pub(super) async fn poll_device(
        &self,
        attempt: &Attempt,
        device: &DeviceAuthorization,
    ) -> Result<TokenResponse, Error> {
        let lifetime = device.expires_in.min(LONGEST_LOGIN);
        let end = Instant::now() + lifetime;
        let mut interval = device.interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
        loop {
            sleep(interval).await;
            if Instant::now() >= end {
                return Err(Error::TimedOut { what: "the login on the other device", after: lifetime });
            }
            match self.request(attempt, Grant::DeviceCode(&device.device_code)).await {
                Err(Error::Refused { code, .. }) if code == "authorization_pending" => {}
                Err(Error::Refused { code, .. }) if code == "slow_down" => {
                    interval = (interval + SLOWER_BY).min(LONGEST_INTERVAL);
                }
                Err(Error::Refused { code, description, .. }) if code == "access_denied" || code == "expired_token" => {
                    let secrets = [&device.device_code];
                    return Err(Error::Denied { code, description: description.map(|words| scrub(&words, &secrets)) });
                }
                // A connection that fails is tried again, more slowly each time (§3.5).
                Err(error) if error.is_transient() => interval = (interval * 2).min(LONGEST_INTERVAL),
                result => return result,
            }
        }
    }
}
