//! VS Code's `inputs`: values a person is asked for, <https://code.visualstudio.com/docs/reference/variables-reference>.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::reader::Reader;
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::{Input, ServerConfig};
use crate::template::Variable;

/// How much text the prompts of all servers of a file may hold together, in bytes. One prompt may belong to many servers.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Gives each server read so far the prompts it refers to.
pub(super) fn attach(list: &Node, reader: &mut Reader<'_>) {
    let Some(items) = list.items() else {
        let message = format!("expected an array of prompts, found {}", list.type_name());
        return reader.warn(ProblemKind::Shape, message, list.position, "/inputs");
    };
    let mut inputs: BTreeMap<String, (Arc<Input>, usize)> = BTreeMap::new();
    for input in items.iter().filter_map(input) {
        // Of two of one name the first counts.
        let length = length(&input);
        inputs.entry(input.id.clone()).or_insert((Arc::new(input), length));
    }
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut room = MAX_TEXT;
    for entry in &mut reader.entries {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let wanted = ids(&entry.config).into_iter().filter(|id| seen.insert(id.clone()));
        let wanted: Vec<&(Arc<Input>, usize)> = wanted.filter_map(|id| inputs.get(&id)).collect();
        used.extend(seen);
        let length = wanted.iter().map(|(_, length)| length).sum();
        let config = Arc::make_mut(&mut entry.config);
        if let Some(rest) = room.checked_sub(length) {
            room = rest;
            config.inputs = wanted.into_iter().map(|(input, _)| Arc::clone(input)).collect();
        } else {
            config.refusal = Some(format!("the prompts of its file hold more than {MAX_TEXT} bytes"));
        }
    }
    for (index, item) in items.iter().enumerate() {
        let id = item.child("id").and_then(Node::as_str).unwrap_or_default();
        if !used.contains(id) {
            let message = format!("no server refers to the prompt {id:?}");
            reader.note(ProblemKind::Unused, message, item.position, &format!("/inputs/{index}"));
        }
    }
}

/// The prompts that a definition refers to, in order, each as often as it is named.
fn ids(config: &ServerConfig) -> Vec<String> {
    let references = config.templates().into_iter().flat_map(|(_, template)| template.references());
    let id = |variable| if let Variable::Input(id) = variable { Some(id) } else { None };
    references.filter_map(|reference| id(reference.variable)).collect()
}

fn length(input: &Input) -> usize {
    let texts = [&input.description, &input.default].into_iter().flatten().chain(&input.options);
    texts.map(String::len).sum::<usize>() + input.id.len()
}

fn input(node: &Node) -> Option<Input> {
    let text = |key| node.child(key).and_then(Node::as_str).map(str::to_owned);
    Some(Input {
        id: text("id")?,
        is_described: true,
        description: text("description"),
        is_secret: node.child("password").and_then(Node::as_bool).unwrap_or(false),
        default: text("default"),
        options: node
            .child("options")
            .and_then(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(|option| option.as_str().or_else(|| option.child("value")?.as_str()))
            .map(str::to_owned)
            .collect(),
    })
}
