//! Sealing what is written to disk.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::random::fill;
use crate::secret::Secret;

/// Bound to everything that is sealed, so that a record is of no use in another place or to another format.
const CONTEXT: &str = "mcp-oauth record 1 ";

/// A key of 256 bits that seals the records of a store (ChaCha20-Poly1305,
/// [RFC 8439](https://www.rfc-editor.org/rfc/rfc8439)).
///
/// Nonces are random: with 96 bits a key may seal billions of records before two are likely to meet.
#[derive(Clone)]
pub struct EncryptionKey(Zeroizing<[u8; 32]>);

impl EncryptionKey {
    /// A new key.
    ///
    /// # Errors
    ///
    /// [`Error::Key`] when the system gives no randomness.
    pub fn generate() -> Result<Self, Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        fill(&mut *bytes)?;
        Ok(Self(bytes))
    }

    /// The key that [`EncryptionKey::to_text`] wrote: 43 characters of base64url.
    ///
    /// # Errors
    ///
    /// [`Error::Key`] for any other text.
    pub fn from_text(text: &Secret) -> Result<Self, Error> {
        let refused = || Error::Key { what: "encryption key", reason: "it is not 32 bytes in base64url" };
        let bytes = URL_SAFE_NO_PAD.decode(text.expose().trim()).map(Zeroizing::new).map_err(|_source| refused())?;
        let bytes: [u8; 32] = bytes.as_slice().try_into().map_err(|_source| refused())?;
        Ok(Self(Zeroizing::new(bytes)))
    }

    /// The key as text, for a keyring or a CI secret.
    pub fn to_text(&self) -> Secret {
        Secret::new(URL_SAFE_NO_PAD.encode(*self.0))
    }

    /// Seals `plain` for the place `name`.
    pub(crate) fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE_LEN];
        fill(&mut nonce)?;
        let mut sealed = plain.to_vec();
        let failed = |_unspecified| Error::Key { what: "encryption key", reason: "it could not seal" };
        let aad = Aad::from(format!("{CONTEXT}{name}"));
        self.cipher()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .map_err(failed)?;
        let record = SealedRecord {
            sealed_version: 1,
            nonce: URL_SAFE_NO_PAD.encode(nonce),
            sealed: URL_SAFE_NO_PAD.encode(sealed),
        };
        Ok(serde_json::to_vec(&record).expect("two texts and a number are JSON"))
    }

    /// What [`EncryptionKey::seal`] sealed for the place `name`; `None` for anything else.
    pub(crate) fn open(&self, name: &str, stored: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let record: SealedRecord = serde_json::from_slice(stored).ok()?;
        let nonce = URL_SAFE_NO_PAD.decode(record.nonce).ok()?;
        let mut bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(record.sealed).ok()?);
        let nonce = Nonce::try_assume_unique_for_key(&nonce).ok()?;
        let aad = Aad::from(format!("{CONTEXT}{name}"));
        let length = self.cipher().ok()?.open_in_place(nonce, aad, &mut bytes).ok()?.len();
        bytes.truncate(length);
        Some(bytes)
    }

    fn cipher(&self) -> Result<LessSafeKey, Error> {
        let refused = |_unspecified| Error::Key { what: "encryption key", reason: "it is not 32 bytes" };
        UnboundKey::new(&CHACHA20_POLY1305, &*self.0).map(LessSafeKey::new).map_err(refused)
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EncryptionKey([redacted])")
    }
}

#[derive(Serialize, Deserialize)]
struct SealedRecord {
    sealed_version: u32,
    nonce: String,
    sealed: String,
}

#[cfg(test)]
mod tests;
