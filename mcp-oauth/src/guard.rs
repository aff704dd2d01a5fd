//! Which addresses a URL that a server names may lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::error::Error;
use crate::loopback::is_loopback;

/// How far the URLs of metadata documents may reach.
///
/// The documents come from the network; a URL in one must not make this program ask the machine's own services, the
/// company's network or a cloud's metadata service (server-side request forgery). The rules, for every URL and every
/// redirect, and again for the address at the moment of connecting:
///
/// 1. `https`, except to a loopback address where loopback is allowed;
/// 2. no user or password in the URL;
/// 3. a loopback address only for [`Reach::Loopback`], that is when the server's own URL names one;
/// 4. a private address only for [`Reach::Private`], that is when the server's own URL is one, or when somebody has
///    chosen it;
/// 5. link-local (cloud metadata services among them), multicast, reserved and documentation addresses never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Public addresses.
    Public,
    /// Public addresses and the machine itself.
    Loopback,
    /// Public and private addresses, for an authorization server inside a company. Not the machine itself.
    Private,
}

impl Reach {
    /// The reach that the configured URL of a server implies: [`Reach::Loopback`] when it names the machine itself,
    /// [`Reach::Private`] when it is a private address, otherwise [`Reach::Public`]. What a name resolves to is not looked
    /// up: a server behind a name in a company's network needs
    /// [`Exceptions::private_addresses`](crate::Exceptions::private_addresses).
    pub fn of(server: &Url) -> Self {
        let literal = match server.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            _ => None,
        };
        if is_loopback(server) {
            Self::Loopback
        } else if literal.is_some_and(|address| classify(address) == Network::Private) {
            Self::Private
        } else {
            Self::Public
        }
    }

    /// Whether a connection to `address` may be made.
    pub fn allows(self, address: IpAddr) -> bool {
        match classify(address) {
            Network::Public => true,
            Network::Loopback => self == Self::Loopback,
            Network::Private => self == Self::Private,
            Network::Never => false,
        }
    }

    /// Checks everything about `url` that can be seen without looking up its host.
    ///
    /// # Errors
    ///
    /// [`Error::UnsafeUrl`] names the rule that the URL breaks.
    pub fn check(self, url: &Url) -> Result<(), Error> {
        let broken = self.broken_rule(url);
        broken.map_or(Ok(()), |reason| Err(Error::UnsafeUrl { url: shown(url), reason }))
    }

    fn broken_rule(self, url: &Url) -> Option<&'static str> {
        let local = is_loopback(url);
        match url.scheme() {
            "https" => {}
            "http" if local && self == Self::Loopback => {}
            "http" if local => return Some("only a server on this machine may refer to this machine"),
            "http" => return Some("it must be https"),
            _ => return Some("it must be an https URL"),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Some("it must not contain a user or a password");
        }
        let literal = match url.host()? {
            Host::Ipv4(address) => IpAddr::V4(address),
            Host::Ipv6(address) => IpAddr::V6(address),
            Host::Domain(_) if local && self != Self::Loopback => {
                return Some("only a server on this machine may refer to this machine");
            }
            Host::Domain(_) => return None,
        };
        (!self.allows(literal)).then_some("its address is not one that a server may refer to")
    }
}

/// Checks that a page may be opened in a browser
/// (MCP security best practices: only `https`, and `http` to a loopback address).
pub(crate) fn check_openable(url: &Url) -> Result<(), Error> {
    match url.scheme() {
        "https" if url.has_host() => Ok(()),
        "http" if is_loopback(url) => Ok(()),
        _ => Err(Error::UnsafeUrl { url: shown(url), reason: "only https pages are opened" }),
    }
}

/// The URL as an error may show it: what may be secret is left out.
pub(crate) fn shown(url: &Url) -> String {
    match url.host_str() {
        Some(host) => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            format!("{}://{host}{port}{}", url.scheme(), url.path())
        }
        None => format!("{}:…", url.scheme()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    Public,
    Loopback,
    Private,
    Never,
}

fn classify(address: IpAddr) -> Network {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

/// The IANA IPv4 special-purpose address registry.
fn classify_v4(address: Ipv4Addr) -> Network {
    match address.octets() {
        [127, ..] => Network::Loopback,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] | [100, 64..=127, ..] => Network::Private,
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Network::Never,
        _ => Network::Public,
    }
}

/// The IANA IPv6 special-purpose address registry. Addresses that carry an IPv4 address are that address.
fn classify_v6(address: Ipv6Addr) -> Network {
    if address.is_loopback() {
        return Network::Loopback;
    }
    if let Some(inner) = address.to_ipv4_mapped() {
        return classify_v4(inner);
    }
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => classify_v4(joined(high, low)),
        [0xfc00..=0xfdff, ..] => Network::Private,
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3ff0..=0x3fff, ..] => Network::Never,
        [0x2000..=0x3fff, ..] => Network::Public,
        _ => Network::Never,
    }
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests;
