use super::*;

fn converse(tools: impl Tools + 'static, messages: &[Value]) -> Vec<Value> {
    let input = messages.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let mut output = Vec::new();
    serve(Box::new(tools), input.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
fn a_conversation() {
    let answers = converse(
        library::Library,
        &[
            request(1, "initialize", &json!({"protocolVersion": "2025-06-18"})),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            request(2, "tools/call", &json!({"name": "find_book", "arguments": {"word": "guin", "before": 1970}})),
            request(3, "tools/call", &json!({"name": "burn_book", "arguments": {}})),
            request(4, "server/discover", &json!({})),
            request(5, "initialize", &json!({"protocolVersion": "1999-01-01"})),
        ],
    );
    assert_eq!(answers.len(), 5, "a notification has no answer");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[1]["result"]["content"][0]["text"], "The Left Hand of Darkness, Ursula K. Le Guin (1969)");
    assert_eq!(answers[2]["result"]["isError"], true);
    assert_eq!(answers[3]["error"]["code"], -32601);
    assert_eq!(answers[4]["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn the_catalogue_pages_through_120_tools() {
    let mut cursor = json!({});
    let mut names = std::collections::BTreeSet::new();
    let mut pages = 0;
    loop {
        let result = converse(catalogue::Catalogue, &[request(1, "tools/list", &cursor)])[0]["result"].clone();
        names.extend(result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].to_string()));
        pages += 1;
        match result.get("nextCursor") {
            Some(next) => cursor = json!({"cursor": next}),
            None => break,
        }
    }
    assert_eq!((names.len(), pages), (120, 3));
    assert_eq!(
        converse(catalogue::Catalogue, &[request(1, "tools/list", &json!({"cursor": "x"}))])[0]["error"]["code"],
        -32602
    );
}

#[test]
fn the_ledger_adds_up() {
    let book = |cents: Value| {
        request(1, "tools/call", &json!({"name": "add_entry", "arguments": {"account": "tea", "cents": cents}}))
    };
    let answers = converse(ledger::Ledger::default(), &[book(json!(250)), book(json!(-50)), book(json!(i64::MAX))]);
    assert_eq!(answers[1]["result"]["content"][0]["text"], "tea: 200 cents");
    assert_eq!(answers[2]["result"]["isError"], true, "an overflow is an error, not a crash");
}
