//! What the suite's authorization servers were told about their client beforehand.

use mcp_client::oauth::{
    Assertion, ConfiguredClient, Exceptions, Flow, IdentityProvider, Proof, Secret, Settings, SigningKey, SubjectKind,
};
use serde_json::{Value, json};

use super::{Result, Task};

/// The URL of the client's metadata document, which the suite's servers know without fetching it.
const CLIENT_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// What a person would write under `oauth` in the server's definition.
pub(crate) fn hints(task: &Task) -> Value {
    if task.scenario == "auth/pre-registration" {
        json!({"clientId": task.context["client_id"], "clientSecret": task.context["client_secret"]})
    } else {
        json!({})
    }
}

/// What a program sets: who it is, and how it gets tokens where nobody logs in.
pub(crate) fn settings(task: &Task) -> Result<Settings> {
    let mut settings = Settings { client_document: Some(CLIENT_DOCUMENT.parse()?), ..Settings::default() };
    match task.scenario.strip_prefix("auth/").unwrap_or_default() {
        "client-credentials-basic" => {
            settings.client = Some(client(task)?.with_secret(secret(task, "client_secret")?));
            settings.flow = Flow::ClientCredentials;
        }
        "client-credentials-jwt" => {
            settings.client = Some(client(task)?.with_key(SigningKey::from_pem(&secret(task, "private_key_pem")?)?));
            settings.flow = Flow::ClientCredentials;
        }
        "wif-jwt-bearer" => {
            settings.client = Some(client(task)?);
            settings.flow = Flow::WorkloadIdentity(Assertion::fixed(secret(task, "valid_jwt")?));
        }
        "enterprise-managed-authorization" => {
            settings.client = Some(client(task)?.with_secret(secret(task, "client_secret")?));
            settings.flow = Flow::EnterpriseManaged(identity_provider(task)?);
        }
        "dpop" | "dpop-nonce" => settings.proof = Proof::Always,
        scenario if scenario.starts_with("2025-03-26") => {
            settings.legacy_endpoints = true;
            settings.exceptions = Exceptions { unstated_code_challenges: true, ..Exceptions::default() };
        }
        _ => {}
    }
    Ok(settings)
}

fn identity_provider(task: &Task) -> Result<IdentityProvider> {
    Ok(IdentityProvider {
        token_endpoint: text(task, "idp_token_endpoint")?.parse()?,
        client_id: text(task, "idp_client_id")?.to_owned(),
        client_secret: None,
        subject: Assertion::fixed(secret(task, "idp_id_token")?),
        subject_kind: SubjectKind::IdToken,
    })
}

fn client(task: &Task) -> Result<ConfiguredClient> {
    Ok(ConfiguredClient::new(text(task, "client_id")?))
}

fn secret(task: &Task, name: &str) -> Result<Secret> {
    Ok(Secret::new(text(task, name)?))
}

fn text<'a>(task: &'a Task, name: &str) -> Result<&'a str> {
    Ok(task.context[name].as_str().ok_or_else(|| format!("the suite's context has no `{name}`"))?)
}
