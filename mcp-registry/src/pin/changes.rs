//! What of a server is not as it was approved.

use std::collections::BTreeMap;

use crate::digest::{canonical_text, short_digest};
use crate::pin::baseline::{Baseline, PinnedText};
use crate::pin::drift::{DriftKind, Pin};
use crate::pin::surface::Named;
use crate::pin::tool::{PinnedTool, ToolChange};

/// A difference, whatever is to become of it.
pub(super) struct Changed {
    pub(super) pin: Pin,
    pub(super) kind: DriftKind,
}

/// Returns the differences: tools, prompts, instructions; each sorted by name.
pub(super) fn changes(baseline: &Baseline, now: &Named<'_>) -> Vec<Changed> {
    let mut changed = Vec::new();
    let mut add = |pin, kind| changed.push(Changed { pin, kind });
    let unknown = BTreeMap::new();
    for (name, kind) in tools(baseline.tools.as_ref().unwrap_or(&unknown), now) {
        add(Pin::Tool(name), kind);
    }
    for (name, kind) in prompts(&baseline.prompts, now) {
        add(Pin::Prompt(name), kind);
    }
    if let Some(kind) = instructions(baseline.instructions.as_ref(), now.instructions) {
        add(Pin::Instructions, kind);
    }
    changed
}

fn tools(before: &BTreeMap<String, PinnedTool>, now: &Named<'_>) -> BTreeMap<String, DriftKind> {
    let removed = before.keys().filter(|name| !now.tools.contains_key(name.as_str()));
    let removed = removed.map(|name| (name.clone(), DriftKind::Removed));
    let present = now.tools.iter().filter_map(|(name, tool)| {
        let kind = match before.get(*name).map(|pinned| pinned.compare(tool)) {
            None => DriftKind::Added,
            Some(ToolChange::Same) => return None,
            Some(ToolChange::Words) => DriftKind::Reworded,
            Some(ToolChange::BecameReadOnly) => DriftKind::BecameReadOnly,
            Some(ToolChange::Frame) => DriftKind::Changed,
        };
        Some(((*name).to_owned(), kind))
    });
    present.chain(removed).collect()
}

fn prompts(before: &BTreeMap<String, String>, now: &Named<'_>) -> BTreeMap<String, DriftKind> {
    let removed = before.keys().filter(|name| !now.prompts.contains_key(name.as_str()));
    let removed = removed.map(|name| (name.clone(), DriftKind::Removed));
    let present = now.prompts.iter().filter_map(|(name, raw)| {
        let kind = match before.get(*name) {
            None => DriftKind::Added,
            Some(digest) if *digest == short_digest([canonical_text(raw).as_bytes()]) => return None,
            Some(_) => DriftKind::Changed,
        };
        Some(((*name).to_owned(), kind))
    });
    present.chain(removed).collect()
}

fn instructions(before: Option<&PinnedText>, now: Option<&str>) -> Option<DriftKind> {
    match (before, now) {
        (None, None) => None,
        (Some(before), Some(now)) if before.is(now) => None,
        (None, Some(_)) => Some(DriftKind::Added),
        (Some(_), None) => Some(DriftKind::Removed),
        (Some(_), Some(_)) => Some(DriftKind::Changed),
    }
}
