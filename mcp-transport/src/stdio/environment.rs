//! Which variables a server gets.

use std::ffi::{OsStr, OsString};

use super::{Inherit, StdioOptions};

#[cfg(not(windows))]
const SAFE: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

#[cfg(windows)]
const SAFE: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Whether the operating system takes `name` for `known`.
pub(super) fn same_name(name: &OsStr, known: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(known) } else { name == known }
}

pub(super) fn compose(options: &StdioOptions) -> Vec<(OsString, OsString)> {
    let inherited = options.host_env.iter().filter(|(name, value)| match options.inherit {
        Inherit::Safe => SAFE.iter().any(|safe| same_name(name, safe)) && !is_shell_function(value),
        Inherit::All => true,
        Inherit::None => false,
    });
    let undeclared = inherited.filter(|(name, _)| !options.env.iter().any(|(declared, _)| same_name(name, declared)));
    let declared = options.env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    undeclared.cloned().chain(declared).collect()
}

/// A function that bash exported: code, not a value.
fn is_shell_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"()")
}
