//! What a directory's files show to somebody who can read them.

use serde_json::json;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::secret::Secret;
use crate::store::StoreKind;
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::Keyring;

#[derive(Debug)]
pub(crate) enum Protection {
    /// Everything.
    Plain,
    /// Nothing without the key.
    Sealed(EncryptionKey),
    /// That there is an entry in the keyring.
    Entries(Keyring),
}

impl Protection {
    pub(crate) fn kind(&self) -> StoreKind {
        match self {
            Self::Plain => StoreKind::File,
            Self::Sealed(_) => StoreKind::EncryptedFile,
            Self::Entries(_) => StoreKind::Keyring,
        }
    }

    /// The bytes of the file `name` that stand for `plain`.
    pub(crate) fn seal(&self, name: &str, plain: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self {
            Self::Plain => Ok(Zeroizing::new(plain.to_vec())),
            Self::Sealed(key) => key.seal(name, plain).map(Zeroizing::new),
            Self::Entries(keyring) => {
                keyring.write(name, &Secret::new(String::from_utf8_lossy(plain)))?;
                Ok(Zeroizing::new(json!({"in_keyring": name}).to_string().into_bytes()))
            }
        }
    }

    /// What the file `name` stands for; `None` when it stands for nothing this protection has written.
    pub(crate) fn open(&self, name: &str, stored: &[u8]) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        match self {
            // The other two forms are JSON too; neither has the version that a record begins with.
            Self::Plain => {
                let other = serde_json::from_slice::<serde_json::Value>(stored)
                    .is_ok_and(|value| value.get("sealed_version").is_some() || value.get("in_keyring").is_some());
                Ok((!other).then(|| Zeroizing::new(stored.to_vec())))
            }
            Self::Sealed(key) => Ok(key.open(name, stored)),
            Self::Entries(keyring) => {
                let entry = keyring.read(name)?;
                Ok(entry.map(|text| Zeroizing::new(text.expose().as_bytes().to_vec())))
            }
        }
    }

    /// Removes what lies outside the file `name`.
    pub(crate) fn forget(&self, name: &str) -> Result<(), Error> {
        match self {
            Self::Plain | Self::Sealed(_) => Ok(()),
            Self::Entries(keyring) => keyring.delete(name),
        }
    }
}
