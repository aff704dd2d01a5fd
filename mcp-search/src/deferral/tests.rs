use super::{
    CachePrices, Deferral, DeferralReason, Situation, ToolCost, break_even_requests, estimate_tokens, tokens_by_server,
};

fn tools(count: usize, tokens: u64) -> Vec<ToolCost> {
    let tool = |number: usize| ToolCost {
        id: format!("tool{number}"),
        server: format!("server{}", number % 2),
        tokens,
        always_load: false,
    };
    (0..count).map(tool).collect()
}

#[track_caller]
fn check(setting: Deferral, tools: &[ToolCost], expected: (bool, DeferralReason)) {
    let decision = setting.decide(&Situation { tools, context_tokens: 200_000, sub_agent: false });
    assert_eq!((decision.defer, decision.reason), expected, "{decision}");
}

#[test]
fn auto_needs_many_tools_and_many_tokens() {
    check(Deferral::Auto, &tools(10, 100_000), (false, DeferralReason::FewTools));
    check(Deferral::Auto, &tools(20, 1_000), (false, DeferralReason::SmallShare));
    check(Deferral::Auto, &tools(20, 1_001), (true, DeferralReason::WorthIt));
    check(Deferral::Auto, &[], (false, DeferralReason::FewTools));
}

#[test]
fn the_setting_decides_where_it_is_fixed() {
    check(Deferral::Always, &tools(1, 1), (true, DeferralReason::Setting));
    check(Deferral::Always, &[], (false, DeferralReason::Setting));
    check(Deferral::Never, &tools(5_000, 5_000), (false, DeferralReason::Setting));
}

#[test]
fn sub_agents_never_wait() {
    let tools = tools(100, 10_000);
    let situation = Situation { tools: &tools, context_tokens: 200_000, sub_agent: true };
    for setting in [Deferral::Always, Deferral::Auto, Deferral::Never] {
        let decision = setting.decide(&situation);
        assert_eq!((decision.defer, decision.reason), (false, DeferralReason::SubAgent));
    }
}

#[test]
fn tools_that_are_always_loaded_do_not_count() {
    let mut tools = tools(20, 5_000);
    tools.iter_mut().take(10).for_each(|tool| tool.always_load = true);
    check(Deferral::Auto, &tools, (false, DeferralReason::FewTools));
    for tool in &mut tools {
        tool.always_load = true;
    }
    check(Deferral::Always, &tools, (false, DeferralReason::Setting));
}

#[test]
fn absurd_counts_do_not_overflow() {
    check(Deferral::Auto, &tools(20, u64::MAX), (true, DeferralReason::WorthIt));
    assert_eq!(tokens_by_server(&tools(4, u64::MAX))[0].1, u64::MAX);
}

#[test]
fn the_setting_is_read_from_json() {
    let read = |text| serde_json::from_str::<Deferral>(text).map_err(|error| error.to_string());
    assert_eq!(read("true"), Ok(Deferral::Always));
    assert_eq!(read("false"), Ok(Deferral::Never));
    assert_eq!(read("\"auto\""), Ok(Deferral::Auto));
    let error = read("\"sometimes\"").unwrap_err();
    assert!(error.contains("`deferMcpSchemas` is `true`, `false` or `\"auto\"`"), "{error}");
}

#[test]
fn the_decision_shows_its_numbers() {
    let tools = tools(20, 2_000);
    let decision = Deferral::Auto.decide(&Situation { tools: &tools, context_tokens: 200_000, sub_agent: false });
    let expected = "schemas are withheld: more than 10 tools and 10 % of the context window \
                    (20 tools, about 40000 of 200000 tokens)";
    assert_eq!(decision.to_string(), expected);
}

#[test]
fn tokens_are_a_quarter_of_the_characters() {
    assert_eq!(estimate_tokens(""), 0);
    assert_eq!(estimate_tokens("abcde"), 2);
    assert_eq!(estimate_tokens("äöüß"), 1);
}

#[test]
fn servers_are_listed_by_cost() {
    let mut tools = tools(3, 10);
    tools.push(ToolCost { id: "x".to_owned(), server: "a".to_owned(), tokens: 10, always_load: true });
    let expected = [("server0".to_owned(), 20), ("a".to_owned(), 10), ("server1".to_owned(), 10)];
    assert_eq!(tokens_by_server(&tools), expected);
}

/// The figures measured for hoocode: a prefix of 11,135 tokens, 5,000 deferred, cache writes at 1.25 and reads at 0.1
/// of the input price, pay after about 26 requests; with 100,000 tokens of prefix after 230.
#[test]
fn breaking_even_takes_as_many_requests_as_hoocode_measured() {
    let prices = CachePrices { write: 1.25, read: 0.1 };
    let requests = |prefix| break_even_requests(prefix, 5_000, prices).expect("a number").round();
    assert!((requests(11_135) - 26.0).abs() < f64::EPSILON);
    assert!((requests(100_000) - 230.0).abs() < f64::EPSILON);
    assert_eq!(break_even_requests(10_000, 0, prices), None);
    assert_eq!(break_even_requests(10_000, 10, CachePrices { write: 1.0, read: 0.0 }), None);
}
