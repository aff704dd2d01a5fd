//! Where metadata documents are published.

use url::Url;

const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";
const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID_CONFIGURATION: &str = "/.well-known/openid-configuration";

/// Where the metadata of the protected resource at `server` may be, in the order in which to ask
/// ([RFC 9728 §3.1](https://www.rfc-editor.org/rfc/rfc9728#section-3.1)):
///
/// 1. the well-known path inserted before the server's own path, with its query;
/// 2. the well-known path at the root.
///
/// A URL without a path has one candidate. An address named by a challenge goes before these; it is not in the list.
pub(crate) fn protected_resource_candidates(server: &Url) -> Vec<Url> {
    let root = at(server, PROTECTED_RESOURCE, "");
    let mut inserted = at(server, PROTECTED_RESOURCE, own_path(server));
    inserted.set_query(server.query().filter(|query| !query.is_empty()));
    if inserted == root { vec![root] } else { vec![inserted, root] }
}

/// Where the metadata of the authorization server `issuer` may be, in the order in which to ask
/// ([RFC 8414 §3.1](https://www.rfc-editor.org/rfc/rfc8414#section-3.1), `OpenID` Connect Discovery 1.0 §4, and the
/// order of MCP 2026-07-28 "Authorization Server Metadata Discovery"):
///
/// 1. `oauth-authorization-server` inserted before the issuer's path;
/// 2. `openid-configuration` inserted before the issuer's path;
/// 3. `openid-configuration` appended to the issuer's path.
///
/// An issuer without a path has two candidates. The root documents of an issuer with a path belong to another issuer
/// and are not asked for.
pub(crate) fn authorization_server_candidates(issuer: &Url) -> Vec<Url> {
    let path = own_path(issuer);
    let mut candidates = vec![at(issuer, AUTHORIZATION_SERVER, path), at(issuer, OPENID_CONFIGURATION, path)];
    if !path.is_empty() {
        candidates.push(at(issuer, path, OPENID_CONFIGURATION));
    }
    candidates
}

/// The path without the slash at its end: nothing for a bare origin.
fn own_path(url: &Url) -> &str {
    url.path().trim_end_matches('/')
}

fn at(base: &Url, first: &str, second: &str) -> Url {
    let mut url = base.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("{first}{second}"));
    url
}

#[cfg(test)]
mod tests;
