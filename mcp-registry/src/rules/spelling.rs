//! The things that a careless reader may take one text for.
//!
//! A rule that denies must not be talked out of it by another spelling, so texts and patterns are both brought to one form
//! before they are compared. What a server makes of a text is for the server to say; where there is a choice, all of it counts.

use unicode_normalization::UnicodeNormalization as _;
use url::Url;

use crate::likeness::is_invisible;
use crate::rules::number::decimal;

/// How often a text is decoded before it counts as unreadable. An honest one is settled after one or two.
const MOST_ROUNDS: usize = 4;

/// Where the paths of a call's arguments start, as far as the host knows.
///
/// Rules that deny or ask use it to tell that `~/.ssh` and `/home/me/.ssh`, or `src` and `/home/me/project/src`, are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// The user's home directory, an absolute path.
    pub home: Option<String>,
    /// The directory in which servers are started, an absolute path.
    pub directory: Option<String>,
}

impl Surroundings {
    /// Brings the paths to the form in which spellings are.
    pub(super) fn settled(&self) -> Self {
        let settled = |path: &Option<String>| {
            let path = resolved(&slashes(&settled(path.as_deref()?)?));
            is_absolute(&path).then_some(path).filter(|path| path != "/")
        };
        Self { home: settled(&self.home), directory: settled(&self.directory) }
    }
}

/// One thing that a text may be taken for, to be compared with a pattern that was [`settled_pattern`].
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spelling {
    pub(super) text: String,
    /// Whether it is a path that was written from the root, from a home, or up from where the server works, so that it may
    /// lead into that folder from outside.
    pub(super) leads_anywhere: bool,
}

/// Returns everything a text may be taken for; none if there is no telling.
pub(super) fn spellings(text: &str, surroundings: &Surroundings) -> Option<Vec<Spelling>> {
    let decoded = settled(text)?;
    let mut readings = Vec::new();
    for address in [location(text), location(&decoded)].into_iter().flatten() {
        readings.push(settled(&address)?);
    }
    readings.push(decoded);
    let mut found = Vec::new();
    for reading in readings {
        // Some readers end a text at a NUL character, others leave it out.
        let (start, whole) = (reading.split('\0').next().unwrap_or_default(), reading.replace('\0', ""));
        for text in [start, &whole] {
            found.extend(decimal(text).map(|text| Spelling { text, leads_anywhere: false }));
            add_paths(&slashes(text), surroundings, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Returns the pattern with which spellings are compared, from one as it is written.
pub(super) fn settled_pattern(pattern: &str) -> Option<String> {
    let settled = settled(pattern)?;
    if let Some(number) = decimal(&settled) {
        return Some(number);
    }
    // In a pattern a backslash takes the meaning from a character.
    let address = if settled.contains('\\') { None } else { location(&settled) };
    let settled = address.and_then(|address| self::settled(&address)).unwrap_or(settled);
    Some(resolved(&settled))
}

/// Returns the pattern of what a settled pattern matches in any folder, for a path that may start elsewhere; none for one
/// that is absolute, nor for all that is at home, which anywhere would be everything.
pub(super) fn anywhere(pattern: &str) -> Option<String> {
    let in_home = pattern.strip_prefix("~/");
    if in_home.is_some_and(|rest| rest.starts_with('*')) {
        return None;
    }
    let relative = in_home.unwrap_or(pattern);
    (!is_absolute(relative) && !relative.contains(':')).then(|| format!("**/{relative}"))
}

/// Whether a server can hardly take the text for another path than it seems to be.
pub(super) fn is_unmistakable(text: &str) -> bool {
    let Some(settled) = settled(text) else { return false };
    let separators = |text: &str| text.matches(['/', '\\']).count();
    let climbs = settled.split(['/', '\\']).any(|segment| segment == "..");
    !climbs && separators(&settled) == separators(text) && !decoded(text).chars().any(is_invisible)
}

/// Returns the text decoded, with nothing that cannot be seen, in lower case; none if it does not settle.
///
/// NUL characters stay.
fn settled(text: &str) -> Option<String> {
    let mut text = visible(text);
    // Most texts are plain.
    if text.is_ascii() && !text.contains('%') {
        return Some(text);
    }
    for _ in 0..MOST_ROUNDS {
        let next = visible(&decoded(&text));
        if next == text {
            return Some(text);
        }
        text = next;
    }
    None
}

fn visible(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return text.trim().to_ascii_lowercase();
    }
    let space = |character: char| if character.is_whitespace() { ' ' } else { character };
    let shown = text.nfkc().map(space).filter(|character| *character == '\0' || !is_invisible(*character));
    let shown: String = shown.collect();
    shown.trim().to_lowercase()
}

/// Decodes percent signs until there is nothing more to decode: what comes of one may be the start of another.
///
/// One pass is enough, as what can be decoded anew always ends with what was decoded or read last.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        bytes.push(byte);
        while let [.., b'%', high, low] = bytes.as_slice() {
            let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (Some(high), Some(low)) = (digit(*high), digit(*low)) else { break };
            bytes.truncate(bytes.len() - 3);
            bytes.push(high * 16 + low);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns what a URL points at: the path of a file, or an address without user, standard port and fragment.
fn location(text: &str) -> Option<String> {
    if !text.contains(':') {
        return None;
    }
    let mut url = Url::parse(text.trim()).ok().filter(Url::is_special)?;
    if url.scheme() == "file" {
        return Some(url.path().to_owned());
    }
    url.set_fragment(None);
    // These fail only where there is no host, and then nobody is named.
    url.set_username("").ok();
    url.set_password(None).ok();
    Some(url.into())
}

fn slashes(text: &str) -> String {
    text.replace('\\', "/")
}

/// Adds a path in every form that the surroundings give it.
fn add_paths(text: &str, surroundings: &Surroundings, found: &mut Vec<Spelling>) {
    let path = resolved(text);
    let leads_anywhere = is_absolute(&path) || path.starts_with("../") || path.starts_with("~/");
    for (path, leads_anywhere) in
        other_paths(&path, surroundings).into_iter().map(|other| (other, false)).chain([(path.clone(), leads_anywhere)])
    {
        // A folder is also meant by a pattern for all that is in it.
        found.push(Spelling { text: format!("{}/", path.trim_end_matches('/')), leads_anywhere });
        found.push(Spelling { text: path, leads_anywhere });
    }
}

/// Returns the paths by which the surroundings know a resolved path, itself left out.
fn other_paths(path: &str, Surroundings { home, directory }: &Surroundings) -> Vec<String> {
    let below = |folder: &Option<String>| {
        let rest = path.strip_prefix(folder.as_deref()?)?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
    };
    let joined = |folder: &str, rest: &str| resolved(&format!("{folder}/{rest}"));
    let mut paths = Vec::new();
    paths.extend(below(home).map(|rest| joined("~", rest)));
    paths.extend(below(directory).map(str::to_owned));
    let in_home = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (home, in_home, directory) {
        (Some(home), Some(rest), _) => paths.push(joined(home, rest)),
        (_, None, Some(directory)) if !is_absolute(path) => paths.push(joined(directory, path)),
        _ => {}
    }
    if path.starts_with("../") {
        // Enough steps up end at the root.
        paths.push(format!("/{}", path.trim_start_matches("../")));
    }
    paths
}

/// Whether a resolved path starts at the root, or at a drive.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || matches!(path.as_bytes(), [drive, b':', b'/', ..] if drive.is_ascii_alphabetic())
}

/// Resolves empty, `.` and `..` segments.
fn resolved(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => match segments.last() {
                Some(&"..") => segments.push(segment),
                Some(_) => drop(segments.pop()),
                None if rooted => {}
                None => segments.push(segment),
            },
            _ => segments.push(segment),
        }
    }
    let path = segments.join("/");
    // The path of `file:///c:/x` starts with a slash.
    let at_drive = rooted && is_absolute(&path);
    if rooted && !at_drive { format!("/{path}") } else { path }
}
