//! How the packages of a `server.json` are run.

use super::values::Needs;
use super::{Argument, Package};
use crate::new_server::NewServer;
use crate::template::literal;

/// A kind of package, and how it is run.
struct Kind {
    /// The registry's name for it.
    name: &'static str,
    /// The programs that run it, each with the words it wants first; the first is used when the document names none.
    runtimes: &'static [(&'static str, &'static [&'static str])],
    /// What stands between a package and its version.
    separator: &'static str,
    /// What an identifier may hold beside letters and digits.
    punctuation: &'static str,
}

/// <https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json> names the first of each.
const KINDS: [Kind; 4] = [
    Kind { name: "npm", runtimes: &[("npx", &["-y"]), ("bunx", &[])], separator: "@", punctuation: "@/._-~" },
    Kind { name: "pypi", runtimes: &[("uvx", &[])], separator: "==", punctuation: "._-" },
    Kind { name: "nuget", runtimes: &[("dnx", &["--yes"])], separator: "@", punctuation: "._-" },
    Kind {
        name: "oci",
        runtimes: &[("docker", &["run", "-i", "--rm"]), ("podman", &["run", "-i", "--rm"])],
        separator: ":",
        punctuation: "/:@._-",
    },
];

pub(super) fn package_server(package: &Package, needs: &mut Needs) -> Result<NewServer, String> {
    needs.clear();
    if package.transport.as_ref().is_some_and(|transport| transport.kind != "stdio") {
        return Err("it serves over HTTP and would have to be started first".to_owned());
    }
    let kind = KINDS.iter().find(|kind| kind.name == package.registry_type);
    let kind = kind.ok_or_else(|| format!("packages of type {:?} cannot be run here", package.registry_type))?;
    let (runtime, before) = kind.runtime(package.runtime_hint.as_deref())?;
    let target = kind.target(package)?;
    let mut words: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
    if kind.name == "oci" {
        // A container sees only the variables it is given by name.
        let names = package.environment_variables.iter().filter_map(|variable| variable.name.clone());
        words.extend(names.flat_map(|name| ["-e".to_owned(), name]));
    }
    words.extend(package.runtime_arguments.iter().flat_map(|argument| argument_words(argument, needs)));
    words.push(target);
    words.extend(package.arguments.iter().flat_map(|argument| argument_words(argument, needs)));
    let mut server = NewServer::stdio(runtime, words);
    for variable in &package.environment_variables {
        let Some(name) = &variable.name else { continue };
        if !is_variable(name) {
            return Err(format!("{name:?} cannot be the name of a variable"));
        }
        if let Some(value) = needs.environment(variable, name) {
            server = server.with_env(name, value);
        }
    }
    Ok(server)
}

impl Kind {
    /// Which program runs the package: one that is known to, and never one that only the document knows.
    fn runtime(&self, hint: Option<&str>) -> Result<(&'static str, &'static [&'static str]), String> {
        let mut runtimes = self.runtimes.iter().copied();
        let Some(hint) = hint else { return runtimes.next().ok_or_else(String::new) };
        runtimes.find(|(name, _)| *name == hint).ok_or_else(|| {
            let known: Vec<String> = self.runtimes.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("{hint:?} does not run such packages; {} does", known.join(" or "))
        })
    }

    /// The package at its version, in the words of the program that runs it.
    fn target(&self, package: &Package) -> Result<String, String> {
        let identifier = &package.identifier;
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || self.punctuation.as_bytes().contains(&byte);
        if identifier.starts_with(['-', '.', '/', '~']) || identifier.is_empty() || !identifier.bytes().all(allowed) {
            return Err("its identifier is not one of a package".to_owned());
        }
        if self.name == "oci" && identifier.contains('@') {
            return Ok(identifier.clone());
        }
        // An image's tag is part of its identifier in newer documents.
        if let Some(tag) = tag(identifier).filter(|_| self.name == "oci") {
            return if is_exact(tag) { Ok(identifier.clone()) } else { Err(INEXACT.to_owned()) };
        }
        let version = package.version.as_deref().filter(|version| is_exact(version) && self.is_whole(version));
        let version = version.ok_or(INEXACT)?;
        Ok(format!("{identifier}{}{version}", self.separator))
    }

    /// To npm `1` and `1.2` are ranges.
    fn is_whole(&self, version: &str) -> bool {
        let numbers = version.trim_start_matches('v').split(['-', '+']).next().unwrap_or_default();
        self.name != "npm" || numbers.split('.').filter(|part| part.parse::<u64>().is_ok()).count() == 3
    }
}

const INEXACT: &str = "it names no exact version";

fn tag(image: &str) -> Option<&str> {
    image.rsplit('/').next().and_then(|name| name.split_once(':')).map(|(_, tag)| tag)
}

/// The schema refuses `latest` and ranges; a file may hold them all the same.
fn is_exact(version: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._+!-".contains(&byte);
    let number = version.strip_prefix('v').unwrap_or(version);
    number.starts_with(|first: char| first.is_ascii_digit())
        && number.bytes().all(allowed)
        && !number.split(['.', '-', '+']).any(|part| matches!(part, "x" | "X" | ""))
}

/// What a shell and a container runtime take for the name of a variable.
fn is_variable(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn argument_words(argument: &Argument, needs: &mut Needs) -> Vec<String> {
    let input = &argument.input;
    match (argument.kind.as_str(), &input.name) {
        ("named", Some(flag)) => match needs.value(input, flag.trim_start_matches('-')) {
            Some(value) => vec![literal(flag), value],
            None => Vec::new(),
        },
        (_, name) => {
            let hint = argument.value_hint.as_deref().or(name.as_deref()).unwrap_or("argument");
            needs.value(input, hint).into_iter().collect()
        }
    }
}
