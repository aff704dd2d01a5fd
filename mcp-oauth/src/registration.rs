//! Becoming known to an authorization server.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Response, StatusCode};
use serde_json::{Value, json};
use url::Url;

use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::error::Error;
use crate::guard::shown;
use crate::metadata::AuthorizationServer;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::timestamp::Timestamp;
use crate::token_response::{read_members, text_member};
use crate::web::{Web, request};

/// What a registration says.
#[derive(Debug, Clone)]
pub(crate) struct Registration<'a> {
    pub(crate) client_name: &'a str,
    pub(crate) redirect_uri: &'a str,
    pub(crate) scopes: &'a Scopes,
    /// Whether the client also starts on devices without a browser.
    pub(crate) device: bool,
}

/// Registers a client ([RFC 7591](https://www.rfc-editor.org/rfc/rfc7591)).
///
/// A server that refuses the metadata is asked once more without the scopes: some register only scopes of their own.
pub(crate) async fn register(
    web: &dyn Web,
    server: &AuthorizationServer,
    registration: &Registration<'_>,
) -> Result<Client, Error> {
    let Some(endpoint) = &server.registration_endpoint else {
        return Err(Error::Unsupported {
            issuer: server.issuer.clone(),
            what: "registration of new clients",
            advice: "register a client there by hand and set its identifier",
        });
    };
    let method = ClientAuthentication::to_register(server.token_endpoint_auth_methods.as_deref());
    let document = registration_document(registration, method);
    let answer = post(web, endpoint, &document).await?;
    let refused_scopes = answer.status() == StatusCode::BAD_REQUEST && document.get("scope").is_some();
    let answer = if refused_scopes {
        let mut without = document.clone();
        without.as_object_mut().map(|members| members.remove("scope"));
        post(web, endpoint, &without).await?
    } else {
        answer
    };
    read_registration(endpoint, &answer, server, registration.redirect_uri)
}

/// Ends a registration ([RFC 7592 §2.3](https://www.rfc-editor.org/rfc/rfc7592#section-2.3)).
pub(crate) async fn unregister(web: &dyn Web, url: &Url, token: &Secret) -> Result<(), Error> {
    let mut request = request(Method::DELETE, url, Vec::new())?;
    let bearer = HeaderValue::try_from(format!("Bearer {}", token.expose()))
        .map_err(|_source| Error::Key { what: "registration access token", reason: "it is no header value" })?;
    request.headers_mut().insert(http::header::AUTHORIZATION, sensitive(bearer));
    let answer = web.send(request).await?;
    if answer.status().is_success() {
        return Ok(());
    }
    Err(Error::UnexpectedAnswer {
        url: shown(url),
        status: answer.status().as_u16(),
        expected: "the end of the registration",
    })
}

/// Marks a header value so that HTTP stacks do not print it.
pub(crate) fn sensitive(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}

fn registration_document(registration: &Registration<'_>, method: ClientAuthentication) -> Value {
    let mut grants = vec!["authorization_code", "refresh_token"];
    if registration.device {
        grants.push("urn:ietf:params:oauth:grant-type:device_code");
    }
    let mut document = json!({
        "client_name": registration.client_name,
        "redirect_uris": [registration.redirect_uri],
        "grant_types": grants,
        "response_types": ["code"],
        "token_endpoint_auth_method": method.name(),
        "application_type": "native",
    });
    if !registration.scopes.is_empty() {
        document["scope"] = registration.scopes.to_string().into();
    }
    document
}

async fn post(web: &dyn Web, endpoint: &Url, document: &Value) -> Result<Response<Vec<u8>>, Error> {
    let mut request = request(Method::POST, endpoint, document.to_string().into_bytes())?;
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    web.send(request).await
}

fn read_registration(
    endpoint: &Url,
    answer: &Response<Vec<u8>>,
    server: &AuthorizationServer,
    redirect_uri: &str,
) -> Result<Client, Error> {
    let expected = "a registered client";
    let body = read_members(endpoint, answer, &[], expected)?;
    let text = |name: &str| text_member(&body, name);
    let Some(id) = text("client_id") else {
        return Err(Error::UnexpectedAnswer { url: shown(endpoint), status: answer.status().as_u16(), expected });
    };
    let mut client = Client::public(id, ClientOrigin::Registered);
    client.secret = text("client_secret").map(Secret::from);
    client.authentication = registered_method(&client, text("token_endpoint_auth_method"), server);
    client.redirect_uri = Some(redirect_uri.to_owned());
    // Zero means that the secret does not end.
    let end = body.get("client_secret_expires_at").and_then(Value::as_u64).filter(|seconds| *seconds > 0);
    client.secret_expires_at = end.map(Timestamp::from_seconds);
    let management = text("registration_client_uri").and_then(|url| Url::parse(url).ok());
    client.management = management.zip(text("registration_access_token").map(Secret::from));
    Ok(client)
}

/// What the answer says counts, whatever was asked for; where it says nothing, a client with a secret uses it.
fn registered_method(client: &Client, said: Option<&str>, server: &AuthorizationServer) -> ClientAuthentication {
    let offered = server.token_endpoint_auth_methods.as_deref();
    match (said.and_then(ClientAuthentication::parse), &client.secret) {
        (Some(method), Some(_)) => method,
        (None, Some(_)) => ClientAuthentication::for_secret(offered),
        (_, None) => ClientAuthentication::None,
    }
}

#[cfg(test)]
mod tests;
