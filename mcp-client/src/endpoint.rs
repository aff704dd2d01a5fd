//! From an activated definition to an endpoint: where `mcp-config`'s words become `mcp-transport`'s.

use std::sync::Arc;

use indexmap::IndexMap;
use mcp_config::{Activated, Environment, Inherit, Launch, LaunchPreview, Secret};
use mcp_transport::{Authorize, Endpoint, HttpOptions, Proxy, StdioLabel, StdioOptions};
use url::Url;

use crate::proxies::Proxies;

/// The endpoint of a definition whose variables are expanded; requests to a remote one are signed in by `authorize`.
pub(crate) fn endpoint(
    activated: &Activated,
    environment: &Environment,
    authorize: Option<Arc<dyn Authorize>>,
) -> Endpoint {
    match &activated.launch {
        Launch::Stdio { command, args, env, cwd } => {
            let host = environment.vars.iter().map(|(name, value)| (name.into(), value.into()));
            let options = StdioOptions::new(command)
                .with_args(args)
                .with_cwd(cwd)
                .with_inherit(inherit(activated.inherit))
                .with_host_env(host);
            let options = match &activated.shown {
                LaunchPreview::Stdio { command, cwd: shown, .. } => {
                    let cwd = shown.clone().unwrap_or_else(|| cwd.display().to_string());
                    options.with_label(StdioLabel { command: command.clone(), cwd })
                }
                LaunchPreview::Http(_) | LaunchPreview::Sse(_) | LaunchPreview::HttpAuto(_) => options,
            };
            let declared = env.iter();
            Endpoint::Stdio(declared.fold(options, |options, (name, value)| options.with_env(name, value.expose())))
        }
        Launch::Http { url, headers } => Endpoint::Http(http(activated, url, headers, environment, authorize)),
        Launch::Sse { url, headers } => Endpoint::Sse(http(activated, url, headers, environment, authorize)),
        Launch::HttpAuto { url, headers } => Endpoint::HttpAuto(http(activated, url, headers, environment, authorize)),
    }
}

fn http(
    activated: &Activated,
    url: &str,
    headers: &IndexMap<String, Secret>,
    environment: &Environment,
    authorize: Option<Arc<dyn Authorize>>,
) -> HttpOptions {
    let options = match &activated.shown {
        LaunchPreview::Http(shown) | LaunchPreview::Sse(shown) | LaunchPreview::HttpAuto(shown) => {
            HttpOptions::new(url).with_label(&shown.url)
        }
        LaunchPreview::Stdio { .. } => HttpOptions::new(url),
    };
    let options = options.with_proxy(proxy(url, environment));
    let options = headers.iter().fold(options, |options, (name, value)| options.with_header(name, value.expose()));
    match authorize {
        Some(authorize) => options.with_authorize(authorize),
        None => options,
    }
}

/// Requests take the way that the environment says; a redirect never leads to another host.
fn proxy(url: &str, environment: &Environment) -> Proxy {
    let url = Url::parse(url).ok();
    let proxies = Proxies::of(environment);
    let proxy = url.as_ref().and_then(|url| proxies.lead_to(url));
    proxy.map_or(Proxy::Direct, |proxy| Proxy::Url(proxy.to_string()))
}

fn inherit(inherit: Inherit) -> mcp_transport::Inherit {
    match inherit {
        Inherit::Safe => mcp_transport::Inherit::Safe,
        Inherit::All => mcp_transport::Inherit::All,
    }
}
