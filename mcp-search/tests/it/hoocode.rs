use mcp_search::{Dense, ResolveRequest, SharedNames, Surroundings, ToolResolver};

use crate::support::{all, office};

fn resolve(shared_names: SharedNames, names: &[&str], filter: &dyn Fn(&str) -> bool) -> (Vec<String>, usize) {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let request = ResolveRequest { names, ..ResolveRequest::default() };
    let surroundings = Surroundings { index: &office(), filter, dense: Dense::Off("no model"), pending: &[] };
    let mut resolver = ToolResolver::new().with_shared_names(shared_names);
    let resolution = resolver.resolve(&request, &surroundings).expect("a request with names");
    assert_eq!(resolution.more, 0);
    (resolver.resolved().to_vec(), resolution.ambiguous.len())
}

#[test]
fn a_shared_name_stands_for_all_that_have_it_or_for_none() {
    let both = ["mcp__github__create_issue", "mcp__tracker__create_issue"];
    let check = |shared_names, names: &[&str], expected: &[&str], ambiguous| {
        let (resolved, listed) = resolve(shared_names, names, &all);
        assert_eq!((resolved.iter().map(String::as_str).collect::<Vec<_>>(), listed), (expected.to_vec(), ambiguous));
    };
    check(SharedNames::default(), &["create_issue"], &[], 1);
    check(SharedNames::ResolveAll, &["create_issue"], &both, 0);
    check(SharedNames::ResolveAll, &[" create_issue ", "create_issue"], &both, 0);
    check(SharedNames::ResolveAll, &[both[1], "create_issue"], &[both[1], both[0]], 0);
    check(SharedNames::ResolveAll, &["sendMessage"], &["mcp__mail__sendMessage"], 0);
}

#[test]
fn a_shared_name_never_stands_for_what_is_denied() {
    let (resolved, _) = resolve(SharedNames::ResolveAll, &["create_issue"], &|id| !id.contains("github"));
    assert_eq!(resolved, ["mcp__tracker__create_issue"]);
}
