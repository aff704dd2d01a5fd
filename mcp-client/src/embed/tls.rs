//! TLS as this workspace does it. The file is the same in every crate that makes an HTTP client.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::Verifier;

/// TLS on `ring`, trusting what the operating system trusts. The provider is handed over and not installed: a process may hold
/// other TLS stacks. Reading the system's certificates takes a while, and a client that only speaks plain `http` has no use for
/// them: it trusts nobody.
pub(crate) fn tls(speaks_https: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    if !speaks_https {
        return Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = Arc::new(Verifier::new(provider)?);
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}
