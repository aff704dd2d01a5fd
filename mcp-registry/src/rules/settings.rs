//! Rules in settings files: reading them.
//!
//! ```json
//! {
//!   "permissions": {
//!     "deny": ["mcp__github__delete_*"],
//!     "ask": ["mcp__fs__write_file"],
//!     "allow": ["mcp__github__get_issue"],
//!     "definitions": { "mcp__github__get_issue": { "github": "sha256:5f1c" } }
//!   }
//! }
//! ```

use std::borrow::Cow;

use serde::Deserialize as _;
use serde_json::value::RawValue;

use crate::error::{Problem, RuleFault};
use crate::json::Members;
use crate::rules::rule::Rule;
use crate::rules::source::{Binding, Dialect, Entry, RuleLayer, Source, Tier};

/// Reads the `permissions` of a settings document: ours, or `FreeCode`'s, which has the same lists.
///
/// Nothing that looks like a rule is dropped. What cannot be read is reported with its place and stands for the most it could
/// have meant: an entry of `deny` or `ask` covers more than was written, an entry of `allow` nothing, and a document that is
/// no JSON asks before everything. An empty document holds no rules. At most 5,000 rules and 1,000 conditions
/// are read; what is left of a list counts as one rule that cannot be.
///
/// ```
/// use mcp_registry::{Source, parse_settings};
///
/// let text = r#"{"permissions": {"deny": ["mcp__fs", "mcp__git(("]}, "theme": "dark"}"#;
/// let (layer, problems) = parse_settings(Source::user("settings.json"), text);
/// assert_eq!(layer.rules().len(), 2);
/// assert_eq!(problems[0].place, "settings.json:/permissions/deny/1");
/// ```
pub fn parse_settings(source: Source, text: &str) -> (RuleLayer, Vec<Problem>) {
    let mut reader = Reader { layer: RuleLayer::new(source), problems: Vec::new(), conditions: 0 };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim().is_empty() {
        match Members::parse(text) {
            Ok(document) => document.all("permissions").for_each(|permissions| reader.permissions(permissions)),
            Err(error) => {
                reader.report("", format!("expected a JSON object ({error}); {}", closed(Tier::Ask)));
                reader.push_unreadable(Tier::Ask, "*", "", RuleFault::Document);
            }
        }
    }
    (reader.layer, reader.problems)
}

/// The most rules that are read from a document: a repository's file must not take all memory.
const MOST_RULES: usize = 5_000;

/// The most conditions on arguments that are read from a document; each is compiled.
const MOST_CONDITIONS: usize = 1_000;

struct Reader {
    layer: RuleLayer,
    problems: Vec<Problem>,
    conditions: usize,
}

impl Reader {
    fn permissions(&mut self, raw: &RawValue) {
        if raw.get() == "null" {
            return;
        }
        let Ok(permissions) = Members::parse(raw.get()) else {
            self.unreadable(Tier::Ask, "*", "/permissions", RuleFault::Document);
            return;
        };
        let bindings = match self.layer.source.dialect {
            Dialect::Toolkit => read_bindings(&permissions),
            Dialect::FreeCode => Some(Vec::new()),
        };
        for tier in Tier::ALL {
            for list in permissions.all(tier.as_str()) {
                self.list(tier, list, bindings.as_deref());
            }
        }
    }

    fn list(&mut self, tier: Tier, raw: &RawValue, bindings: Option<&[(String, Binding)]>) {
        let pointer = format!("/permissions/{}", tier.as_str());
        let Ok(list) = Vec::<&RawValue>::deserialize(raw) else {
            self.unreadable(tier, raw.get(), &pointer, RuleFault::NotAList);
            return;
        };
        for (position, item) in list.into_iter().enumerate() {
            let pointer = format!("{pointer}/{position}");
            if self.layer.entries.len() >= MOST_RULES || self.conditions >= MOST_CONDITIONS {
                self.unreadable(tier, item.get(), &pointer, RuleFault::TooMany);
                return;
            }
            match String::deserialize(item) {
                Ok(text) => self.rule(tier, &text, &pointer, bindings),
                Err(_) => self.unreadable(tier, item.get(), &pointer, RuleFault::NotAString),
            }
        }
    }

    fn rule(&mut self, tier: Tier, text: &str, pointer: &str, bindings: Option<&[(String, Binding)]>) {
        let (rule, fault) = Rule::parse_widening(&self.in_our_spelling(text));
        // FreeCode knows its own tools by their names alone, and servers' tools by their ids.
        let rule = if self.layer.source.dialect == Dialect::FreeCode { rule.about_the_host() } else { rule };
        self.conditions += rule.conditions();
        let fault = fault.or((tier == Tier::Allow && bindings.is_none()).then_some(RuleFault::Binding));
        // Patterns for its own tools are FreeCode's business; whether they can be read here matters only if they match.
        let foreign = self.layer.source.dialect == Dialect::FreeCode && rule.is_bare();
        if let Some(fault) = fault.filter(|_| !foreign) {
            let message =
                format!("the {} rule `{}` cannot be read: {fault}; {}", tier.as_str(), rule.as_str(), closed(tier));
            self.report(pointer, message);
        }
        let bindings = bindings.unwrap_or_default().iter().filter(|(bound, _)| bound == rule.as_str());
        let bindings = bindings.map(|(_, binding)| binding.clone()).collect();
        self.layer.entries.push(Entry { tier, rule, pointer: pointer.into(), bindings, fault });
    }

    /// Returns a rule with `mcp__` in lower case where the dialect ignores case.
    fn in_our_spelling<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match text.trim_start().split_at_checked(5) {
            Some((prefix, rest))
                if self.layer.source.dialect == Dialect::FreeCode && prefix.eq_ignore_ascii_case("mcp__") =>
            {
                format!("mcp__{rest}").into()
            }
            _ => text.into(),
        }
    }

    fn unreadable(&mut self, tier: Tier, text: &str, pointer: &str, fault: RuleFault) {
        self.report(pointer, format!("cannot be read: {fault}; {}", closed(tier)));
        self.push_unreadable(tier, text, pointer, fault);
    }

    fn push_unreadable(&mut self, tier: Tier, text: &str, pointer: &str, fault: RuleFault) {
        let rule = Rule::unreadable(text);
        let entry = Entry { tier, rule, pointer: pointer.into(), bindings: Vec::new(), fault: Some(fault) };
        self.layer.entries.push(entry);
    }

    fn report(&mut self, pointer: &str, message: String) {
        self.problems.push(Problem::new(format!("{}:{pointer}", self.layer.source.name), message));
    }
}

/// Says what follows from a rule of this tier that nobody can read.
fn closed(tier: Tier) -> &'static str {
    match tier {
        Tier::Deny => "until it is mended, all it may mean is denied",
        Tier::Ask => "until it is mended, all it may mean asks first",
        Tier::Allow => "until it is mended, it allows nothing",
    }
}

/// Returns for each rule the definitions it was made for; none when they cannot be read.
fn read_bindings(permissions: &Members) -> Option<Vec<(String, Binding)>> {
    let mut bindings = Vec::new();
    for raw in permissions.all("definitions") {
        for (rule, raw) in Members::parse(raw.get()).ok()?.iter() {
            for (server, definition) in Members::parse(raw.get()).ok()?.iter() {
                let definition = String::deserialize(definition).ok()?;
                bindings.push((rule.to_owned(), Binding { server: server.to_owned(), definition }));
            }
        }
    }
    Some(bindings)
}
