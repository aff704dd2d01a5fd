//! The protected endpoint.

use serde_json::json;

use super::{Quirk, State, json as json_answer, proof};
use crate::{HttpAnswer, HttpRequest, well_behaved};

/// The nonce that the protected endpoint demands.
const RESOURCE_NONCE: &str = "nonce-2";

impl State {
    /// Answers a good token as a small MCP server does, or with `{"ok":true}` where nothing of MCP is asked, and otherwise
    /// says what is missing.
    pub(super) fn protected(&mut self, request: &HttpRequest) -> HttpAnswer {
        let header = request.header("authorization").unwrap_or_default();
        let (scheme, token) = header.split_once(' ').unwrap_or_default();
        let Some(login) = self.access_tokens.get(token).cloned() else {
            let error = if token.is_empty() { None } else { Some("invalid_token") };
            return self.challenge(401, error, &self.demanded);
        };
        if let Some(key) = &login.key {
            let url = format!("{}/mcp", self.base);
            let nonce = self.has(Quirk::DemandsNonce).then_some(RESOURCE_NONCE);
            let expected = proof::Expected { method: &request.method, url: &url, token: Some(token), nonce };
            let proof = request.header("dpop").unwrap_or_default().to_owned();
            match proof::check(&proof, &expected, &mut self.proofs) {
                Ok(found) if found == *key && scheme == "DPoP" => {}
                Ok(_) => return self.challenge(401, Some("invalid_token"), &self.demanded),
                Err(code) => {
                    return self.challenge(401, Some(code), &self.demanded).header("dpop-nonce", RESOURCE_NONCE);
                }
            }
        }
        let held: Vec<_> = login.scope.split(' ').collect();
        let missing: Vec<_> = self.demanded.split(' ').filter(|scope| !held.contains(scope)).collect();
        if !missing.is_empty() {
            return self.challenge(403, Some("insufficient_scope"), &missing.join(" "));
        }
        answer(request)
    }

    fn challenge(&self, status: u16, error: Option<&str>, scope: &str) -> HttpAnswer {
        let scheme = if self.has(Quirk::DemandsProof) { "DPoP" } else { "Bearer" };
        let published = !self.has(Quirk::NothingPublished) && !self.has(Quirk::NoResourceMetadata);
        let metadata = published.then(|| format!("{}/.well-known/oauth-protected-resource/mcp", self.base));
        let members = [("scope", Some(scope)), ("resource_metadata", metadata.as_deref()), ("error", error)];
        let members = members.into_iter().filter_map(|(name, value)| Some(format!("{name}=\"{}\"", value?)));
        let members: Vec<_> = members.collect();
        HttpAnswer::new(status).header("www-authenticate", format!("{scheme} {}", members.join(", ")))
    }
}

/// An MCP server with one tool, `whoami`; a request that is no MCP is told that all is well.
fn answer(request: &HttpRequest) -> HttpAnswer {
    let listens = request.header("accept").is_some_and(|accept| accept.contains("event-stream"));
    if request.rpc_method().is_empty() && !(request.method == "GET" && listens) {
        return json_answer(200, &json!({"ok": true}));
    }
    let tool = json!({"name": "whoami", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let result = json!({"content": [{"type": "text", "text": "somebody who has logged in"}]});
    well_behaved(request, &json!([tool]), |_| result)
}
