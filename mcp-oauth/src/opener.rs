//! Starting a browser.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;
use url::Url;

use crate::error::Error;
use crate::guard::{is_loopback, shown};

/// How long the program that hands a URL to the browser may take. Some stay until the browser is closed, which is fine.
const HANDOVER: Duration = Duration::from_secs(3);

/// Opens `url` in the person's browser: `xdg-open`, `open` on macOS, the URL handler on Windows.
///
/// The URL is an argument of a program and never part of a command line that a shell reads, and it can be no option and
/// no file: only `https`, and `http` to this machine, are opened.
///
/// # Errors
///
/// [`Error::UnsafeUrl`] for any other URL; [`Error::Unreachable`] when no browser can be started, as on a machine without
/// a screen. The person can still be shown the URL.
///
/// # Cancel safety
///
/// The browser may or may not have been started.
pub async fn open_browser(url: &Url) -> Result<(), Error> {
    check_openable(url)?;
    let (program, before) = opener();
    let unreachable = |source: std::io::Error| Error::Unreachable { url: shown(url), source: Box::new(source) };
    let mut child = Command::new(program)
        .args(before)
        .arg(url.as_str())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(unreachable)?;
    match timeout(HANDOVER, child.wait()).await {
        Ok(Ok(status)) if !status.success() => {
            Err(unreachable(std::io::Error::other(format!("`{program}` ended with {status}"))))
        }
        Ok(Err(source)) => Err(unreachable(source)),
        _ => Ok(()),
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

#[cfg(target_os = "macos")]
fn opener() -> (&'static str, &'static [&'static str]) {
    ("open", &[])
}

#[cfg(windows)]
fn opener() -> (&'static str, &'static [&'static str]) {
    ("rundll32.exe", &["url.dll,FileProtocolHandler"])
}

#[cfg(not(any(target_os = "macos", windows)))]
fn opener() -> (&'static str, &'static [&'static str]) {
    ("xdg-open", &[])
}

#[cfg(test)]
mod tests;
