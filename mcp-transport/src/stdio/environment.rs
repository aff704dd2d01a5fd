//! Which variables a server gets.

use std::ffi::{OsStr, OsString};

use super::{Inherit, StdioOptions};

#[cfg(not(windows))]
const SAFE: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

#[cfg(windows)]
const SAFE: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// How a program reaches a network that is not its own, and whom it believes there; some look for the first four in lower
/// case.
const NETWORK: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "AWS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_NATIVE_TLS",
];

/// Whether `name` is one of [`NETWORK`], in either case.
fn is_network(name: &OsStr) -> bool {
    NETWORK.iter().any(|known| same_name(name, known) || is_proxy(known) && name.eq_ignore_ascii_case(known))
}

fn is_proxy(name: &str) -> bool {
    name.len() >= 6 && name.to_ascii_uppercase().ends_with("_PROXY")
}

/// What is secret in the addresses of proxies among the inherited variables: whom they let in.
pub(crate) fn proxy_secrets(options: &StdioOptions) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, value) in compose(options) {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        let address = value.split_once("://").map_or(value, |(_, address)| address);
        if let Some((user, _host)) = address.rsplit_once('@').filter(|_| is_proxy(name)) {
            secrets.push(user.to_owned());
            secrets.extend(user.split_once(':').map(|(_, password)| password.to_owned()));
        }
    }
    secrets
}

/// Whether the operating system takes `name` for `known`.
pub(super) fn same_name(name: &OsStr, known: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(known) } else { name == known }
}

pub(super) fn compose(options: &StdioOptions) -> Vec<(OsString, OsString)> {
    let inherited = options.host_env.iter().filter(|(name, value)| match options.inherit {
        Inherit::Safe => {
            (SAFE.iter().any(|safe| same_name(name, safe)) || is_network(name)) && !is_shell_function(value)
        }
        Inherit::All => true,
        Inherit::None => false,
    });
    let undeclared = inherited.filter(|(name, _)| !options.env.iter().any(|(declared, _)| same_name(name, declared)));
    let declared = options.env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    undeclared.filter_map(handed_on).chain(declared).collect()
}

/// What is inherited of a variable. A server looks for its interpreter (`#!/usr/bin/env node`) where its command was looked
/// for, and nowhere else.
fn handed_on((name, value): &(OsString, OsString)) -> Option<(OsString, OsString)> {
    let value = if same_name(name, "PATH") { absolute_entries(value)? } else { value.clone() };
    Some((name.clone(), value))
}

/// The absolute entries of a `PATH`. `None` is no entry at all, which is not the same as an empty `PATH`: that one means the
/// current folder.
pub(super) fn absolute_entries(path: &OsStr) -> Option<OsString> {
    let mut entries = std::env::split_paths(path).filter(|entry| entry.is_absolute()).peekable();
    entries.peek()?;
    // An entry that cannot be written down, such as one with a quote on Windows, cannot be searched either.
    std::env::join_paths(entries).ok()
}

/// A function that bash exported: code, not a value.
fn is_shell_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"()")
}
