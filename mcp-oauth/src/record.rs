//! The form in which credentials and named secrets lie in a store.
//!
//! This is the only place where a secret is serialised.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;
use zeroize::Zeroizing;

use crate::authorization::Authorization;
use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::credential::{Account, Credential, Slot, Tokens};
use crate::error::LoginReason;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::secret::Secret;
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
    write(&CredentialRecord::from(credential.clone()))
}

pub(crate) fn read_credential(bytes: &[u8]) -> Result<Credential, Unreadable> {
    read::<CredentialRecord>(bytes).map(Credential::from)
}

pub(crate) fn write_authorization(
    slot: &Slot,
    authorization: &Authorization,
    proof_key: Option<&Secret>,
) -> Zeroizing<Vec<u8>> {
    write(&AuthorizationRecord {
        server_url: slot.server.clone(),
        account: slot.account.clone(),
        server: authorization.server.clone(),
        client: authorization.client.clone().into(),
        redirect_uri: authorization.redirect_uri.clone(),
        scopes: authorization.scopes.clone(),
        resource: authorization.resource.clone(),
        state: Exposed(authorization.state.clone()),
        verifier: Exposed(authorization.verifier.clone()),
        proof_key: proof_key.cloned().map(Exposed),
    })
}

pub(crate) fn read_authorization(bytes: &[u8]) -> Result<(Slot, Authorization, Option<Secret>), Unreadable> {
    let record: AuthorizationRecord = read(bytes)?;
    let slot = Slot::new(record.server_url, record.account);
    let authorization = Authorization {
        server: record.server,
        client: record.client.into(),
        redirect_uri: record.redirect_uri,
        scopes: record.scopes,
        resource: record.resource,
        state: record.state.0,
        verifier: record.verifier.0,
    };
    Ok((slot, authorization, record.proof_key.map(|key| key.0)))
}

pub(crate) fn write_secret(name: &SecretName, secret: &Secret) -> Zeroizing<Vec<u8>> {
    write(&SecretRecord { owner: name.owner.clone(), name: name.name.clone(), secret: Exposed(secret.clone()) })
}

pub(crate) fn read_secret(bytes: &[u8]) -> Result<(SecretName, Secret), Unreadable> {
    let SecretRecord { owner, name, secret } = read(bytes)?;
    Ok((SecretName { owner, name }, secret.0))
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

/// A secret that is written as it is.
struct Exposed(Secret);

impl Serialize for Exposed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.expose())
    }
}

impl<'de> Deserialize<'de> for Exposed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Secret::new(text)))
    }
}

#[derive(Serialize, Deserialize)]
struct CredentialRecord {
    server_url: Resource,
    account: Account,
    server: AuthorizationServer,
    client: ClientRecord,
    resource: Option<String>,
    tokens: Option<TokensRecord>,
    proof_key: Option<Exposed>,
    refused: Option<Refusal>,
    generation: u64,
}

/// The reasons that are stored; the others are found out anew each time.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Refusal {
    Refresh,
    Client,
}

#[derive(Serialize, Deserialize)]
struct ClientRecord {
    id: String,
    secret: Option<Exposed>,
    authentication: ClientAuthentication,
    origin: ClientOrigin,
    redirect_uri: Option<String>,
    secret_expires_at: Option<Timestamp>,
    management: Option<(Url, Exposed)>,
    refused: bool,
}

#[derive(Serialize, Deserialize)]
struct TokensRecord {
    access_token: Exposed,
    kind: TokenKind,
    refresh_token: Option<Exposed>,
    expires_at: Option<Timestamp>,
    obtained_at: Timestamp,
    requested: Scopes,
    granted: Scopes,
}

#[derive(Serialize, Deserialize)]
struct AuthorizationRecord {
    server_url: Resource,
    account: Account,
    server: AuthorizationServer,
    client: ClientRecord,
    redirect_uri: String,
    scopes: Scopes,
    resource: Option<String>,
    state: Exposed,
    verifier: Exposed,
    proof_key: Option<Exposed>,
}

#[derive(Serialize, Deserialize)]
struct SecretRecord {
    owner: Option<String>,
    name: String,
    secret: Exposed,
}

impl From<Credential> for CredentialRecord {
    fn from(credential: Credential) -> Self {
        Self {
            server_url: credential.slot.server,
            account: credential.slot.account,
            server: credential.server,
            client: credential.client.into(),
            resource: credential.resource,
            tokens: credential.tokens.map(TokensRecord::from),
            proof_key: credential.proof_key.map(Exposed),
            refused: credential.refused.map(|reason| match reason {
                LoginReason::ClientUnknown => Refusal::Client,
                _ => Refusal::Refresh,
            }),
            generation: credential.generation,
        }
    }
}

impl From<CredentialRecord> for Credential {
    fn from(record: CredentialRecord) -> Self {
        Self {
            slot: Slot::new(record.server_url, record.account),
            server: record.server,
            client: record.client.into(),
            resource: record.resource,
            tokens: record.tokens.map(Tokens::from),
            proof_key: record.proof_key.map(|key| key.0),
            refused: record.refused.map(|reason| match reason {
                Refusal::Client => LoginReason::ClientUnknown,
                Refusal::Refresh => LoginReason::RefreshRefused,
            }),
            generation: record.generation,
        }
    }
}

impl From<Client> for ClientRecord {
    fn from(client: Client) -> Self {
        Self {
            id: client.id,
            secret: client.secret.map(Exposed),
            authentication: client.authentication,
            origin: client.origin,
            redirect_uri: client.redirect_uri,
            secret_expires_at: client.secret_expires_at,
            management: client.management.map(|(url, token)| (url, Exposed(token))),
            refused: client.refused,
        }
    }
}

impl From<ClientRecord> for Client {
    fn from(record: ClientRecord) -> Self {
        Self {
            id: record.id,
            secret: record.secret.map(|secret| secret.0),
            authentication: record.authentication,
            origin: record.origin,
            redirect_uri: record.redirect_uri,
            secret_expires_at: record.secret_expires_at,
            management: record.management.map(|(url, token)| (url, token.0)),
            refused: record.refused,
        }
    }
}

impl From<Tokens> for TokensRecord {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: Exposed(tokens.access_token),
            kind: tokens.kind,
            refresh_token: tokens.refresh_token.map(Exposed),
            expires_at: tokens.expires_at,
            obtained_at: tokens.obtained_at,
            requested: tokens.requested,
            granted: tokens.granted,
        }
    }
}

impl From<TokensRecord> for Tokens {
    fn from(record: TokensRecord) -> Self {
        Self {
            access_token: record.access_token.0,
            kind: record.kind,
            refresh_token: record.refresh_token.map(|token| token.0),
            expires_at: record.expires_at,
            obtained_at: record.obtained_at,
            requested: record.requested,
            granted: record.granted,
        }
    }
}

#[cfg(test)]
mod tests;
