//! What a server says of itself at one moment.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::digest::short_digest;
use crate::tool::Tool;

/// Everything by which a server speaks to the model before it is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surface<'a> {
    /// Its tools.
    pub tools: &'a [Tool],
    /// Its prompts, by name, as `prompts/list` returned them.
    pub prompts: &'a [(String, Box<RawValue>)],
    /// The instructions it gave when the connection was made.
    pub instructions: Option<&'a str>,
}

/// A surface by name. Of several of one name it has the first, as that is the one the registry takes.
#[derive(Debug)]
pub(super) struct Named<'a> {
    pub(super) tools: BTreeMap<&'a str, &'a Tool>,
    pub(super) prompts: BTreeMap<&'a str, &'a RawValue>,
    pub(super) instructions: Option<&'a str>,
}

impl<'a> From<Surface<'a>> for Named<'a> {
    fn from(surface: Surface<'a>) -> Self {
        Self {
            tools: surface.tools.iter().rev().map(|tool| (tool.name.as_str(), tool)).collect(),
            prompts: surface.prompts.iter().rev().map(|(name, raw)| (name.as_str(), &**raw)).collect(),
            instructions: surface.instructions,
        }
    }
}

impl Named<'_> {
    /// Returns a digest of every byte. Two surfaces that have the same are the same; two that have not may be, if a server
    /// writes one thing in two ways.
    pub(super) fn digest(&self) -> String {
        let counts = [self.tools.len() as u64, u64::from(self.instructions.is_some())].map(u64::to_le_bytes);
        let tools = self.tools.values().map(|tool| tool.raw.get().as_bytes());
        let prompts = self.prompts.iter().flat_map(|(name, raw)| [name.as_bytes(), raw.get().as_bytes()]);
        let counts = counts.iter().map(<[u8; 8]>::as_slice);
        short_digest(counts.chain(self.instructions.map(str::as_bytes)).chain(tools).chain(prompts))
    }
}
