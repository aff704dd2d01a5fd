//! What has to change in a settings document for a rule to be written or forgotten.

use crate::error::Error;
use crate::rules::grant::SettingsRule;
use crate::rules::rule::Rule;
use crate::rules::source::Tier;

/// One step of a change to a settings document, as data: whoever keeps the file knows how to leave the rest of it alone.
///
/// Lists and members are named by the keys that lead to them from the top. What is missing on the way, or `null`, is an empty
/// object or list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SettingsEdit {
    /// Puts a text at the end of a list that does not have it.
    Include {
        /// The list.
        list: Vec<String>,
        /// The text.
        item: String,
    },
    /// Takes an entry out of a list, however often it is there. A text is named by itself, white space around it left aside,
    /// and everything else by its JSON. A value that stands in the list's place and is none is taken away if it is named.
    Exclude {
        /// The list.
        list: Vec<String>,
        /// The entry.
        item: String,
    },
    /// Gives a member a text for its value.
    Set {
        /// The member.
        member: Vec<String>,
        /// The text.
        text: String,
    },
    /// Takes a member away, if it is there.
    Unset {
        /// The member.
        member: Vec<String>,
    },
}

/// Returns the steps that put a rule into the list of its tier, and into no other.
///
/// An allow rule is bound to its definition; it stays bound to the definitions of other servers.
///
/// # Errors
/// [`Error::RuleSyntax`] for a rule that would not be read back.
///
/// ```
/// use mcp_registry::{Binding, Scope, SettingsEdit, SettingsRule, Tier, write_rule};
///
/// let rule = SettingsRule {
///     scope: Scope::User, tier: Tier::Allow, rule: "mcp__fs".into(),
///     binding: Some(Binding { server: "fs".into(), definition: "sha256:1".into() }),
/// };
/// let keys = |keys: &[&str]| keys.iter().map(|key| key.to_string()).collect::<Vec<_>>();
/// assert_eq!(write_rule(&rule)?, [
///     SettingsEdit::Exclude { list: keys(&["permissions", "deny"]), item: "mcp__fs".into() },
///     SettingsEdit::Exclude { list: keys(&["permissions", "ask"]), item: "mcp__fs".into() },
///     SettingsEdit::Include { list: keys(&["permissions", "allow"]), item: "mcp__fs".into() },
///     SettingsEdit::Set { member: keys(&["permissions", "definitions", "mcp__fs", "fs"]), text: "sha256:1".into() },
/// ]);
/// # Ok::<(), mcp_registry::Error>(())
/// ```
pub fn write_rule(rule: &SettingsRule) -> Result<Vec<SettingsEdit>, Error> {
    let wanted = Rule::parse(&rule.rule)?.as_str().to_owned();
    let lists = Tier::ALL.into_iter().map(|tier| {
        let (list, item) = (list(tier), wanted.clone());
        if tier == rule.tier { SettingsEdit::Include { list, item } } else { SettingsEdit::Exclude { list, item } }
    });
    let binding = match (&rule.binding, rule.tier) {
        (Some(binding), Tier::Allow) => {
            let mut member = definitions(&wanted);
            member.push(binding.server.clone());
            Some(SettingsEdit::Set { member, text: binding.definition.clone() })
        }
        (None, Tier::Allow) => None,
        (_, Tier::Deny | Tier::Ask) => Some(SettingsEdit::Unset { member: definitions(&wanted) }),
    };
    Ok(lists.chain(binding).collect())
}

/// Returns the steps that take a rule away, in whichever lists it stands.
///
/// `rule` is compared with the entries as they are written, so one that cannot be read can be named too: an entry that is no
/// string by its JSON.
pub fn forget_rule(rule: &str) -> Vec<SettingsEdit> {
    let lists = Tier::ALL.into_iter().map(|tier| SettingsEdit::Exclude { list: list(tier), item: rule.to_owned() });
    lists.chain([SettingsEdit::Unset { member: definitions(rule) }]).collect()
}

fn list(tier: Tier) -> Vec<String> {
    vec!["permissions".to_owned(), tier.as_str().to_owned()]
}

/// Which definitions a rule was made for.
fn definitions(rule: &str) -> Vec<String> {
    vec!["permissions".to_owned(), "definitions".to_owned(), rule.to_owned()]
}
