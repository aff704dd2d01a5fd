//! Entries that change another entry instead of defining one.

use std::sync::Arc;

use serde::Serialize;

use crate::layer::OverlayChange;
use crate::loosening::Loosening;
use crate::merge::{Merged, Placed};
use crate::resolved::Resolved;
use crate::server::{Timeouts, ToolFilter};
use crate::source::{Host, Origin, Scope};
use crate::trust::TrustStore;

/// An overlay that is not applied, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Withheld {
    /// The server it is about.
    pub name: String,
    /// Where it stands.
    pub origin: Origin,
    /// Why it is not applied.
    pub reason: String,
    /// What it says that a person may approve; `None` when nothing would come of it.
    #[serde(skip)]
    pub loosening: Option<Loosening>,
}

pub(crate) fn apply(placed: &Placed<'_>, trust: &TrustStore, merged: &mut Merged) {
    let overlay = placed.overlay;
    let mut withhold = |reason: &str, loosening| {
        let (name, origin) = (overlay.name.clone(), overlay.origin.clone());
        merged.withheld.push(Withheld { name, origin, reason: reason.to_owned(), loosening });
    };
    let index = merged.servers.binary_search_by(|server| server.name.cmp(&overlay.name)).ok();
    let Some(server) = index
        .and_then(|index| merged.servers.get_mut(index))
        .filter(|server| server.rank < placed.rank || placed.layer.is_settings)
        .filter(|server| concerns(placed, server))
    else {
        return withhold("no file of lower precedence defines a server of that name", None);
    };
    let before = server.config.clone();
    let is_whole = match placed.layer.source.scope {
        Scope::User | Scope::Explicit | Scope::Plugin => true,
        Scope::Imported if trust.allows_imports_of(placed.layer.source.host) => true,
        Scope::Imported => return withhold("it belongs to another host", None),
        Scope::Project => {
            tighten(server, &overlay.change);
            match Loosening::of_overlay(placed.layer, overlay) {
                Some(loosening) if trust.has_approved(&loosening) => loosen(server, &overlay.change),
                Some(loosening) => withhold(
                    "it stands in a project that has not been approved, and would let the server do more",
                    Some(loosening),
                ),
                None => {}
            }
            false
        }
    };
    if is_whole {
        change(server, &overlay.change);
    }
    if is_whole || server.config != before {
        server.overridden_by.push(overlay.origin.clone());
    }
}

/// A host's switches are for its own servers; this toolkit's are for all.
fn concerns(placed: &Placed<'_>, server: &Resolved) -> bool {
    let host = placed.layer.source.host;
    host == Host::Toolkit || host == server.origin.source.host
}

/// Applies everything an overlay says.
fn change(server: &mut Resolved, change: &OverlayChange) {
    let OverlayChange { enabled, timeouts: _, tools: ToolFilter { allow, deny } } = change;
    let config = Arc::make_mut(&mut server.config);
    config.enabled = enabled.unwrap_or(config.enabled);
    if allow.is_some() {
        config.tools.allow.clone_from(allow);
    }
    if !deny.is_empty() {
        config.tools.deny.clone_from(deny);
    }
    set_timeouts(server, change);
}

/// Applies what makes the server do less.
fn tighten(server: &mut Resolved, change: &OverlayChange) {
    let OverlayChange { enabled, timeouts: _, tools: ToolFilter { allow, deny } } = change;
    let config = Arc::make_mut(&mut server.config);
    config.enabled &= *enabled != Some(false);
    config.tools.deny.extend(deny.iter().cloned());
    if let Some(wanted) = allow {
        config.tools.allow = Some(match &config.tools.allow {
            None => wanted.clone(),
            // Of two lists of patterns only what stands in both is certain to be allowed by both.
            Some(allowed) => allowed.iter().filter(|pattern| wanted.contains(pattern)).cloned().collect(),
        });
    }
}

/// Applies what [`Loosening::of_overlay`] shows.
fn loosen(server: &mut Resolved, change: &OverlayChange) {
    let OverlayChange { enabled, timeouts: _, tools: _ } = change;
    Arc::make_mut(&mut server.config).enabled |= *enabled == Some(true);
    set_timeouts(server, change);
}

fn set_timeouts(server: &mut Resolved, change: &OverlayChange) {
    let Timeouts { startup, call } = change.timeouts;
    let timeouts = &mut Arc::make_mut(&mut server.config).timeouts;
    timeouts.startup = startup.or(timeouts.startup);
    timeouts.call = call.or(timeouts.call);
}
