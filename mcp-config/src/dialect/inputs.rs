//! VS Code's `inputs`: values a person is asked for, <https://code.visualstudio.com/docs/reference/variables-reference>.

use super::reader::Reader;
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::Input;
use crate::template::Variable;

/// Gives each server read so far the prompts it refers to.
pub(super) fn attach(list: &Node, reader: &mut Reader<'_>) {
    let Some(items) = list.items() else {
        let message = format!("expected an array of prompts, found {}", list.type_name());
        return reader.warn(ProblemKind::Shape, message, list.position, "/inputs");
    };
    let inputs: Vec<Input> = items.iter().filter_map(input).collect();
    let mut used: Vec<String> = Vec::new();
    for entry in &mut reader.entries {
        let mut wanted: Vec<Input> = Vec::new();
        for reference in entry.config.templates().into_iter().flat_map(|(_, template)| template.references()) {
            let Variable::Input(id) = reference.variable else { continue };
            used.push(id.clone());
            if !wanted.iter().any(|input| input.id == id) {
                wanted.extend(inputs.iter().find(|input| input.id == id).cloned());
            }
        }
        entry.config.inputs = wanted;
    }
    for (index, item) in items.iter().enumerate() {
        let id = item.child("id").and_then(Node::as_str).unwrap_or_default();
        if !used.iter().any(|used| used == id) {
            let message = format!("no server refers to the prompt {id:?}");
            reader.note(ProblemKind::Unused, message, item.position, &format!("/inputs/{index}"));
        }
    }
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
