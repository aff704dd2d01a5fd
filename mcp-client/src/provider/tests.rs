//! The envelopes, provider by provider.

use expect_test::{Expect, expect};

use super::*;

fn check(profile: &str, expected: &Expect) {
    let offer = Offer { id: "mcp__s__t".into(), description: "Does it.".into(), schema: json!({"type": "object"}) };
    expected.assert_eq(&tool_array(profile, vec![offer]).to_string());
}

#[test]
fn envelopes() {
    check(
        "anthropic",
        &expect![[r#"[{"name":"mcp__s__t","description":"Does it.","input_schema":{"type":"object"}}]"#]],
    );
    check(
        "openai-strict",
        &expect![[
            r#"[{"type":"function","function":{"name":"mcp__s__t","description":"Does it.","parameters":{"type":"object"},"strict":true}}]"#
        ]],
    );
    check(
        "gemini",
        &expect![[
            r#"[{"functionDeclarations":[{"name":"mcp__s__t","description":"Does it.","parameters":{"type":"object"}}]}]"#
        ]],
    );
    check(
        "bedrock-nova",
        &expect![[
            r#"[{"toolSpec":{"name":"mcp__s__t","description":"Does it.","inputSchema":{"json":{"type":"object"}}}}]"#
        ]],
    );
    check("portable", &expect![[r#"[{"name":"mcp__s__t","description":"Does it.","inputSchema":{"type":"object"}}]"#]]);
}
