//! Which proxy leads to a URL: what the variables of an environment say, for requests and logins alike.

use std::net::IpAddr;

use mcp_config::Environment;
use url::{Host, Url};

use crate::loopback::is_loopback;

/// What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say, in either case of letters; the lower one wins, as in other
/// programs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies {
    https: Option<Url>,
    http: Option<Url>,
    exempt: Vec<Exempt>,
}

/// A destination of `NO_PROXY`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Exempt {
    Everything,
    /// This name and every name below it.
    Name(String),
    /// Every address that begins with so many bits of this one.
    Addresses(IpAddr, u32),
}

impl Proxies {
    pub(crate) fn of(environment: &Environment) -> Self {
        let variable = |name: &str| {
            let value = environment.var(&name.to_ascii_lowercase()).or_else(|| environment.var(name));
            value.map(str::trim).filter(|value| !value.is_empty())
        };
        let all = variable("ALL_PROXY");
        // In a CGI program `HTTP_PROXY` is a header of the request, which anybody may send.
        let is_cgi = environment.var("REQUEST_METHOD").is_some();
        let http = variable("HTTP_PROXY").filter(|_| !is_cgi);
        let exempt = variable("NO_PROXY").unwrap_or_default().split(',').filter_map(Exempt::parse);
        Self {
            https: variable("HTTPS_PROXY").or(all).and_then(address),
            http: http.or(all).and_then(address),
            exempt: exempt.collect(),
        }
    }

    /// The proxy for this URL; `None` for what is reached directly, as this machine always is.
    pub(crate) fn lead_to(&self, url: &Url) -> Option<&Url> {
        let proxy = if url.scheme() == "http" { self.http.as_ref() } else { self.https.as_ref() };
        let host = url.host()?;
        proxy.filter(|_| !is_loopback(url) && !self.exempt.iter().any(|exempt| exempt.covers(&host)))
    }
}

/// A proxy's URL; one without a scheme speaks HTTP, as everywhere.
fn address(text: &str) -> Option<Url> {
    let url = if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("http://{text}")) };
    url.ok().filter(Url::has_host)
}

impl Exempt {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "*" {
            return Some(Self::Everything);
        }
        let (start, bits) = text.split_once('/').unwrap_or((text, ""));
        if let Ok(address) = start.trim_matches(['[', ']']).parse::<IpAddr>() {
            let all = if address.is_ipv4() { 32 } else { 128 };
            return Some(Self::Addresses(address, bits.parse().unwrap_or(all).min(all)));
        }
        let name = text.rsplit_once(':').map_or(text, |(name, _port)| name);
        let name = name.trim_start_matches('*').trim_matches('.').to_ascii_lowercase();
        (!name.is_empty()).then_some(Self::Name(name))
    }

    fn covers(&self, host: &Host<&str>) -> bool {
        let is_below = |start: IpAddr, bits: u32, address: IpAddr| match (start, address) {
            (IpAddr::V4(start), IpAddr::V4(address)) => (start.to_bits() ^ address.to_bits()).leading_zeros() >= bits,
            (IpAddr::V6(start), IpAddr::V6(address)) => (start.to_bits() ^ address.to_bits()).leading_zeros() >= bits,
            _ => false,
        };
        match (self, host) {
            (Self::Everything, _) => true,
            (Self::Name(name), Host::Domain(host)) => {
                let below = host.trim_end_matches('.').strip_suffix(name.as_str());
                below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
            }
            (Self::Addresses(start, bits), Host::Ipv4(address)) => is_below(*start, *bits, IpAddr::V4(*address)),
            (Self::Addresses(start, bits), Host::Ipv6(address)) => is_below(*start, *bits, IpAddr::V6(*address)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
