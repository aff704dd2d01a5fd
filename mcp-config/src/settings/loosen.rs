//! What a project's settings would loosen, each thing by itself.

use std::collections::BTreeMap;
use std::path::Path;

use super::json_text;
use crate::document::{Member, Node};
use crate::facts::{Fact, Facts, Topic};
use crate::loosening::Loosening;
use crate::secret::sha256;

/// The keys of a project's settings that loosen nothing: overlays are a layer of their own, which hosts are imported is for
/// the user alone to say, what becomes of changed tools a project may only tighten, and `$schema` says what the file is.
const HARMLESS: [&str; 4] = ["servers", "imports", "pins", "$schema"];

/// The members of `permissions` that loosen nothing, and `definitions`, which is told with the rules it is about.
const TIGHTENING: [&str; 3] = ["ask", "deny", "definitions"];

/// How much one file may loosen: as many things as a person may be expected to look at, and a few more.
pub(super) const MAX_LOOSENINGS: usize = 1000;

/// Lists every allow rule, and every other key whatever it means: what is not known here may be to somebody who reads the
/// settings. Beyond [`MAX_LOOSENINGS`] nothing is listed, and so nothing can be approved; how many these are comes second.
pub(super) fn loosenings(document: &Node, workspace: &Path, path: &Path) -> (Vec<Loosening>, usize) {
    let bindings = bindings(document);
    let mut found: Vec<(String, Facts)> = Vec::new();
    for Member { key, node, .. } in in_force(document).filter(|member| !HARMLESS.contains(&member.key.as_str())) {
        if key != "permissions" {
            found.push((key.clone(), setting(key, node)));
        }
    }
    for Member { key, node, .. } in all(document, "permissions").flat_map(members) {
        match key.as_str() {
            "allow" => {
                let rules = node.items().unwrap_or_default().iter().filter_map(Node::as_str);
                found.extend(rules.map(|rule| (allow_key(rule), allow(rule, bindings.get(rule)))));
            }
            key if TIGHTENING.contains(&key) => {}
            key => {
                let key = format!("permissions.{key}");
                let facts = setting(&key, node);
                found.push((key, facts));
            }
        }
    }
    let unlisted = found.len().saturating_sub(MAX_LOOSENINGS);
    let listed = found.into_iter().take(MAX_LOOSENINGS);
    (listed.map(|(key, facts)| Loosening::of_setting(workspace, path, &key, facts)).collect(), unlisted)
}

/// What comes before a rule in what its approval is filed under.
const ALLOW: &str = "permissions.allow ";

/// What an approval of one allow rule is filed under.
pub(crate) fn allow_key(rule: &str) -> String {
    format!("{ALLOW}{}", rule.trim())
}

/// The rule that an approval is of, if it is one of a rule.
pub(super) fn allowed_rule(key: &str) -> Option<&str> {
    key.strip_prefix(ALLOW)
}

fn setting(key: &str, value: &Node) -> Facts {
    let mut facts = Facts::default();
    facts.add(Fact::binding(Topic::Setting, json_text(value)).of(key));
    facts
}

/// A rule, and the definitions of servers that it was made for.
fn allow(rule: &str, bindings: Option<&Vec<String>>) -> Facts {
    let fact = Fact::binding(Topic::Setting, rule).of("permissions.allow");
    let mut facts = Facts::default();
    facts.add(match bindings {
        Some(bindings) => fact.digested(sha256(bindings.join("\n").as_bytes())),
        None => fact,
    });
    facts
}

/// The definitions each rule is bound to, as JSON.
fn bindings(document: &Node) -> BTreeMap<&str, Vec<String>> {
    let mut bindings: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let permissions = all(document, "permissions");
    for Member { key, node, .. } in
        permissions.flat_map(|permissions| all(permissions, "definitions")).flat_map(members)
    {
        bindings.entry(key).or_default().push(json_text(node));
    }
    bindings
}

/// The members that count, of two of one name the last.
fn in_force(node: &Node) -> impl Iterator<Item = &Member> {
    let last: BTreeMap<&str, &Member> = members(node).iter().map(|member| (member.key.as_str(), member)).collect();
    last.into_values()
}

fn members(node: &Node) -> &[Member] {
    node.members().unwrap_or_default()
}

fn all<'a>(node: &'a Node, key: &'a str) -> impl Iterator<Item = &'a Node> {
    members(node).iter().filter(move |member| member.key == key).map(|member| &member.node)
}
