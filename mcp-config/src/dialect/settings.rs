//! The `servers` of this toolkit's own settings: overlays and nothing else.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::enabled;
use crate::document::Node;
use crate::layer::OverlayChange;
use crate::server::{Timeouts, ToolFilter};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "servers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    if fields.has("command") || fields.has("url") {
        fields.error_with_fix(
            "settings change servers and do not define them".to_owned(),
            "move the entry to `mcpServers` in `.agents/mcp.json`".to_owned(),
        );
        return None;
    }
    let change = OverlayChange {
        enabled: enabled(fields),
        timeouts: Timeouts {
            startup: fields.duration("startupTimeout", Unit::Milliseconds),
            call: fields.duration("timeout", Unit::Milliseconds),
        },
        tools: ToolFilter {
            allow: fields.strings("includeTools"),
            deny: fields.strings("excludeTools").unwrap_or_default(),
        },
    };
    drop(fields.unknown());
    Some(Draft::Overlay(change))
}
