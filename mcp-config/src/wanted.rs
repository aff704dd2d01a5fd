//! What a definition leaves for a person to give.

use crate::resolved::Resolved;
use crate::server::Input;
use crate::template::{Reference, Variable};

impl Resolved {
    /// Returns the names of the secrets that it refers to as `${keyring:NAME}`, each once, in the order of the definition.
    ///
    /// Whether it may have one is another question: see [`Plan::wants`](crate::Plan::wants).
    pub fn secrets(&self) -> Vec<String> {
        let mut names = Vec::new();
        for reference in self.references() {
            if let Variable::Keyring(name) = reference.variable
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Returns the prompts that it refers to as `${input:ID}`, each once, in the order of the definition.
    ///
    /// One that its file does not describe takes any answer, and the answer may be a secret.
    pub fn prompts(&self) -> Vec<Input> {
        let mut prompts: Vec<Input> = Vec::new();
        for reference in self.references() {
            let Variable::Input(id) = reference.variable else { continue };
            if prompts.iter().any(|known| known.id == id) {
                continue;
            }
            let described = self.config.inputs.iter().find(|input| input.id == id);
            prompts.push(described.map_or_else(|| Input::undescribed(id), |input| Input::clone(input)));
        }
        prompts
    }

    fn references(&self) -> impl Iterator<Item = Reference> {
        self.config.templates().into_iter().flat_map(|(_, template)| template.references())
    }
}

impl Input {
    /// A prompt of which nothing is known but its name.
    fn undescribed(id: String) -> Self {
        Self { id, is_described: false, description: None, is_secret: true, default: None, options: Vec::new() }
    }
}
