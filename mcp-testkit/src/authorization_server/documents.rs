//! What the server publishes, and the clients it knows.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use url::form_urlencoded;

use super::{Client, Code, Quirk, State, html, json as json_answer};
use crate::{HttpAnswer, HttpRequest};

impl State {
    pub(super) fn issuer(&self) -> String {
        if self.has(Quirk::WrongMetadataIssuer) { "https://wrong.example".to_owned() } else { self.base.clone() }
    }

    pub(super) fn document(&self, path: &str) -> HttpAnswer {
        let published = !self.has(Quirk::NothingPublished);
        match path {
            "/.well-known/oauth-protected-resource/mcp" if published && !self.has(Quirk::NoResourceMetadata) => {
                json_answer(200, &self.resource_document())
            }
            "/.well-known/oauth-authorization-server" if published => json_answer(200, &self.server_document()),
            _ => html(404, "nothing here"),
        }
    }

    fn resource_document(&self) -> Value {
        let slash = if self.has(Quirk::SlashedIssuer) { "/" } else { "" };
        let issuer = self.moved_to.clone().unwrap_or_else(|| format!("{}{slash}", self.base));
        let own = format!("{}/mcp", self.base);
        let resource = if self.has(Quirk::WrongResource) { "https://wrong.example/mcp".to_owned() } else { own };
        json!({"resource": resource, "authorization_servers": [issuer], "scopes_supported": ["mcp:basic", "mcp:write"]})
    }

    fn server_document(&self) -> Value {
        let base = &self.base;
        let methods = match self.registered_method() {
            "none" => json!(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]),
            method => json!([method]),
        };
        let mut document = json!({
            "issuer": self.issuer(),
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}{}", self.token_path()),
            "device_authorization_endpoint": format!("{base}/device"),
            "scopes_supported": ["mcp:basic", "mcp:write", "offline_access"],
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": methods,
            "authorization_response_iss_parameter_supported": self.has(Quirk::AnnouncesIssuer),
            "client_id_metadata_document_supported": self.has(Quirk::AcceptsClientDocuments),
        });
        for (member, value, without) in [
            ("registration_endpoint", json!(format!("{base}/register")), Quirk::NoRegistration),
            ("revocation_endpoint", json!(format!("{base}/revoke")), Quirk::NoRevocation),
            ("code_challenge_methods_supported", json!(["S256"]), Quirk::NoCodeChallenges),
        ] {
            if !self.has(without) {
                document[member] = value;
            }
        }
        if self.has(Quirk::DemandsProof) {
            document["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        }
        document
    }

    pub(super) fn token_path(&self) -> &'static str {
        if self.has(Quirk::MovedTokenEndpoint) { "/moved/token" } else { "/token" }
    }

    fn registered_method(&self) -> &'static str {
        if self.has(Quirk::ConfidentialBasic) {
            "client_secret_basic"
        } else if self.has(Quirk::ConfidentialPost) {
            "client_secret_post"
        } else {
            "none"
        }
    }

    pub(super) fn register_client(&mut self, request: &HttpRequest) -> HttpAnswer {
        let asked = request.json();
        if self.has(Quirk::RefusesScopes) && asked.get("scope").is_some() {
            return json_answer(400, &json!({"error": "invalid_client_metadata", "error_description": "scope"}));
        }
        let strings = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let method = self.registered_method();
        let secret = (method != "none").then(|| self.fresh("secret"));
        let id = self.fresh("client").replace("canary-", "");
        let client = Client { secret: secret.clone(), method, redirect_uris: strings(&asked["redirect_uris"]) };
        self.clients.insert(id.clone(), client);
        let mut answer = json!({
            "client_id": id,
            "token_endpoint_auth_method": method,
            "redirect_uris": asked["redirect_uris"],
            "registration_client_uri": format!("{}/register/{id}", self.base),
            "registration_access_token": format!("canary-registration-{id}"),
        });
        if let Some(secret) = secret {
            answer["client_secret"] = secret.into();
            answer["client_secret_expires_at"] = u64::from(self.has(Quirk::SecretsEnd)).into();
        }
        json_answer(201, &answer)
    }

    pub(super) fn unregister_client(&mut self, request: &HttpRequest, path: &str) -> HttpAnswer {
        let id = path.trim_start_matches("/register/");
        if request.header("authorization") != Some(&format!("Bearer canary-registration-{id}")) {
            return HttpAnswer::new(401);
        }
        self.clients.remove(id);
        // RFC 7592 says 204, to which the peer cannot answer without a body.
        HttpAnswer::new(200)
    }

    /// Where the browser goes, or the page at which it ends because there is nowhere to send it.
    pub(super) fn authorize(&mut self, query: &BTreeMap<String, String>) -> Result<String, &'static str> {
        let member = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        let (client, redirect_uri) = (member("client_id"), member("redirect_uri"));
        let by_document = self.has(Quirk::AcceptsClientDocuments) && client.starts_with("https://");
        match self.clients.get(client) {
            None if !by_document => return Err("unknown client"),
            Some(known)
                if !known.redirect_uris.is_empty() && !known.redirect_uris.iter().any(|u| u == redirect_uri) =>
            {
                return Err("unknown redirect URI");
            }
            _ => {}
        }
        let mut answer = form_urlencoded::Serializer::new(String::new());
        answer.append_pair("state", member("state"));
        if self.has(Quirk::WrongRedirectIssuer) {
            answer.append_pair("iss", "https://wrong.example");
        } else if self.has(Quirk::AnnouncesIssuer) {
            answer.append_pair("iss", &self.base);
        }
        let error = if self.has(Quirk::Denies) {
            Some("access_denied")
        } else if member("code_challenge_method") != "S256" || member("response_type") != "code" {
            Some("invalid_request")
        } else if self.has(Quirk::RefusesResource) && query.contains_key("resource") {
            Some("invalid_target")
        } else {
            None
        };
        match error {
            Some(error) => answer.append_pair("error", error),
            None => answer.append_pair("code", &self.new_code(query)),
        };
        Ok(format!("{redirect_uri}?{}", answer.finish()))
    }

    fn new_code(&mut self, query: &BTreeMap<String, String>) -> String {
        let member = |name: &str| query.get(name).cloned().unwrap_or_default();
        let code = Code {
            client: member("client_id"),
            redirect_uri: member("redirect_uri"),
            challenge: member("code_challenge"),
            resource: query.get("resource").cloned(),
            scope: member("scope"),
        };
        let name = self.fresh("code");
        self.codes.insert(name.clone(), code);
        name
    }
}
