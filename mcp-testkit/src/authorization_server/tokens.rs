//! The token endpoint and its neighbours.

use std::collections::BTreeMap;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::{Device, Fault, Login, Quirk, State, form, html, json as json_answer, proof};
use crate::{HttpAnswer, HttpRequest};

/// The nonce that the token endpoint demands.
const TOKEN_NONCE: &str = "nonce-1";

type Form = BTreeMap<String, String>;

/// Why a token request is refused: status and code.
type Refusal = (u16, &'static str);

impl State {
    pub(super) fn token(&mut self, request: &HttpRequest) -> HttpAnswer {
        let fault = self.faults.pop_front();
        match fault {
            Some(Fault::Status(status, body)) => {
                return HttpAnswer::new(status).header("content-type", "application/json").body(body);
            }
            Some(Fault::Page(status)) => return html(status, "bad gateway"),
            Some(Fault::Redirect(target)) => return HttpAnswer::new(307).header("location", target),
            Some(Fault::Late(_)) | None => {}
        }
        let (status, body) = match self.granted(request, &form(&request.body)) {
            Ok(value) => (if self.has(Quirk::CreatedStatus) { 201 } else { 200 }, value),
            Err((status, code)) => (status, self.refusal(code, &request.body)),
        };
        let answer =
            HttpAnswer::new(status).header("content-type", "application/json").header("dpop-nonce", TOKEN_NONCE);
        let answer = match fault {
            Some(Fault::Late(bell)) => answer.until(bell),
            _ => answer,
        };
        answer.body(body.to_string())
    }

    fn granted(&mut self, request: &HttpRequest, body: &Form) -> Result<Value, Refusal> {
        let client = self.client_of(request, body)?;
        let key = self.bound_key(request)?;
        if self.has(Quirk::RefusesResource) && body.contains_key("resource") {
            return Err((400, "invalid_target"));
        }
        let grant = body.get("grant_type").map(String::as_str).unwrap_or_default();
        let login = match grant {
            "authorization_code" => self.redeem_code(body, client)?,
            "refresh_token" => self.renew(body, &client)?,
            "client_credentials" => self.new_login(client, body.get("scope").cloned().unwrap_or_default()),
            "urn:ietf:params:oauth:grant-type:device_code" => self.redeem_device(body)?,
            "urn:ietf:params:oauth:grant-type:jwt-bearer" => self.redeem_statement(body, client)?,
            "urn:ietf:params:oauth:grant-type:token-exchange" => return exchanged(body),
            _ => return Err((400, "unsupported_grant_type")),
        };
        Ok(self.issue(Login { key, ..login }, grant, body))
    }

    fn issue(&mut self, login: Login, grant: &str, body: &Form) -> Value {
        let access_token = self.fresh("access");
        self.access_tokens.insert(access_token.clone(), login.clone());
        let mut answer = json!({
            "access_token": access_token,
            "token_type": if login.key.is_some() { "DPoP" } else { "bearer" },
            "scope": login.scope,
        });
        if !self.has(Quirk::NoLifetime) {
            answer["expires_in"] = self.lifetime.into();
        }
        let by_person = matches!(grant, "authorization_code" | "refresh_token") || grant.ends_with("device_code");
        if self.has(Quirk::NoRefreshToken) || !by_person {
            return answer;
        }
        if let Some(kept) = body.get("refresh_token").filter(|_| self.has(Quirk::KeepsRefreshTokens)) {
            self.refresh_tokens.insert(kept.clone(), login);
            self.used.remove(kept);
        } else {
            let refresh_token = self.fresh("refresh");
            self.refresh_tokens.insert(refresh_token.clone(), login);
            answer["refresh_token"] = refresh_token.into();
        }
        answer
    }

    fn new_login(&mut self, client: String, scope: String) -> Login {
        self.next += 1;
        Login { family: self.next, client, scope, key: None }
    }

    fn redeem_code(&mut self, body: &Form, client: String) -> Result<Login, Refusal> {
        let code = body.get("code").and_then(|code| self.codes.remove(code)).ok_or((400, "invalid_grant"))?;
        let verifier = body.get("code_verifier").map(String::as_str).unwrap_or_default();
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()).as_ref());
        let fits = code.client == client
            && Some(&code.redirect_uri) == body.get("redirect_uri")
            && code.challenge == challenge
            && code.resource.as_ref() == body.get("resource");
        if !fits {
            return Err((400, "invalid_grant"));
        }
        Ok(self.new_login(client, code.scope))
    }

    /// A refresh token that comes a second time was stolen, by whom nobody knows: the whole login ends.
    fn renew(&mut self, body: &Form, client: &str) -> Result<Login, Refusal> {
        let token = body.get("refresh_token").cloned().unwrap_or_default();
        if self.has(Quirk::RefusesRenewal) {
            return Err((400, "invalid_grant"));
        }
        if let Some(family) = self.used.get(&token).copied() {
            self.refresh_tokens.retain(|_, login| login.family != family);
            self.access_tokens.retain(|_, login| login.family != family);
            return Err((400, "invalid_grant"));
        }
        let login = self.refresh_tokens.remove(&token).ok_or((400, "invalid_grant"))?;
        if login.client != client {
            return Err((400, "invalid_grant"));
        }
        self.used.insert(token, login.family);
        Ok(login)
    }

    fn redeem_device(&mut self, body: &Form) -> Result<Login, Refusal> {
        let code = body.get("device_code").cloned().unwrap_or_default();
        let device = self.devices.get(&code).cloned().ok_or((400, "expired_token"))?;
        match device.approved {
            None => Err((400, "authorization_pending")),
            Some(false) => Err((400, "access_denied")),
            Some(true) => {
                self.devices.remove(&code);
                Ok(self.new_login(device.client, device.scope))
            }
        }
    }

    /// A statement is good if it says so.
    fn redeem_statement(&mut self, body: &Form, client: String) -> Result<Login, Refusal> {
        match body.get("assertion").map(String::as_str) {
            Some(statement) if statement.contains("good") => {
                Ok(self.new_login(client, body.get("scope").cloned().unwrap_or_else(|| self.demanded.clone())))
            }
            _ => Err((400, "invalid_grant")),
        }
    }

    /// Who asks, proven in the way that the client was registered for, and in no other.
    fn client_of(&self, request: &HttpRequest, body: &Form) -> Result<String, Refusal> {
        let unknown = (401, "invalid_client");
        let basic = request.header("authorization").and_then(|header| header.strip_prefix("Basic "));
        let (id, secret, method) = match (basic, body.get("client_assertion")) {
            (Some(pair), _) => {
                let pair = STANDARD.decode(pair).ok().ok_or(unknown)?;
                let pair = String::from_utf8(pair).ok().ok_or(unknown)?;
                let (id, secret) = pair.split_once(':').ok_or(unknown)?;
                (decoded(id), Some(decoded(secret)), "client_secret_basic")
            }
            (None, Some(statement)) => (subject(statement).ok_or(unknown)?, None, "private_key_jwt"),
            (None, None) => {
                let id = body.get("client_id").cloned().unwrap_or_default();
                let secret = body.get("client_secret").cloned();
                let method = if secret.is_some() { "client_secret_post" } else { "none" };
                (id, secret, method)
            }
        };
        let by_document = self.has(Quirk::AcceptsClientDocuments) && id.starts_with("https://");
        match self.clients.get(&id) {
            Some(client) if client.method == method && client.secret == secret => Ok(id),
            None if by_document => Ok(id),
            _ => Err(unknown),
        }
    }

    fn bound_key(&mut self, request: &HttpRequest) -> Result<Option<String>, Refusal> {
        if !self.has(Quirk::DemandsProof) {
            return Ok(None);
        }
        let url = format!("{}/token", self.base);
        let nonce = self.has(Quirk::DemandsNonce).then_some(TOKEN_NONCE);
        let expected = proof::Expected { method: "POST", url: &url, token: None, nonce };
        let proof = request.header("dpop").unwrap_or_default().to_owned();
        proof::check(&proof, &expected, &mut self.proofs).map(Some).map_err(|code| (400, code))
    }

    /// Errors quote what was sent, as careless servers do.
    fn refusal(&self, code: &str, sent: &str) -> Value {
        let description = if self.has(Quirk::NullDescription) {
            Value::Null
        } else {
            form(sent).values().cloned().collect::<Vec<_>>().join(" ").into()
        };
        json!({"error": code, "error_description": description})
    }

    pub(super) fn revoke(&mut self, request: &HttpRequest) -> HttpAnswer {
        let body = form(&request.body);
        if let Err((status, code)) = self.client_of(request, &body) {
            return json_answer(status, &self.refusal(code, &request.body));
        }
        let token = body.get("token").cloned().unwrap_or_default();
        if let Some(login) = self.refresh_tokens.remove(&token) {
            self.access_tokens.retain(|_, other| other.family != login.family);
        }
        self.access_tokens.remove(&token);
        HttpAnswer::new(200)
    }

    pub(super) fn start_device(&mut self, request: &HttpRequest) -> HttpAnswer {
        let body = form(&request.body);
        let client = match self.client_of(request, &body) {
            Ok(client) => client,
            Err((status, code)) => return json_answer(status, &self.refusal(code, &request.body)),
        };
        let device_code = self.fresh("device");
        let user_code = device_code.trim_start_matches("canary-device-").to_owned();
        let scope = body.get("scope").cloned().unwrap_or_default();
        self.devices.insert(device_code.clone(), Device { client, scope, approved: None });
        let answer = json!({
            "device_code": device_code,
            "user_code": user_code,
            "verification_uri": format!("{}/go", self.base),
            "verification_uri_complete": format!("{}/go?code={user_code}", self.base),
            "expires_in": 600,
            "interval": 1,
        });
        json_answer(200, &answer)
    }
}

fn exchanged(body: &Form) -> Result<Value, Refusal> {
    if !body.get("subject_token").is_some_and(|token| token.contains("good")) {
        return Err((400, "invalid_grant"));
    }
    Ok(json!({
        "access_token": "canary-good-statement",
        "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "token_type": "N_A",
    }))
}

fn decoded(text: &str) -> String {
    form_urlencoded::parse(text.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}

/// The subject of a signed statement; the signature is the client's own test's to check.
fn subject(statement: &str) -> Option<String> {
    let claims = URL_SAFE_NO_PAD.decode(statement.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    claims["sub"].as_str().map(str::to_owned)
}
