//! `mcpctl schema`: for whoever writes tools, and their CI.

use serde_json::json;

use crate::stage::Stage;

#[test]
fn lint_finds_what_a_provider_refuses() {
    let stage = Stage::new();
    let good = stage.write("good.json", json!({"type": "object", "properties": {"a": {"type": "string"}}}).to_string());
    let tools = json!({"tools": [{"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}]});
    let bad = stage.write("tools.json", tools.to_string());
    stage.run(&["schema", "lint", "--for", "gemini", good.to_str().unwrap()]).expect_code(0);
    let found =
        stage.run(&["schema", "lint", "--for", "gemini", "--json", bad.to_str().unwrap()]).expect_code(2).json();
    assert_eq!((&found[0]["tool"], &found[0]["findings"][0]["pointer"]), (&json!("bad"), &json!("/properties/a")));
    stage.run(&["schema", "lint", "--for", "nobody", good.to_str().unwrap()]).expect_code(2);
}

#[test]
fn a_converted_schema_passes_the_lint_it_failed() {
    let stage = Stage::new();
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"type": ["string", "null"], "minLength": 2}},
    });
    for profile in ["gemini", "openai-strict", "anthropic-strict", "portable"] {
        let converted =
            stage.run_with_input(&["schema", "convert", "--for", profile], &schema.to_string()).expect_code(0);
        stage.run_with_input(&["schema", "lint", "--for", profile, "-"], &converted.stdout).expect_code(0);
    }
    let lossy = ["schema", "convert", "--for", "anthropic-strict", "--lossless"];
    stage.run_with_input(&lossy, &schema.to_string()).expect_code(2);
    let why =
        stage.run_with_input(&["schema", "explain", "--for", "anthropic-strict"], &schema.to_string()).expect_code(0);
    assert!(why.stdout.contains("minLength"), "{}", why.stdout);
}

#[test]
fn arguments_come_back_in_the_schema_s_own_words() {
    let stage = Stage::new();
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]});
    let arguments = r#"{"a": "x", "b": null}"#;
    let decode = ["schema", "decode", "--for", "openai-strict", "--arguments", arguments];
    let decoded = stage.run_with_input(&decode, &schema.to_string()).expect_code(0).json();
    assert_eq!(decoded, json!({"a": "x"}));
}
