//! The form in which credentials and named secrets lie in a store.
//!
//! This is the only place where a secret is serialised.

use serde::{Deserialize, Serialize};
use url::Url;
use zeroize::Zeroizing;

use crate::authorization::Authorization;
use crate::challenge::Challenge;
use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::credential::{Account, Credential, Slot, Tokens};
use crate::error::LoginReason;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::store::PendingLogin;
use crate::store::secrets::SecretName;
use crate::timestamp::Timestamp;
use crate::token_response::TokenKind;

/// The version this crate writes. A record of a later one is left alone.
const VERSION: u32 = 1;

/// Why bytes are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// They are not what this crate writes.
    Corrupt,
    /// A later version of this crate wrote them.
    Newer,
}

impl Unreadable {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Corrupt => "it does not read back",
            Self::Newer => "a later version of this program wrote it",
        }
    }
}

pub(crate) fn write_credential(credential: &Credential) -> Zeroizing<Vec<u8>> {
    write(&KeptCredential(credential.clone()))
}

pub(crate) fn read_credential(bytes: &[u8]) -> Result<Credential, Unreadable> {
    read::<KeptCredential>(bytes).map(|kept| kept.0)
}

pub(crate) fn write_pending(pending: &PendingLogin) -> Zeroizing<Vec<u8>> {
    write(&KeptPending(pending.clone()))
}

pub(crate) fn read_pending(bytes: &[u8]) -> Result<PendingLogin, Unreadable> {
    read::<KeptPending>(bytes).map(|kept| kept.0)
}

pub(crate) fn write_secret(name: &SecretName, secret: &Secret) -> Zeroizing<Vec<u8>> {
    write(&SecretRecord { owner: name.owner.clone(), name: name.name.clone(), secret: secret.clone() })
}

pub(crate) fn read_secret(bytes: &[u8]) -> Result<(SecretName, Secret), Unreadable> {
    let SecretRecord { owner, name, secret } = read(bytes)?;
    Ok((SecretName { owner, name }, secret))
}

/// Only the version is read first, so that a later version's record is told from a corrupt one.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[derive(Serialize)]
struct Written<'a, T> {
    version: u32,
    #[serde(flatten)]
    record: &'a T,
}

fn write<T: Serialize>(record: &T) -> Zeroizing<Vec<u8>> {
    let written = serde_json::to_vec_pretty(&Written { version: VERSION, record });
    Zeroizing::new(written.expect("a record holds nothing that JSON cannot"))
}

fn read<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T, Unreadable> {
    match serde_json::from_slice::<Versioned>(bytes) {
        Ok(found) if found.version > VERSION => Err(Unreadable::Newer),
        Ok(_) => serde_json::from_slice(bytes).map_err(|_source| Unreadable::Corrupt),
        Err(_) => Err(Unreadable::Corrupt),
    }
}

// The types that hold secrets do not serialise; what follows says member by member how they are kept.

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct KeptCredential(#[serde(with = "CredentialRecord")] Credential);

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct KeptPending(#[serde(with = "PendingRecord")] PendingLogin);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Slot")]
struct SlotRecord {
    #[serde(rename = "server_url")]
    server: Resource,
    account: Account,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Credential")]
struct CredentialRecord {
    #[serde(flatten, with = "SlotRecord")]
    slot: Slot,
    server: AuthorizationServer,
    #[serde(with = "ClientRecord")]
    client: Client,
    resource: Option<String>,
    #[serde(with = "tokens")]
    tokens: Option<Tokens>,
    #[serde(with = "exposed::optional")]
    proof_key: Option<Secret>,
    refused: Option<LoginReason>,
    #[serde(default)]
    refusals: u32,
    #[serde(default)]
    refused_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    challenge: Option<Challenge>,
    #[serde(default, skip_serializing_if = "Scopes::is_empty")]
    missing: Scopes,
    generation: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Client")]
struct ClientRecord {
    id: String,
    #[serde(with = "exposed::optional")]
    secret: Option<Secret>,
    authentication: ClientAuthentication,
    origin: ClientOrigin,
    redirect_uri: Option<String>,
    secret_expires_at: Option<Timestamp>,
    #[serde(with = "management")]
    management: Option<(Url, Secret)>,
    refused: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Tokens")]
struct TokensRecord {
    #[serde(with = "exposed")]
    access_token: Secret,
    kind: TokenKind,
    #[serde(with = "exposed::optional")]
    refresh_token: Option<Secret>,
    expires_at: Option<Timestamp>,
    obtained_at: Timestamp,
    requested: Scopes,
    granted: Scopes,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PendingLogin")]
struct PendingRecord {
    #[serde(flatten, with = "SlotRecord")]
    slot: Slot,
    #[serde(flatten, with = "AuthorizationRecord")]
    authorization: Authorization,
    #[serde(with = "exposed::optional")]
    proof_key: Option<Secret>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    challenge: Option<Challenge>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Authorization")]
struct AuthorizationRecord {
    server: AuthorizationServer,
    #[serde(with = "ClientRecord")]
    client: Client,
    redirect_uri: String,
    scopes: Scopes,
    resource: Option<String>,
    #[serde(with = "exposed")]
    state: Secret,
    #[serde(with = "exposed")]
    verifier: Secret,
}

#[derive(Serialize, Deserialize)]
struct SecretRecord {
    owner: Option<String>,
    name: String,
    #[serde(with = "exposed")]
    secret: Secret,
}

/// A secret that is written as it is.
mod exposed {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::secret::Secret;

    pub(super) fn serialize<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(secret.expose())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret::new)
    }

    pub(in crate::record) mod optional {
        use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

        use crate::secret::Secret;

        #[expect(clippy::ref_option, reason = "serde hands it over like this")]
        pub(in crate::record) fn serialize<S: Serializer>(
            secret: &Option<Secret>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            secret.as_ref().map(Secret::expose).serialize(serializer)
        }

        pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Secret>, D::Error> {
            Ok(Option::<String>::deserialize(deserializer)?.map(Secret::new))
        }
    }
}

mod tokens {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::TokensRecord;
    use crate::credential::Tokens;

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Kept(#[serde(with = "TokensRecord")] Tokens);

    #[expect(clippy::ref_option, reason = "serde hands it over like this")]
    pub(super) fn serialize<S: Serializer>(tokens: &Option<Tokens>, serializer: S) -> Result<S::Ok, S::Error> {
        tokens.clone().map(Kept).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Tokens>, D::Error> {
        Ok(Option::<Kept>::deserialize(deserializer)?.map(|kept| kept.0))
    }
}

mod management {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use url::Url;

    use crate::secret::Secret;

    type Management = Option<(Url, Secret)>;

    pub(super) fn serialize<S: Serializer>(management: &Management, serializer: S) -> Result<S::Ok, S::Error> {
        management.as_ref().map(|(url, token)| (url, token.expose())).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Management, D::Error> {
        let kept = Option::<(Url, String)>::deserialize(deserializer)?;
        Ok(kept.map(|(url, token)| (url, Secret::new(token))))
    }
}

#[cfg(test)]
mod tests;
