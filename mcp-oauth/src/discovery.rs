//! Finds the authorization server that protects an MCP server.

use std::time::Duration;

use http::{Response, StatusCode};
use tokio::time::timeout;
use url::Url;

use crate::challenge::Challenge;
use crate::error::{Attempt, Error};
use crate::guard::{Reach, shown};
use crate::metadata::{AuthorizationServer, ProtectedResource, origin, same_issuer};
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::settings::Settings;
use crate::web::{Web, fetch};
use crate::well_known::{authorization_server_candidates, protected_resource_candidates};

/// How long a search may take, whatever the number of addresses and redirects.
const SEARCH_TIMEOUT: Duration = Duration::from_mins(1);

/// Most authorization servers of one resource that are tried.
const MOST_ISSUERS: usize = 8;

/// What discovery has found out about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Discovery {
    /// The name under which to ask for tokens: the published one, else the canonical form of the server's URL.
    pub(crate) resource: Resource,
    /// The scopes the resource lists; `None` when it does not list any.
    pub(crate) scopes_supported: Option<Scopes>,
    /// The authorization server, checked.
    pub(crate) authorization_server: AuthorizationServer,
}

/// Finds what protects `server`, in this order:
///
/// 1. the metadata document that the challenge names;
/// 2. the documents of [`protected_resource_candidates`];
/// 3. without any: [`Settings::issuer`], else the server's origin as the issuer, as MCP 2025-03-26 has it;
/// 4. without a document there either, and only with [`Settings::legacy_endpoints`]: that revision's default endpoints.
///
/// Of several authorization servers the one of [`Settings::issuer`] is taken, else the first of eight that can be read.
/// [`Settings::metadata_url`] takes the place of its documents. The search takes a minute at most.
///
/// # Errors
///
/// [`Error::Undiscovered`] with everything that was asked; [`Error::Mismatch`] when the document describes another
/// server or another issuer; [`Error::UnsafeUrl`] when an endpoint must not be used; [`Error::TimedOut`].
///
/// # Cancel safety
///
/// Nothing is kept; dropping the future loses only the time spent.
pub(crate) async fn discover(
    web: &dyn Web,
    server: &Url,
    challenge: Option<&Challenge>,
    settings: &Settings,
) -> Result<Discovery, Error> {
    let after = SEARCH_TIMEOUT;
    let found = timeout(after, search(web, server, challenge, settings)).await;
    found.unwrap_or(Err(Error::TimedOut { what: "the search for the authorization server", after }))
}

async fn search(
    web: &dyn Web,
    server: &Url,
    challenge: Option<&Challenge>,
    settings: &Settings,
) -> Result<Discovery, Error> {
    let mut search = Search { web, server, settings, reach: settings.reach(server), tried: Vec::new() };
    let resource = search.protected_resource(challenge).await?;
    let canonical = Resource::canonical(server);
    let Some(resource) = resource else {
        let authorization_server = search.without_resource().await?;
        return Ok(Discovery { resource: canonical, scopes_supported: None, authorization_server });
    };
    let authorization_server = search.first_readable(&resource.authorization_servers).await?;
    Ok(Discovery {
        resource: resource.resource.unwrap_or(canonical),
        scopes_supported: resource.scopes_supported,
        authorization_server,
    })
}

struct Search<'a> {
    web: &'a dyn Web,
    server: &'a Url,
    settings: &'a Settings,
    reach: Reach,
    tried: Vec<Attempt>,
}

impl Search<'_> {
    async fn protected_resource(&mut self, challenge: Option<&Challenge>) -> Result<Option<ProtectedResource>, Error> {
        let named = challenge.and_then(|challenge| challenge.resource_metadata.clone());
        for url in named.into_iter().chain(protected_resource_candidates(self.server)) {
            let Some(document) = self.document(&url).await else { continue };
            let Some(found) = ProtectedResource::parse(document.body()) else {
                self.note(&url, "no protected resource metadata");
                continue;
            };
            if let Some(resource) = found.resource.as_ref().filter(|resource| !resource.covers(self.server)) {
                let (expected, found) = (Resource::canonical(self.server).to_string(), resource.to_string());
                let found = if found == expected { "another path there".to_owned() } else { found };
                return Err(Error::Mismatch { what: "resource in the protected resource's metadata", expected, found });
            }
            return Ok(Some(found));
        }
        Ok(None)
    }

    async fn first_readable(&mut self, issuers: &[String]) -> Result<AuthorizationServer, Error> {
        if let Some(found) = self.named_document().await? {
            return Ok(found);
        }
        let chosen: Vec<&String> = match &self.settings.issuer {
            Some(wanted) => issuers.iter().filter(|issuer| same_issuer(issuer, wanted)).collect(),
            None => issuers.iter().collect(),
        };
        if let (Some(wanted), true) = (&self.settings.issuer, chosen.is_empty()) {
            return Err(Error::Mismatch {
                what: "authorization server",
                expected: wanted.clone(),
                found: issuers.join(", "),
            });
        }
        for issuer in chosen.into_iter().take(MOST_ISSUERS) {
            if let Some(found) = self.authorization_server(issuer).await? {
                return Ok(found);
            }
        }
        Err(self.undiscovered())
    }

    async fn without_resource(&mut self) -> Result<AuthorizationServer, Error> {
        if let Some(found) = self.named_document().await? {
            return Ok(found);
        }
        let issuer = self.settings.issuer.clone().unwrap_or_else(|| origin(self.server));
        if let Some(found) = self.authorization_server(&issuer).await? {
            return Ok(found);
        }
        if self.settings.legacy_endpoints {
            let found = AuthorizationServer::legacy_defaults(self.server);
            found.check(&issuer, self.reach, self.settings)?;
            return Ok(found);
        }
        Err(self.undiscovered())
    }

    /// The document that the user has named; its issuer is the one that is configured, or else what it says.
    async fn named_document(&mut self) -> Result<Option<AuthorizationServer>, Error> {
        let Some(url) = &self.settings.metadata_url else { return Ok(None) };
        let document = self.document(url).await;
        let Some(found) = document.and_then(|document| AuthorizationServer::parse(document.body())) else {
            return Err(self.undiscovered());
        };
        let issuer = self.settings.issuer.as_ref().unwrap_or(&found.issuer);
        found.check(issuer, self.reach, self.settings)?;
        Ok(Some(found))
    }

    async fn authorization_server(&mut self, issuer: &str) -> Result<Option<AuthorizationServer>, Error> {
        let Ok(base) = Url::parse(issuer) else {
            self.tried.push(Attempt { url: issuer.chars().take(200).collect(), outcome: "not a URL".to_owned() });
            return Ok(None);
        };
        for url in authorization_server_candidates(&base) {
            let Some(document) = self.document(&url).await else { continue };
            let Some(found) = AuthorizationServer::parse(document.body()) else {
                self.note(&url, "no authorization server metadata");
                continue;
            };
            found.check(issuer, self.reach, self.settings)?;
            return Ok(Some(found));
        }
        Ok(None)
    }

    /// The document at `url`; what stands in the way is noted, and the search goes on with the next address.
    async fn document(&mut self, url: &Url) -> Option<Response<Vec<u8>>> {
        match fetch(self.web, self.reach, url).await {
            Ok(response) if response.status() == StatusCode::OK => Some(response),
            Ok(response) => {
                self.note(url, &response.status().as_u16().to_string());
                None
            }
            Err(Error::UnsafeUrl { reason, .. }) => {
                self.note(url, reason);
                None
            }
            Err(_) => {
                self.note(url, "no answer");
                None
            }
        }
    }

    fn note(&mut self, url: &Url, outcome: &str) {
        // The server's own path may be a credential, and stands in the addresses that are made of it.
        let own_path = self.server.path().trim_end_matches('/');
        let url = if own_path.is_empty() { shown(url) } else { shown(url).replace(own_path, "/…") };
        self.tried.push(Attempt { url, outcome: outcome.to_owned() });
    }

    fn undiscovered(&mut self) -> Error {
        Error::Undiscovered { server: Resource::canonical(self.server), tried: std::mem::take(&mut self.tried) }
    }
}

#[cfg(test)]
mod tests;
