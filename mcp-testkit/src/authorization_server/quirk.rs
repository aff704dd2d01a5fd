//! How an authorization server differs from a good one.

use std::sync::Arc;

use tokio::sync::Notify;

/// A lasting difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Quirk {
    /// Knows client metadata documents, and takes any URL as the identifier of one.
    AcceptsClientDocuments,
    /// Announces that redirects carry the issuer.
    AnnouncesIssuer,
    /// Gives every registered client a secret, to be sent by HTTP Basic.
    ConfidentialBasic,
    /// Gives every registered client a secret, to be sent in the body.
    ConfidentialPost,
    /// Answers a token request with 201.
    CreatedStatus,
    /// Demands a nonce in every proof.
    DemandsNonce,
    /// Binds every token to a key.
    DemandsProof,
    /// The person says no.
    Denies,
    /// Does not repeat the refresh token when it stays the same.
    KeepsRefreshTokens,
    /// Gives secrets that end in 1970.
    SecretsEnd,
    /// The token endpoint is elsewhere, and nothing is where it was.
    MovedTokenEndpoint,
    /// The metadata does not say that codes are protected.
    NoCodeChallenges,
    /// Token responses name no lifetime.
    NoLifetime,
    /// Token responses have no refresh token.
    NoRefreshToken,
    /// Clients cannot register themselves.
    NoRegistration,
    /// The protected resource publishes nothing about itself.
    NoResourceMetadata,
    /// Tokens cannot be given back.
    NoRevocation,
    /// Nothing is published; the endpoints are those of MCP 2025-03-26.
    NothingPublished,
    /// Errors have an `error_description` that is `null`.
    NullDescription,
    /// Refuses a request that has a `resource`, as Microsoft Entra does.
    RefusesResource,
    /// Refuses to register a client that names scopes.
    RefusesScopes,
    /// The issuer ends with a slash in the resource's metadata and not in its own.
    SlashedIssuer,
    /// Refuses every renewal with `invalid_grant` and ends nothing.
    RefusesRenewal,
    /// Names another issuer in redirects.
    WrongRedirectIssuer,
    /// Names another issuer in the metadata.
    WrongMetadataIssuer,
    /// The protected resource's metadata is about another server.
    WrongResource,
}

/// What happens to one token request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// This status with this body, and nothing is done.
    Status(u16, String),
    /// An HTML page with this status, and nothing is done.
    Page(u16),
    /// A redirect to this URL, and nothing is done.
    Redirect(String),
    /// The request is done, and the answer is held back until the bell rings.
    Late(Arc<Notify>),
}
