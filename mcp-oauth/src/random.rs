//! Random values, from the system's generator.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::Error;
use crate::secret::Secret;

/// 256 random bits as 43 characters that need no escaping: a state, a code verifier, a proof's identifier.
pub(crate) fn random_text() -> Result<Secret, Error> {
    let mut bytes = [0; 32];
    fill(&mut bytes)?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
}

pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    SystemRandom::new().fill(bytes).map_err(|_unspecified| Error::Key {
        what: "random number generator",
        reason: "the system gives no randomness",
    })
}
