//! The tools of all connected servers: registered, searchable, convertible.
//!
//! Each leaf has its own view of a tool; this module makes them from what the wire brought, and keeps them in step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use mcp_registry::{NameStyle, Registered, Registry, ServerTools, Snapshot, Tool};
use mcp_schema::{Conversion, Limits, Loss, LossKind, Parameter, Profile, Schema, Validator, convert};
use mcp_search::{Document, Index};
use serde_json::{Value, json};

/// What a server's list became.
#[derive(Debug)]
pub(crate) struct Tools {
    registry: Registry,
    index: Index,
    /// The ids of tools that the index has yet to learn: nobody has searched since they came.
    unindexed: BTreeSet<String>,
    schemas: BTreeMap<String, Arc<ToolSchema>>,
}

/// A tool's input schema, read and compiled when first needed.
#[derive(Debug)]
pub(crate) struct ToolSchema {
    tool: Arc<Tool>,
    parsed: OnceLock<Result<Schema, mcp_schema::Error>>,
    validator: OnceLock<Option<Validator>>,
}

impl ToolSchema {
    fn new(tool: Arc<Tool>) -> Self {
        Self { tool, parsed: OnceLock::new(), validator: OnceLock::new() }
    }

    fn parsed(&self) -> Result<&Schema, &mcp_schema::Error> {
        let parse = || {
            let value: Value = serde_json::from_str(self.tool.input_schema.get()).unwrap_or(Value::Bool(true));
            Schema::parse(value, Limits::default())
        };
        self.parsed.get_or_init(parse).as_ref()
    }

    /// The schema in a provider's dialect; for a schema that cannot be used, one that accepts any object.
    pub(crate) fn convert(&self, profile: &Profile) -> Conversion {
        match self.parsed() {
            Ok(schema) => convert(schema, profile),
            Err(error) => {
                let any = Schema::parse(json!({"type": "object"}), Limits::default()).expect("it is a schema");
                let mut conversion = convert(&any, profile);
                conversion.report.losses.push(Loss {
                    kind: LossKind::Widened,
                    pointer: String::new(),
                    keyword: "inputSchema".to_owned(),
                    reason: format!("the schema cannot be read: {error}"),
                });
                conversion
            }
        }
    }

    /// The validator; `None` for a schema that cannot be used, whose server then is the only judge.
    pub(crate) fn validator(&self) -> Option<&Validator> {
        let compile = || self.parsed().ok().and_then(|schema| Validator::new(schema).ok());
        self.validator.get_or_init(compile).as_ref()
    }

    /// The parameters; none for a schema that cannot be used.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        self.parsed().map(mcp_schema::parameters).unwrap_or_default()
    }
}

impl Tools {
    pub(crate) fn new(style: NameStyle) -> Self {
        Self {
            registry: Registry::new(style),
            index: Index::new(mcp_search::Options::default()),
            unindexed: BTreeSet::new(),
            schemas: BTreeMap::new(),
        }
    }

    /// Puts a server's tools in the place of what it offered before.
    pub(crate) fn replace_server(&mut self, server: ServerTools) -> Vec<mcp_registry::Event> {
        let name = server.server.clone();
        let change = self.registry.replace_server(server);
        for id in change.removed.iter().chain(&change.changed) {
            self.forget(id.as_str());
        }
        let snapshot = self.registry.snapshot();
        for registered in snapshot.server_tools(&name) {
            if !self.schemas.contains_key(registered.id.as_str()) {
                self.learn(registered);
            }
        }
        change.events
    }

    /// Takes a server's tools away.
    pub(crate) fn remove_server(&mut self, name: &str) -> Vec<mcp_registry::Event> {
        let change = self.registry.remove_server(name);
        for id in &change.removed {
            self.forget(id.as_str());
        }
        change.events
    }

    /// Notes that a server could not be connected to.
    pub(crate) fn fail_server(&mut self, name: &str, error: &str) -> Vec<mcp_registry::Event> {
        let change = self.registry.fail_server(name, error);
        for id in &change.removed {
            self.forget(id.as_str());
        }
        change.events
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.registry.snapshot()
    }

    /// The index of all tools. Whoever asks first waits for it: a start that nobody searches after does without.
    pub(crate) fn index(&mut self) -> &Index {
        if !self.unindexed.is_empty() {
            let snapshot = self.registry.snapshot();
            for id in std::mem::take(&mut self.unindexed) {
                if let (Some(registered), Some(schema)) = (snapshot.tool(&id), self.schemas.get(&id)) {
                    self.index.insert(document(registered, schema.parameters()));
                }
            }
        }
        &self.index
    }

    pub(crate) fn schema(&self, id: &str) -> Option<Arc<ToolSchema>> {
        self.schemas.get(id).cloned()
    }

    fn learn(&mut self, registered: &Registered) {
        let (id, schema) = (registered.id.as_str().to_owned(), ToolSchema::new(Arc::clone(&registered.tool)));
        self.unindexed.insert(id.clone());
        self.schemas.insert(id, Arc::new(schema));
    }

    fn forget(&mut self, id: &str) {
        if !self.unindexed.remove(id) {
            self.index.remove(id);
        }
        self.schemas.remove(id);
    }
}

fn document(registered: &Registered, parameters: Vec<Parameter>) -> Document {
    let parameters =
        parameters.into_iter().map(|parameter| (parameter.name, parameter.description.unwrap_or_default())).collect();
    Document {
        id: registered.id.as_str().to_owned(),
        server: registered.server.to_string(),
        name: registered.tool.name.clone(),
        title: registered.tool.title.clone(),
        description: registered.tool.description.clone().unwrap_or_default(),
        parameters,
    }
}
