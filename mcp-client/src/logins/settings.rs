//! What a server's definition says about logging in, in `mcp-oauth`'s words.

use std::sync::Arc;

use mcp_config::{Activated, LoginException, LoginFlow, LoginProof, LoginSecrets, OauthHints, ResourceHint};
use mcp_oauth::{
    Assertion, CallbackSettings, ClientAuthentication, ConfiguredClient, Error, Flow, IdentityProvider, LoginMethod,
    LoopbackHost, Proof, ResourceParameter, Scopes, Secret, Settings, SigningKey, SubjectKind,
};
use url::Url;

/// Expands the definition again, as it is approved: what a file or a keyring holds now.
pub(crate) type Reread = Arc<dyn Fn() -> Option<LoginSecrets<mcp_config::Secret>> + Send + Sync>;

/// What a server's definition says, on top of what is set for every server.
///
/// # Errors
///
/// The client's key is none, or an address is none.
pub(super) fn settings(base: &Settings, activated: &Activated, reread: &Reread) -> Result<Settings, Error> {
    let hints = &activated.oauth;
    let mut settings = base.clone();
    if let Some(id) = &hints.client_id {
        settings.client = Some(client(id, hints, &activated.login_secrets)?);
    }
    if !hints.scopes.is_empty() {
        settings.scopes = Some(hints.scopes.iter().map(String::as_str).collect::<Scopes>());
    }
    match &hints.resource {
        Some(ResourceHint::Omitted) => settings.resource = ResourceParameter::Omitted,
        Some(ResourceHint::Exactly(resource)) => settings.resource = ResourceParameter::Exactly(resource.clone()),
        None => {}
    }
    if let Some(uri) = hints.redirect_uri.as_deref().and_then(|uri| Url::parse(uri).ok()) {
        settings.callback = callback(&uri);
    }
    settings.callback.port = hints.callback_port.or(settings.callback.port);
    if let Some(url) = &hints.metadata_url {
        settings.metadata_url = Some(address(url)?);
    }
    settings.issuer = hints.issuer.clone().or(settings.issuer);
    settings.issuer_aliases.extend(hints.issuer_aliases.iter().cloned());
    settings.legacy_endpoints |= hints.legacy_endpoints;
    for exception in &hints.exceptions {
        match exception {
            LoginException::UnstatedCodeChallenges => settings.exceptions.unstated_code_challenges = true,
            LoginException::PrivateAddresses => settings.exceptions.private_addresses = true,
            _ => {}
        }
    }
    match hints.proof {
        Some(LoginProof::WhenOffered) => settings.proof = Proof::WhenOffered,
        Some(LoginProof::Always) => settings.proof = Proof::Always,
        _ => {}
    }
    flow(&mut settings, hints, activated, reread)?;
    Ok(settings)
}

fn client(id: &str, hints: &OauthHints, secrets: &LoginSecrets<mcp_config::Secret>) -> Result<ConfiguredClient, Error> {
    let mut client = ConfiguredClient::new(id);
    client.secret = secrets.client_secret.as_ref().map(secret);
    client.key = secrets.client_key.as_ref().map(|pem| SigningKey::from_pem(&secret(pem))).transpose()?;
    client.authentication = hints.client_authentication.and_then(|way| ClientAuthentication::parse(way.word()));
    Ok(client)
}

fn flow(settings: &mut Settings, hints: &OauthHints, activated: &Activated, reread: &Reread) -> Result<(), Error> {
    match hints.flow {
        LoginFlow::Device => settings.method = LoginMethod::Device,
        LoginFlow::ClientCredentials => settings.flow = Flow::ClientCredentials,
        LoginFlow::WorkloadIdentity => {
            settings.flow = Flow::WorkloadIdentity(assertion(reread, |secrets| secrets.assertion));
        }
        LoginFlow::EnterpriseManaged => {
            let Some(provider) = &hints.identity_provider else { return Ok(()) };
            let secrets = &activated.login_secrets;
            let (subject, subject_kind) = if secrets.id_token.is_some() {
                (assertion(reread, |secrets| secrets.id_token), SubjectKind::IdToken)
            } else {
                (assertion(reread, |secrets| secrets.refresh_token), SubjectKind::RefreshToken)
            };
            settings.flow = Flow::EnterpriseManaged(IdentityProvider {
                token_endpoint: address(&provider.token_endpoint)?,
                client_id: provider.client_id.clone(),
                client_secret: secrets.provider_secret.as_ref().map(secret),
                subject,
                subject_kind,
            });
        }
        _ => {}
    }
    Ok(())
}

fn assertion(reread: &Reread, of: fn(LoginSecrets<mcp_config::Secret>) -> Option<mcp_config::Secret>) -> Assertion {
    let reread = Arc::clone(reread);
    let missing = || Error::Key { what: "statement of the definition", reason: "it is not there any more" };
    Assertion::new(move || reread().and_then(of).as_ref().map(secret).ok_or_else(missing))
}

fn secret(secret: &mcp_config::Secret) -> Secret {
    Secret::new(secret.expose())
}

fn address(text: &str) -> Result<Url, Error> {
    // What does not parse is shown by nobody: it may hold anything.
    let url = || "the address in the definition".to_owned();
    Url::parse(text).map_err(|_source| Error::UnsafeUrl { url: url(), reason: "it is no URL" })
}

fn callback(uri: &Url) -> CallbackSettings {
    let host = match uri.host_str() {
        Some("127.0.0.1") => Some(LoopbackHost::V4),
        Some("[::1]") => Some(LoopbackHost::V6),
        Some("localhost") => Some(LoopbackHost::Name),
        _ => None,
    };
    match host {
        Some(host) => {
            CallbackSettings { host, port: uri.port(), path: uri.path().to_owned(), ..CallbackSettings::default() }
        }
        None => CallbackSettings { public_uri: Some(uri.clone()), ..CallbackSettings::default() },
    }
}
