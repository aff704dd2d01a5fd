//! Tokens that need no person.

use std::sync::Arc;

use oauth2::TokenResponse as _;
use tokio::task::spawn_blocking;

use crate::authorization::choose_scopes;
use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::credential::Credential;
use crate::discovery::{Discovery, discover};
use crate::dpop::ProofKey;
use crate::error::Error;
use crate::guard::shown;
use crate::metadata::{AuthorizationServer, origin};
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::session::Shared;
use crate::settings::{Assertion, Flow, IdentityProvider, ResourceParameter};
use crate::token_endpoint::{Grant, TokenEndpoint, TokenRequest};

/// What an identity provider is asked for (draft "Identity Assertion JWT Authorization Grant").
const IDENTITY_ASSERTION: &str = "urn:ietf:params:oauth:token-type:id-jag";

impl Shared {
    /// A credential from the authorization server, by the flow that is set. What is `stored` saves the discovery.
    pub(crate) async fn obtain(&self, stored: Option<Credential>) -> Result<Credential, Error> {
        let (blank, scopes) = match stored {
            Some(stored) => {
                let scopes = stored.tokens.as_ref().map(|tokens| tokens.requested.clone()).unwrap_or_default();
                (stored, scopes)
            }
            None => self.unattended_credential().await?,
        };
        let proof = blank.proof_key.as_ref().map(ProofKey::from_stored).transpose()?;
        let endpoint = self.endpoint(&blank.server, &blank.client).with_proof(proof.as_ref());
        let resource = blank.resource.as_deref();
        let response = match &self.settings.flow {
            Flow::WorkloadIdentity(statement) => {
                let statement = read(statement).await?;
                let grant = Grant::JwtBearer(&statement);
                endpoint.request(&TokenRequest { grant, resource, scopes: Some(&scopes) }).await?
            }
            Flow::EnterpriseManaged(provider) => {
                let statement = self.identity_assertion(provider, &blank, &scopes).await?;
                // The statement says what it is for; naming that again could widen what the provider narrowed.
                endpoint.request(&TokenRequest::new(Grant::JwtBearer(&statement))).await?
            }
            Flow::ClientCredentials | Flow::Person => {
                let grant = Grant::ClientCredentials;
                endpoint.request(&TokenRequest { grant, resource, scopes: Some(&scopes) }).await?
            }
        };
        Ok(blank.renewed(&response, &scopes, self.clock.now()))
    }

    /// Everything but the tokens.
    async fn unattended_credential(&self) -> Result<(Credential, Scopes), Error> {
        let challenge = self.memory().challenge.clone();
        let discovery = discover(&*self.web, &self.server, challenge.as_ref(), &self.settings).await?;
        let server = discovery.authorization_server.clone();
        let client = match (self.configured_client(&server).await?, &self.settings.flow) {
            (Some(client), _) => client,
            // The statement names the workload; a client is not required (RFC 7521 §4.1).
            (None, Flow::WorkloadIdentity(_)) => Client::public("", ClientOrigin::Configured),
            (None, _) => {
                let advice = "set the client's identifier and its secret or key";
                return Err(Error::Unsupported {
                    issuer: server.issuer,
                    what: "tokens for a client it does not know",
                    advice,
                });
            }
        };
        let challenged = challenge.as_ref().and_then(|challenge| challenge.scope.as_ref());
        let mut scopes =
            choose_scopes(self.settings.scopes.as_ref(), challenged, discovery.scopes_supported.as_ref(), &server);
        if self.settings.scopes.is_none() {
            // A client that speaks for itself has nothing to be offline from.
            scopes = scopes.iter().filter(|scope| *scope != "offline_access").collect();
        }
        let resource = self.resource_parameter(&discovery);
        let mut credential = Credential::new(self.slot.clone(), server, client, resource);
        credential.proof_key = self.proof_key(&credential.server, None)?;
        Ok((credential, scopes))
    }

    /// The value of the `resource` parameter for everything that is asked from now on.
    pub(crate) fn resource_parameter(&self, discovery: &Discovery) -> Option<String> {
        match &self.settings.resource {
            ResourceParameter::Published => Some(discovery.resource.as_str().to_owned()),
            ResourceParameter::Omitted => None,
            ResourceParameter::Exactly(value) => Some(value.clone()),
        }
    }

    /// The key to bind tokens to, where they are to be bound: the one held, or a new one.
    pub(crate) fn proof_key(
        &self,
        server: &AuthorizationServer,
        held: Option<&Secret>,
    ) -> Result<Option<Secret>, Error> {
        if !self.settings.wants_proof(server) {
            return Ok(None);
        }
        match held {
            Some(held) => Ok(Some(held.clone())),
            None => Ok(Some(ProofKey::generate()?.stored().clone())),
        }
    }

    /// What the identity provider says about the person to the authorization server.
    async fn identity_assertion(
        &self,
        provider: &IdentityProvider,
        blank: &Credential,
        scopes: &Scopes,
    ) -> Result<Secret, Error> {
        self.settings.reach(&self.server).check(&provider.token_endpoint)?;
        let mut server = AuthorizationServer::legacy_defaults(&provider.token_endpoint);
        server.issuer = origin(&provider.token_endpoint);
        server.token_endpoint = Some(provider.token_endpoint.clone());
        let client = match &provider.client_secret {
            Some(secret) => Client::confidential(
                &provider.client_id,
                secret.clone(),
                ClientAuthentication::ClientSecretBasic,
                ClientOrigin::Configured,
            ),
            None => Client::public(&provider.client_id, ClientOrigin::Configured),
        };
        let endpoint = TokenEndpoint::new(&*self.web, &server, &client, &self.clock);
        let subject = read(&provider.subject).await?;
        let grant = Grant::Exchange { subject: &subject, kind: provider.subject_kind, audience: &blank.server.issuer };
        let canonical = Resource::canonical(&self.server);
        let resource = blank.resource.as_deref().unwrap_or(canonical.as_str());
        let request = TokenRequest { grant, resource: Some(resource), scopes: Some(scopes) };
        let response = endpoint.request(&request).await?;
        match response.extra_fields().issued_token_type.as_deref() {
            Some(IDENTITY_ASSERTION) => Ok(Secret::from(response.access_token().secret().as_str())),
            _ => Err(Error::UnexpectedAnswer {
                url: shown(&provider.token_endpoint),
                status: 200,
                expected: "a statement for the authorization server",
            }),
        }
    }
}

/// A statement may come from a file or a command, so a thread that may block asks for it.
async fn read(statement: &Assertion) -> Result<Secret, Error> {
    let statement = Arc::new(statement.clone());
    let done = spawn_blocking(move || statement.read()).await;
    done.unwrap_or(Err(Error::Interrupted { what: "reading the statement" }))
}
