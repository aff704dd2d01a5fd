use std::sync::Arc;

use super::{Offer, Origin, Registered, Snapshot, State};
use crate::effect::Effect;
use crate::name::{NameStyle, ToolName};
use crate::pin::Standing;
use crate::tool::Tool;

/// Returns a tool under an id that another pair of names would have: no two such pairs are known.
fn registered(server: &str, tool: &str, id: &ToolName) -> Arc<Registered> {
    let raw =
        serde_json::value::to_raw_value(&serde_json::json!({"name": tool, "inputSchema": {}})).expect("it serialises");
    let (tool, _) = Tool::parse(raw).expect("the definition has a name");
    Arc::new(Registered {
        id: id.clone(),
        server: server.into(),
        definition: "sha256:1".into(),
        tool: Arc::new(tool),
        effect: Effect::Mutating,
        standing: Standing::Approved,
        origin: Origin::Server,
    })
}

#[test]
fn tools_that_share_an_id_are_all_withheld() {
    let shared = ToolName::new(NameStyle::default(), "a", "x");
    let other = ToolName::new(NameStyle::default(), "a", "y");
    let mut state = State::new(NameStyle::default());
    let offer = |tools| Arc::new(Offer { tools, ..Offer::default() });
    state.servers.insert("a".into(), offer(vec![registered("a", "x", &shared), registered("a", "y", &other)]));
    state.servers.insert("b".into(), offer(vec![registered("b", "z", &shared)]));
    let snapshot = Snapshot::new(Arc::new(state));
    assert_eq!(snapshot.tools().map(Registered::path).collect::<Vec<_>>(), ["a.y"]);
    assert_eq!(snapshot.problems().iter().map(|problem| problem.place.as_str()).collect::<Vec<_>>(), ["a.x", "b.z"]);
    for reference in ["mcp__a__x", "a.x", "x", "b.z", "z"] {
        assert_eq!(snapshot.resolve(reference).exact(), None, "{reference}");
    }
    assert_eq!(snapshot.resolve_in("b", "z").exact(), None);
    assert_eq!(snapshot.server_tools("a").count(), 1);
}
