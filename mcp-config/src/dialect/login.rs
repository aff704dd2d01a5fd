//! What only this toolkit's own files say about logging in, under `oauth`.
//!
//! The keys that other hosts have as well are read as they read them. These are ours, and strict: an `issuer` or an exception
//! that is misspelt would make a login less safe than it was meant to be, so such an entry is not used.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::claude;
use super::fields::Fields;
use crate::document::{self, Node, Notation, Value};
use crate::login::{
    ClientAuthentication, IdentityProviderHint, LoginException, LoginFlow, LoginProof, OauthHints, ResourceHint,
};
use crate::problem::ProblemKind;
use crate::template::Syntax;

/// The keys of `oauth` that are read for every host.
const SHARED: [&str; 12] = [
    "clientId",
    "client_id",
    "CLIENT_ID",
    "clientSecret",
    "client_secret",
    "CLIENT_SECRET",
    "authServerMetadataUrl",
    "redirectUri",
    "scopes",
    "scope",
    "enabled",
    "callbackPort",
];

/// Says what is wrong with an `oauth` that is about to be written; nothing where a reader would find nothing.
pub(crate) fn wrong_with(oauth: &Map<String, Json>) -> Option<String> {
    let entry = Json::Object(Map::from_iter([("oauth".to_owned(), oauth.clone().into())])).to_string();
    let problems = match document::parse(&entry, Notation::Jsonc) {
        Ok(node) => {
            let node = node?;
            let mut fields = Fields::new(&node, "", "", Path::new(""));
            let _read = self::oauth(&mut fields, Syntax::Toolkit);
            fields.finish()
        }
        Err(problem) => problem.into(),
    };
    let problem = problems.into_list(Path::new(""), 1).into_iter().next()?;
    let place = problem.pointer.as_deref().unwrap_or_default().trim_start_matches('/').replace('/', ".");
    let advice = problem.fix.map(|fix| format!("; {fix}")).unwrap_or_default();
    Some(format!("{place}: {}{advice}", problem.message))
}

/// Reads `oauth` of one of this toolkit's own files.
pub(super) fn oauth(fields: &mut Fields<'_>, syntax: Syntax) -> OauthHints {
    let mut hints = claude::oauth(fields, syntax);
    if let Some(node) = fields.take("oauth").filter(|node| node.members().is_some()) {
        fields.nested(node, "oauth", |own| {
            own.ignore(&SHARED);
            fill(&mut hints, own, syntax);
            check(&hints, own);
        });
    }
    hints
}

fn fill(hints: &mut OauthHints, own: &mut Fields<'_>, syntax: Syntax) {
    hints.flow = word(own, "flow", LoginFlow::WORDS).unwrap_or_default();
    hints.client_authentication = word(own, "clientAuthentication", ClientAuthentication::WORDS);
    hints.proof = word(own, "proof", LoginProof::WORDS);
    hints.issuer = address(own, "issuer");
    hints.issuer_aliases = addresses(own, "issuerAliases");
    hints.legacy_endpoints = own.flag("legacyEndpoints").unwrap_or_default();
    hints.exceptions = exceptions(own);
    hints.resource = resource(own);
    hints.secrets.client_key = own.template("clientKey", syntax);
    hints.secrets.assertion = own.template("assertion", syntax);
    if let Some(node) = own.take("identityProvider") {
        if node.members().is_none() {
            let message = format!("expected an object, found {}", node.type_name());
            own.error(ProblemKind::Shape, message, node.position, Some("identityProvider"));
            return;
        }
        own.nested(node, "identityProvider", |provider| {
            let token_endpoint = address(provider, "tokenEndpoint");
            let client_id = provider.string("clientId").map(str::to_owned);
            hints.secrets.provider_secret = provider.template("clientSecret", syntax);
            hints.secrets.id_token = provider.template("idToken", syntax);
            hints.secrets.refresh_token = provider.template("refreshToken", syntax);
            match (token_endpoint, client_id) {
                (Some(token_endpoint), Some(client_id)) => {
                    hints.identity_provider = Some(IdentityProviderHint { token_endpoint, client_id });
                }
                _ => require(provider, false, "`tokenEndpoint` and `clientId`", None),
            }
            let proofs = [&hints.secrets.id_token, &hints.secrets.refresh_token].into_iter().flatten().count();
            require(provider, proofs == 1, "one of `idToken` and `refreshToken`", None);
        });
    }
}

/// A flow that lacks what it is made of would fail at each start, in words about something else.
fn check(hints: &OauthHints, own: &mut Fields<'_>) {
    let secrets = &hints.secrets;
    let flow = |flow: LoginFlow| hints.flow == flow;
    let place = Some("flow");
    let has_proof = hints.client_id.is_some() && (secrets.client_secret.is_some() || secrets.client_key.is_some());
    require(
        own,
        !flow(LoginFlow::ClientCredentials) || has_proof,
        "`clientId` with `clientSecret` or `clientKey` for the flow client-credentials",
        place,
    );
    require(
        own,
        flow(LoginFlow::WorkloadIdentity) == secrets.assertion.is_some(),
        "`assertion` with the flow workload-identity, and only with it",
        place,
    );
    // An object that is wrong in itself has been told of already.
    let is_enterprise = flow(LoginFlow::EnterpriseManaged);
    let has_provider = own.has("identityProvider");
    require(
        own,
        is_enterprise == has_provider && (!is_enterprise || hints.client_id.is_some()),
        "`identityProvider` and `clientId` with the flow enterprise-managed, and the provider only with it",
        place,
    );
    require(
        own,
        secrets.client_key.is_none() || hints.client_id.is_some(),
        "`clientId` beside `clientKey`",
        Some("clientKey"),
    );
}

fn require(fields: &mut Fields<'_>, is_met: bool, expected: &str, place: Option<&str>) {
    if !is_met {
        let position = fields.position();
        fields.error(ProblemKind::Shape, format!("expected {expected}"), position, place);
    }
}

fn word<T: Copy>(own: &mut Fields<'_>, key: &'static str, words: &[(&'static str, T)]) -> Option<T> {
    let node = own.take(key)?;
    one_word(own, node, key, words)
}

fn one_word<T: Copy>(own: &mut Fields<'_>, node: &Node, place: &str, words: &[(&'static str, T)]) -> Option<T> {
    let found = node.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let found = node.as_str().map_or_else(|| node.type_name().to_owned(), |text| format!("`{text}`"));
        let message = format!("expected one of {}, found {found}", known.join(", "));
        own.error(ProblemKind::Shape, message, node.position, Some(place));
    }
    found.map(|(_, value)| *value)
}

fn exceptions(own: &mut Fields<'_>) -> Vec<LoginException> {
    let mut found = Vec::new();
    for (index, node) in items(own, "exceptions").iter().enumerate() {
        let exception = one_word(own, node, &format!("exceptions/{index}"), LoginException::WORDS);
        found.extend(exception.filter(|exception| !found.contains(exception)));
    }
    found
}

fn addresses(own: &mut Fields<'_>, key: &'static str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, node) in items(own, key).iter().enumerate() {
        found.extend(checked_address(own, node, &format!("{key}/{index}")));
    }
    found
}

fn items<'a>(own: &mut Fields<'a>, key: &'static str) -> &'a [Node] {
    let Some(node) = own.take(key) else { return &[] };
    let Some(items) = node.items() else {
        let message = format!("expected an array of strings, found {}", node.type_name());
        own.error(ProblemKind::Shape, message, node.position, Some(key));
        return &[];
    };
    items
}

fn address(own: &mut Fields<'_>, key: &'static str) -> Option<String> {
    let node = own.take(key)?;
    checked_address(own, node, key)
}

/// Issuers and endpoints are compared and asked verbatim; whether they may be asked is for the login to judge.
fn checked_address(own: &mut Fields<'_>, node: &Node, place: &str) -> Option<String> {
    let text = node.as_str().filter(|text| text.starts_with("https://") || text.starts_with("http://"));
    if text.is_none() {
        let found = node.as_str().map_or_else(|| node.type_name().to_owned(), |text| format!("`{text}`"));
        let message = format!("expected a URL that begins with https://, found {found}");
        own.error(ProblemKind::Shape, message, node.position, Some(place));
    }
    text.map(str::to_owned)
}

/// `false` leaves the parameter out.
fn resource(own: &mut Fields<'_>) -> Option<ResourceHint> {
    let node = own.take("resource")?;
    match &node.value {
        Value::Bool(false) => Some(ResourceHint::Omitted),
        Value::String(text) => Some(ResourceHint::Exactly(text.clone())),
        Value::Null | Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            let message = "expected the resource's identifier, or false to leave it out".to_owned();
            own.error(ProblemKind::Shape, message, node.position, Some("resource"));
            None
        }
    }
}
