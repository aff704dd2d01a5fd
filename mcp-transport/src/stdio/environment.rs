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
