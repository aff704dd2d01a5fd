//! Bugs of other hosts and servers, each as the smallest schema that shows it and what becomes of it here.
//!
//! `UPDATE_EXPECT=1 cargo test -p mcp-schema` rewrites the expectations.

#![expect(clippy::needless_raw_string_hashes, reason = "the expectations are rewritten with hashes")]

use expect_test::{Expect, expect};
use mcp_schema::{Limits, Profile, Schema, Validator, convert, convert_batch};
use serde_json::{Value, json};

use crate::support::{converted, profile, schema};

/// Shows the converted schema and its losses.
fn check(original: &str, id: &str, expected: &Expect) {
    let original: Value = serde_json::from_str(original).unwrap();
    let conversion = converted(&original, id);
    assert_eq!(mcp_schema::lint(&conversion.schema, &profile(id)), [], "{id}");
    let mut shown = conversion.schema.to_string();
    for loss in &conversion.report.losses {
        let line = format!("\n{:?} {} {}: {}", loss.kind, loss.pointer, loss.keyword, loss.reason);
        shown.push_str(&line);
    }
    shown.push('\n');
    expected.assert_eq(&shown);
}

/// Bug 1. github/copilot-cli#1876, n8n#25964: `$defs` dropped, `$ref` left dangling.
#[test]
fn bug_01_definitions_are_not_dropped() {
    let original = r##"{"type":"object","properties":{"q":{"$ref":"#/$defs/Q"}},"$defs":{"Q":{"type":"object","properties":{"n":{"type":"integer"}}}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"q":{"type":"object","properties":{"n":{"type":"integer"}}}}}
    "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"q":{"type":"object","properties":{"n":{"type":"integer"}}}}}
    "#]],
    );
    check(
        original,
        "bedrock-nova",
        &expect![[r#"
        {"type":"object","properties":{"q":{"type":"object","properties":{"n":{"type":"integer"}}}}}
    "#]],
    );
}

/// Bug 2. openai/codex#3152, #13768, #18159: a `$ref` or `anyOf` shown as a string.
#[test]
fn bug_02_references_and_unions_are_not_shown_as_strings() {
    let original = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"array","items":{"type":"string"}}]}},"$defs":{"A":{"type":"array","items":{"type":"integer"}}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"array","items":{"type":"string"}}]}}}
    "#]],
    );
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"array","items":{"type":"string"}}]}}}
    "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"array","items":{"type":"string"}}]}}}
    "#]],
    );
}

/// Bug 3. anthropics/claude-code#18260, #20732, #81477: the object comes as a JSON string because its type is hidden.
#[test]
fn bug_03_an_optional_object_shows_its_type() {
    let original = r##"{"type":"object","properties":{"o":{"anyOf":[{"$ref":"#/$defs/O"},{"type":"null"}],"default":null}},"$defs":{"O":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}}}"##;
    check(
        original,
        "anthropic",
        &expect![[r#"
            {"type":"object","properties":{"o":{"default":null,"type":["object","null"],"properties":{"x":{"type":"integer"}},"required":["x"]}}}
        "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"o":{"default":null,"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"nullable":true}}}
    "#]],
    );
    check(
        original,
        "openai-strict",
        &expect![[r#"
            {"type":"object","properties":{"o":{"type":["object","null"],"properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false,"description":"(default: null)"}},"required":["o"],"additionalProperties":false}
            Narrowed /properties/o/anyOf/0 additionalProperties: properties that are not declared are refused
            Narrowed /properties/o required: the property cannot be left out, only be null
            Narrowed  additionalProperties: properties that are not declared are refused
        "#]],
    );
}

/// Bug 4. google/adk-python#3870, jlowin/fastmcp#1016, tadata-org/fastapi_mcp#242: recursion overflows the stack.
#[test]
fn bug_04_recursion_is_kept_or_cut_wide() {
    let original = r##"{"type":"object","properties":{"root":{"$ref":"#/$defs/N"}},"required":["root"],"$defs":{"N":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}"##;
    check(
        original,
        "openai-strict",
        &expect![[r##"
        {"type":"object","properties":{"root":{"$ref":"#/$defs/N"}},"required":["root"],"additionalProperties":false,"$defs":{"N":{"type":"object","properties":{"kids":{"type":["array","null"],"items":{"$ref":"#/$defs/N"}}},"required":["kids"],"additionalProperties":false}}}
        Narrowed  additionalProperties: properties that are not declared are refused
        Narrowed /$defs/N additionalProperties: properties that are not declared are refused
    "##]],
    );
    check(
        original,
        "anthropic",
        &expect![[r##"
        {"type":"object","properties":{"root":{"$ref":"#/$defs/N"}},"required":["root"],"$defs":{"N":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}
    "##]],
    );
    check(
        original,
        "anthropic-strict",
        &expect![[r#"
        {"type":"object","properties":{"root":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"string","description":"Give this value as JSON text. (type: \"object\")"}}},"additionalProperties":false}}},"additionalProperties":false}},"required":["root"],"additionalProperties":false}
        Widened /properties/root/properties/kids/items/properties/kids/items $ref: the recursion is cut after 2 levels
        Widened /properties/root/properties/kids/items/properties/kids/items type: the value is sent as JSON text
        Narrowed /properties/root/properties/kids/items additionalProperties: properties that are not declared are refused
        Narrowed /properties/root additionalProperties: properties that are not declared are refused
        Narrowed  additionalProperties: properties that are not declared are refused
    "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"root":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object"}}}}}}}},"required":["root"]}
        Widened /properties/root/properties/kids/items/properties/kids/items $ref: the recursion is cut after 2 levels
    "#]],
    );
    check(
        original,
        "gemini-json-schema",
        &expect![[r##"
        {"type":"object","properties":{"root":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}},"required":["root"],"$defs":{"N":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}
    "##]],
    );
}

/// Bug 6. anthropics/claude-code#657, #5319, makenotion/notion-mcp-server#340: a combiner at the root is refused.
#[test]
fn bug_06_a_union_at_the_root_keeps_its_properties() {
    let original = r##"{"type":"object","anyOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"],"additionalProperties":false},{"properties":{"kind":{"const":"b"},"y":{"type":"string"}},"required":["kind","y"],"additionalProperties":false}]}"##;
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"kind":{"enum":["a","b"]},"x":{"type":"integer"},"y":{"type":"string"}},"required":["kind"],"additionalProperties":false,"description":"Give one of: `x`, or `y`."}
        Widened  anyOf: the root must be one object
    "#]],
    );
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"kind":{"enum":["a","b"]},"x":{"type":"integer"},"y":{"type":"string"}},"required":["kind"],"additionalProperties":false,"description":"Give one of: `x`, or `y`."}
        Widened  anyOf: the root must be one object
    "#]],
    );
    check(
        original,
        "openai-strict",
        &expect![[r#"
        {"type":"object","properties":{"kind":{"type":"string","enum":["a","b"]},"x":{"type":["integer","null"]},"y":{"type":["string","null"]}},"required":["kind","x","y"],"additionalProperties":false,"description":"Give one of: `x`, or `y`."}
        Widened  anyOf: the root must be one object
    "#]],
    );
}

/// Bug 7. openai/codex#42283: `oneOf` at the root drops the properties beside it.
#[test]
fn bug_07_properties_beside_a_union_survive() {
    let original = r##"{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"oneOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}"##;
    check(
        original,
        "openai",
        &expect![[r#"
            {"type":"object","properties":{"id":{"type":"string"},"a":{"anyOf":[{"type":"integer"},{}]},"b":{"anyOf":[{"type":"integer"},{}]}},"required":["id"],"description":"Give one of: `a`, or `b`."}
            Widened  oneOf: more than one branch may hold at once
            Widened  anyOf: the root must be one object
        "#]],
    );
    check(
        original,
        "anthropic",
        &expect![[r#"
            {"type":"object","properties":{"id":{"type":"string"},"a":{"anyOf":[{"type":"integer"},{}]},"b":{"anyOf":[{"type":"integer"},{}]}},"required":["id"],"description":"Give one of: `a`, or `b`."}
            Widened  oneOf: more than one branch may hold at once
            Widened  anyOf: the root must be one object
        "#]],
    );
}

/// Bug 8. langchain-ai/langchainjs#9804: schema must not have oneOf/anyOf/allOf/enum/not at the top level.
#[test]
fn bug_08_openai_gets_no_combiner_at_the_root() {
    let original = r##"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"not":{"required":["a","b"]},"oneOf":[{"required":["a"]},{"required":["b"]}]}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"Give one of: `a`, or `b`. (not: {\"required\":[\"a\",\"b\"]})"}
        Widened  oneOf: more than one branch may hold at once
        Widened  anyOf: the root must be one object
        Widened  not: the keyword is not accepted
    "#]],
    );
}

/// Bug 9. freee/freee-mcp#15, decocms/studio#6874, anthropics/claude-code#92648: property keys that the provider refuses.
#[test]
fn bug_09_property_names_get_an_alias_and_come_back() {
    let original = r##"{"type":"object","properties":{"filter[name]":{"type":"string","description":"By name."},"filter_name_":{"type":"string"},"$top":{"type":"integer"},"名前":{"type":"string"}},"required":["$top"]}"##;
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"filter_name__2":{"type":"string","description":"By name. (`filter[name]`)"},"filter_name_":{"type":"string"},"_top":{"type":"integer","description":"(`$top`)"},"property":{"type":"string","description":"(`名前`)"}},"required":["_top"]}
    "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"filter_name__2":{"type":"string","description":"By name. (`filter[name]`)"},"filter_name_":{"type":"string"},"_top":{"type":"integer","description":"(`$top`)"},"property":{"type":"string","description":"(`名前`)"}},"required":["_top"]}
    "#]],
    );
}

/// Bug 10. nanbingxyz/5ire#218, zed-industries/zed#44875: `type` as a list.
#[test]
fn bug_10_a_list_of_types_becomes_nullable_or_a_union() {
    let original = r##"{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","integer"]},"c":{"type":["integer","string","null"],"minimum":1,"minLength":2}}}"##;
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]},"c":{"anyOf":[{"type":"integer","minimum":1},{"type":"string","minLength":2}],"nullable":true}}}
    "#]],
    );
    check(
        original,
        "moonshot",
        &expect![[r#"
        {"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]},"c":{"anyOf":[{"type":"integer","description":"(minimum: 1)"},{"type":"string","description":"(minLength: 2)"},{"type":"null"}]}}}
        Widened /properties/c/anyOf/0 minimum: the keyword is not accepted
        Widened /properties/c/anyOf/1 minLength: the keyword is not accepted
    "#]],
    );
}

/// Bug 11. zereight/gitlab-mcp#166, agno-agi/agno#3298, google-gemini/gemini-cli#4400: an enum or branch without a type.
#[test]
fn bug_11_branches_without_a_type_get_theirs() {
    let original = r##"{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"anyOf":[{"minLength":3},{"enum":["",1]}]},"c":{"properties":{"d":{}}}}}"##;
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"b":{"anyOf":[{"type":"string","minLength":3},{"type":"string","enum":["(empty)","1"]}]},"c":{"type":"object","properties":{"d":{"nullable":true,"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}}}}}
        Narrowed /properties/b/anyOf/0 type: the schema names no type; the provider demands the one its keywords speak about
        Narrowed /properties/c type: the schema names no type; the provider demands the one its keywords speak about
    "#]],
    );
}

/// Bug 12. router-for-me/CLIProxyAPI#1075: enums may only be strings.
#[test]
fn bug_12_numbers_in_an_enum_travel_as_strings() {
    let original = r##"{"type":"object","properties":{"n":{"type":"integer","enum":[1,2,3],"default":2},"m":{"enum":[1,"1",true,null]}},"required":["n"]}"##;
    check(
        original,
        "gemini",
        &expect![[r#"
            {"type":"object","properties":{"n":{"type":"string","enum":["1","2","3"],"default":"2"},"m":{"type":"string","enum":["1 (integer)","1","true"],"nullable":true}},"required":["n"]}
        "#]],
    );
    check(
        original,
        "moonshot",
        &expect![[r#"
            {"type":"object","properties":{"n":{"type":"integer","enum":[1,2,3],"default":2},"m":{"enum":["1 (integer)","1","true","null"]}},"required":["n"]}
        "#]],
    );
}

/// Bug 13. sbroenne/mcp-server-excel#607: an enum must not contain the empty string.
#[test]
fn bug_13_an_empty_string_in_an_enum_has_a_name() {
    let original = r##"{"type":"object","properties":{"s":{"type":"string","enum":["","a"]}}}"##;
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"s":{"type":"string","enum":["(empty)","a"]}}}
    "#]],
    );
}

/// Bug 14. promptfoo#4200, nakama#292, zed-extensions brave#12, goai#108, CLIProxyAPI#2142, block/goose#2887.
#[test]
fn bug_14_unknown_keywords_are_rewritten_or_told() {
    let original = r##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"i":{"type":"integer","exclusiveMinimum":0},"f":{"type":"number","exclusiveMinimum":0},"c":{"const":"x"},"l":{"type":"array","items":{"type":"string"},"uniqueItems":true},"u":{"type":"string","format":"uri"}},"propertyNames":{"maxLength":9}}"##;
    check(
        original,
        "gemini",
        &expect![[r#"
            {"type":"object","properties":{"i":{"type":"integer","minimum":1},"f":{"type":"number","minimum":0,"description":"(exclusiveMinimum: 0)"},"c":{"type":"string","enum":["x"]},"l":{"type":"array","items":{"type":"string"},"description":"(uniqueItems: true)"},"u":{"type":"string","description":"(format: \"uri\")"}},"description":"(propertyNames: {\"maxLength\":9})"}
            Widened /properties/f exclusiveMinimum: the bound can only be inclusive
            Widened /properties/l uniqueItems: the keyword is not accepted
            Widened /properties/u format: the format is not accepted
            Widened  propertyNames: the keyword is not accepted
        "#]],
    );
}

/// Bug 15. sst/opencode#49464, googleapis/python-genai#2476, OpenHands#4182: `true` and `false` as schemas.
#[test]
fn bug_15_boolean_schemas_mean_anything_and_nothing() {
    let original =
        r##"{"type":"object","properties":{"raw":true,"never":false,"list":{"type":"array","items":true}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"raw":{},"never":false,"list":{"type":"array","items":{}}}}
    "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"raw":{"nullable":true,"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]},"list":{"type":"array","items":{"nullable":true,"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}}},"description":"`never` must not be given."}
        Widened /properties/never false: a schema that accepts nothing cannot be written
    "#]],
    );
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"raw":{},"never":false,"list":{"type":"array","items":{}}}}
    "#]],
    );
    check(
        original,
        "openai-strict",
        &expect![[r#"
        {"type":"object","properties":{"raw":{"type":["string","number","boolean","null"]},"list":{"type":["array","null"],"items":{"type":["string","number","boolean","null"]}}},"required":["raw","list"],"additionalProperties":false,"description":"`never` must not be given."}
        Narrowed /properties/raw required: the property cannot be left out, only be null
        Narrowed  additionalProperties: properties that are not declared are refused
    "#]],
    );
}

/// Bug 16. spacelift/spacectl#402, sst/opencode#20273, microsoft/vscode#263986: an array without items.
#[test]
fn bug_16_arrays_get_items() {
    let original = r##"{"type":"object","properties":{"a":{"type":"array"},"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
            {"type":"object","properties":{"a":{"type":"array","items":{}},"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}}}
        "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"array","items":{"nullable":true,"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}},"t":{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}
        Widened /properties/t prefixItems: the positions of the items are not accepted
    "#]],
    );
    check(
        original,
        "openai-strict",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":["array","null"],"items":{"type":["string","number","boolean","null"]}},"t":{"type":["array","null"],"maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}},"required":["a","t"],"additionalProperties":false}
        Widened /properties/t prefixItems: the positions of the items are not accepted
        Narrowed  additionalProperties: properties that are not declared are refused
    "#]],
    );
}

/// Bug 17. anthropics/claude-code#586, Dokploy/mcp#74, SylphxAI/pdf-reader-mcp#63: drafts 4 and 7 under a 2020-12 checker.
#[test]
fn bug_17_old_drafts_are_upgraded() {
    let original = r##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"type":"array","items":[{"type":"string"},{"$ref":"#/definitions/n"}],"additionalItems":{"type":"boolean"}}},"dependencies":{"a":["b"]},"definitions":{"n":{"type":"integer","minimum":0}}}"##;
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer","minimum":0}],"items":{"type":"boolean"}}},"dependentRequired":{"a":["b"]}}
    "#]],
    );
    check(
        original,
        "mistral",
        &expect![[r#"
        {"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer","minimum":0}],"items":{"type":"boolean"}}},"dependentRequired":{"a":["b"]}}
    "#]],
    );
}

/// Bug 18. MarkusPfundstein/mcp-gsuite#34, vscode-unify-chat-provider#162, blurrah/mcp-graphql#14.
#[test]
fn bug_18_invalid_schemas_are_repaired() {
    let original = r##"{"type":"object","properties":{"a":{"type":"string","required":false},"b":{"type":"any"},"c":{"type":"integer","exclusiveMinimum":true,"minimum":0},"d":{"type":"object","properties":{"type":"object","properties":{"e":{"type":"string"}}}}}}"##;
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{"type":"integer","exclusiveMinimum":0},"d":{"type":"object","properties":{"e":{"type":"string"}}}}}
        Repaired /properties/a required: the value is not a list of names
        Repaired /properties/b type: the value is not a type of JSON Schema
        Repaired /properties/c exclusiveMinimum: a flag of draft 4 stands where a number belongs
        Repaired /properties/d properties: `properties` holds a schema instead of properties
    "#]],
    );
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{"type":"integer","exclusiveMinimum":0},"d":{"type":"object","properties":{"e":{"type":"string"}}}}}
        Repaired /properties/a required: the value is not a list of names
        Repaired /properties/b type: the value is not a type of JSON Schema
        Repaired /properties/c exclusiveMinimum: a flag of draft 4 stands where a number belongs
        Repaired /properties/d properties: `properties` holds a schema instead of properties
    "#]],
    );
}

/// Bug 19. cline#14019, smartbear-mcp#491, Dokploy/mcp#45: regex lookaround is not supported.
#[test]
fn bug_19_patterns_that_look_around_are_dropped_and_told() {
    let original = r##"{"type":"object","properties":{"p":{"type":"string","pattern":"^(?!x).*$"},"q":{"type":"string","pattern":"^a+$"}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"p":{"type":"string","description":"(pattern: \"^(?!x).*$\")"},"q":{"type":"string","pattern":"^a+$"}}}
        Widened /properties/p pattern: lookaround is not accepted
    "#]],
    );
    check(
        original,
        "llama-cpp",
        &expect![[r#"
        {"type":"object","properties":{"p":{"type":"string","description":"(pattern: \"^(?!x).*$\")"},"q":{"type":"string","pattern":"^a+$"}}}
        Widened /properties/p pattern: lookaround is not accepted
    "#]],
    );
}

/// Bug 20. ggml-org/llama.cpp#26930, #27580, firecrawl#4512: unanchored patterns, character classes, huge repetitions.
#[test]
fn bug_20_grammars_get_only_patterns_they_can_compile() {
    let original = r##"{"type":"object","properties":{"a":{"type":"string","pattern":"abc"},"b":{"type":"string","pattern":"^\\d+$"},"c":{"type":"string","maxLength":10000},"d":{"anyOf":[{"type":"string"}]}}}"##;
    check(
        original,
        "llama-cpp",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string","description":"(pattern: \"abc\")"},"b":{"type":"string","description":"(pattern: \"^\\\\d+$\")"},"c":{"type":"string","description":"(maxLength: 10000)"},"d":{"type":"string"}}}
        Widened /properties/a pattern: the pattern must be anchored at both ends
        Widened /properties/b pattern: character classes are not accepted
        Widened /properties/c maxLength: the repetition is too large
    "#]],
    );
}

/// Bug 21. openclaw#96729, docker-agent#1696, LibreChat#11905: strict modes make the model send null.
#[test]
fn bug_21_a_null_for_an_optional_property_is_left_out() {
    let original = r##"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"object","properties":{"d":{"type":"integer"}},"additionalProperties":false}},"required":["a"],"additionalProperties":false}"##;
    check(
        original,
        "openai-strict",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":["object","null"],"properties":{"d":{"type":["integer","null"]}},"required":["d"],"additionalProperties":false}},"required":["a","b","c"],"additionalProperties":false}
        Narrowed /properties/b required: the property cannot be left out, only be null
    "#]],
    );
    check(
        original,
        "deepseek-strict",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"anyOf":[{"type":"object","properties":{"d":{"type":["integer","null"]}},"required":["d"],"additionalProperties":false},{"type":"null"}]}},"required":["a","b","c"],"additionalProperties":false}
        Narrowed /properties/b required: the property cannot be left out, only be null
    "#]],
    );
}

/// Bug 23. colinhacks/zod#6027, #6144, #6402: `~1`, `~0` and percent signs in references.
#[test]
fn bug_23_pointers_are_decoded() {
    let original = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/Shared~1User~0"},"b":{"$ref":"#/$defs/Shared/User~"},"c":{"$ref":"#/$defs/a%25b"}},"$defs":{"Shared/User~":{"type":"string"},"a%b":{"type":"integer"}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"integer"}}}
    "#]],
    );
}

/// Bug 24. softeria/ms-365-mcp-server#571, #576: references to `#/properties/a/items`.
#[test]
fn bug_24_references_into_properties_are_resolved() {
    let original = r##"{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"},"sub":{"$ref":"#/properties/a/items"}}}},"b":{"$ref":"#/properties/a/items/properties/x"}}}"##;
    check(
        original,
        "openai",
        &expect![[r##"
        {"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}},"b":{"type":"integer"}},"$defs":{"a":{"type":"object","properties":{"x":{"type":"integer"},"sub":{"$ref":"#/$defs/a"}}}}}
    "##]],
    );
    check(
        original,
        "moonshot",
        &expect![[r##"
        {"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}},"b":{"type":"integer"}},"$defs":{"a":{"type":"object","properties":{"x":{"type":"integer"},"sub":{"$ref":"#/$defs/a"}}}}}
    "##]],
    );
}

/// Bug 25. MoonshotAI/kimi-code#830: type beside anyOf, mixed enums, tuples.
#[test]
fn bug_25_moonshot_gets_its_own_flavour() {
    let original = r##"{"type":"object","properties":{"a":{"type":"object","properties":{"k":{"type":"string"}},"anyOf":[{"required":["k"]},{"properties":{"z":{"type":"integer"}},"required":["z"]}]},"e":{"enum":["a",1]},"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}}}"##;
    check(
        original,
        "moonshot",
        &expect![[r#"
        {"type":"object","properties":{"a":{"anyOf":[{"properties":{"k":{"type":"string"}},"required":["k"],"type":"object"},{"properties":{"z":{"type":"integer"},"k":{"type":"string"}},"required":["z"],"type":"object"}]},"e":{"enum":["a","1"]},"t":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"},{}]}}}}
        Widened /properties/t prefixItems: the positions of the items are not accepted
    "#]],
    );
}

/// Bug 26. command-code#566: `$defs` missing for Moonshot.
#[test]
fn bug_26_moonshot_keeps_definitions() {
    let original = r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T","description":"The tree."}},"$defs":{"T":{"type":"object","properties":{"l":{"$ref":"#/$defs/T"}}}}}"##;
    check(
        original,
        "moonshot",
        &expect![[r##"
        {"type":"object","properties":{"t":{"description":"The tree.","anyOf":[{"$ref":"#/$defs/T"}]}},"$defs":{"T":{"type":"object","properties":{"l":{"$ref":"#/$defs/T"}}}}}
    "##]],
    );
}

/// Bug 27. zed-industries/zed#28521, pydantic/pydantic-ai#1623: extraneous keys at the root.
#[test]
fn bug_27_nova_gets_a_plain_root() {
    let original = r##"{"$schema":"http://json-schema.org/draft-07/schema#","title":"T","type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"required":["a"],"additionalProperties":false,"definitions":{"A":{"type":"string"}}}"##;
    check(
        original,
        "bedrock-nova",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}
        Widened  additionalProperties: the keyword is not accepted
    "#]],
    );
}

/// Bug 28. spring-projects/spring-ai#5640, mapbox/mcp-server#68: `$defs` and `anyOf` in the proto schema.
#[test]
fn bug_28_gemini_gets_no_definitions() {
    let original = r##"{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"string"},{"type":"null"}]}},"$defs":{"A":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}}}"##;
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]},{"type":"string"}],"nullable":true}}}
    "#]],
    );
}

/// Bug 29. shotgrid#91: `anyOf` with null and a reference.
#[test]
fn bug_29_deepseek_gets_nullable_references_written_out() {
    let original = r##"{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}},"required":["a"],"additionalProperties":false,"$defs":{"A":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}}}"##;
    check(
        original,
        "deepseek-strict",
        &expect![[r#"
        {"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false},{"type":"null"}]}},"required":["a"],"additionalProperties":false}
    "#]],
    );
}

/// Bug 30. superdoc#3588: a dangling reference.
#[test]
fn bug_30_a_reference_to_nothing_accepts_anything() {
    let original = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/missing","description":"Kept."}}}"##;
    check(
        original,
        "openai",
        &expect![[r#"
        {"type":"object","properties":{"a":{"description":"Kept."}}}
        Widened /properties/a $ref: `#/$defs/missing` refers to nothing
    "#]],
    );
    check(
        original,
        "gemini",
        &expect![[r#"
        {"type":"object","properties":{"a":{"description":"Kept.","nullable":true,"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}}}
        Widened /properties/a $ref: `#/$defs/missing` refers to nothing
    "#]],
    );
}

/// Bug 32. modelcontextprotocol/conformance, json-schema-ref-deref: a network reference.
#[test]
fn bug_32_a_reference_out_of_the_schema_is_never_followed() {
    let original = r##"{"type":"object","properties":{"a":{"$ref":"http://169.254.169.254/latest/meta-data"}}}"##;
    check(
        original,
        "anthropic",
        &expect![[r#"
        {"type":"object","properties":{"a":{}}}
        Widened /properties/a $ref: `http://169.254.169.254/latest/meta-data` leads out of the schema and is never fetched
    "#]],
    );
    check(
        original,
        "openai-strict",
        &expect![[r#"
        {"type":"object","properties":{"a":{"type":["string","number","boolean","null"]}},"required":["a"],"additionalProperties":false}
        Widened /properties/a $ref: `http://169.254.169.254/latest/meta-data` leads out of the schema and is never fetched
        Narrowed /properties/a required: the property cannot be left out, only be null
        Narrowed  additionalProperties: properties that are not declared are refused
    "#]],
    );
}

/// Bug 5. veryfront#4395, modelcontextprotocol/typescript-sdk#1563: 159 definitions written out as 42 million nodes.
#[test]
fn bug_05_fan_out_is_not_written_out() {
    let mut definitions = serde_json::Map::new();
    for level in 0..24 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        definitions.insert(format!("d{level}"), json!({ "type": "object", "properties": { "a": next, "b": next } }));
    }
    definitions.insert("d24".to_owned(), json!({ "type": "string" }));
    let original = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": definitions });
    let kept = converted(&original, "openai");
    assert!(kept.schema.to_string().len() < 100_000);
    assert!(kept.report.is_lossless());
    let cut = converted(&original, "gemini");
    assert!(cut.schema.to_string().len() < 1_000_000);
    assert!(cut.report.losses.iter().any(|loss| loss.keyword == "$ref"));
}

/// Bug 3, the other half: the string is understood where the schema leaves no doubt.
#[test]
fn bug_03_an_object_sent_as_a_string_is_read() {
    let original = json!({"type": "object", "properties": {"o": {"anyOf": [{"$ref": "#/$defs/O"}, {"type": "null"}]}},
                          "$defs": {"O": {"type": "object", "properties": {"x": {"type": "integer"}}}}});
    let validator = Validator::new(&schema(&original)).unwrap();
    assert_eq!(validator.coerce(json!({"o": "{\"x\": 1}"})), json!({"o": {"x": 1}}));
}

/// Bug 9, the way back.
#[test]
fn bug_09_aliases_come_back() {
    let original = json!({"type": "object", "properties": {"filter[name]": {"type": "string"}, "filter_name_": {"type": "string"},
                          "$top": {"type": "integer"}}, "required": ["$top"]});
    let codec = converted(&original, "anthropic").codec;
    let arguments = json!({"filter[name]": "a", "filter_name_": "b", "$top": 3});
    let sent = codec.encode(arguments.clone());
    assert_eq!(sent, json!({"filter_name__2": "a", "filter_name_": "b", "_top": 3}));
    assert_eq!(codec.decode(sent), arguments);
}

/// Bug 9, and a property that nobody declared has the name that another one is sent under.
#[test]
fn bug_09_an_undeclared_property_is_not_taken_for_an_alias() {
    let original = json!({"type": "object", "properties": {
        "e f": {"type": "integer"}, "$": {"type": "integer"}, "e_f__": {"type": "integer"},
    }});
    for id in Profile::builtin_ids() {
        let codec = converted(&original, id).codec;
        for names in
            [&["e_f"][..], &["e_f", "e f"], &["e_f_", "e_f"], &["e_f__", "e_f_"], &["e_f___", "e_f"], &["_", "$"]]
        {
            let value: Value = names.iter().enumerate().map(|(at, name)| ((*name).to_owned(), json!(at))).collect();
            let sent = codec.encode(value.clone());
            assert_eq!(codec.decode(sent.clone()), value, "{id}: {sent}");
        }
    }
}

/// Bugs 9 and 12, where a value may be an object as well as a list: both come back.
#[test]
fn bug_09_and_12_objects_and_lists_of_one_schema_come_back() {
    let original = json!({"type": "object", "properties": {"v": {
        "items": {"enum": [true, false]}, "properties": {"c[0]": {"enum": [3, 4]}},
    }}});
    for id in Profile::builtin_ids() {
        let codec = converted(&original, id).codec;
        for value in [json!({"v": [true, false]}), json!({"v": {"c[0]": 3}}), json!({"v": 1}), json!({"v": "3"})] {
            assert_eq!(codec.decode(codec.encode(value.clone())), value, "{id}");
        }
    }
    let codec = converted(&original, "gemini-json-schema").codec;
    assert_eq!(codec.encode(json!({"v": {"c[0]": 3}})), json!({"v": {"c_0_": 3}}));
    assert_eq!(codec.decode(json!({"v": ["true", "false"]})), json!({"v": [true, false]}));
}

/// Bugs 12 and 13, the way back.
#[test]
fn bug_12_and_13_stringified_values_come_back() {
    let original = json!({"type": "object", "properties": {"n": {"enum": [1, "1", true, ""]}}});
    let codec = converted(&original, "gemini").codec;
    for value in [json!(1), json!("1"), json!(true), json!("")] {
        let arguments = json!({ "n": value });
        let sent = codec.encode(arguments.clone());
        assert!(sent["n"].as_str().is_some_and(|text| !text.is_empty()), "{sent}");
        assert_eq!(codec.decode(sent), arguments);
    }
}

/// Bug 21, the way back: null means "left out" only where the original refuses null, at any depth.
#[test]
fn bug_21_null_is_left_out_unless_it_is_meant() {
    let original = json!({"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": ["string", "null"]},
        "c": {"type": "object", "properties": {"d": {"type": "integer"}}, "additionalProperties": false},
    }, "additionalProperties": false});
    let conversion = converted(&original, "openai-strict");
    let sent = json!({"a": null, "b": null, "c": {"d": null}});
    assert_eq!(conversion.codec.decode(sent), json!({"b": null, "c": {}}));
    assert!(conversion.report.is_narrowed(), "`b` can no longer be left out");
}

/// Bug 22. anthropics/claude-code#95239: the model writes `"null"` for a value that may be null.
#[test]
fn bug_22_null_in_quotes_is_null_where_no_text_is_wanted() {
    let original = json!({"type": "object", "properties": {
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "tags": {"type": ["array", "null"], "items": {"type": ["boolean", "null"]}},
        "name": {"type": ["string", "null"]},
        "size": {"type": "integer"},
        "where": {"type": "object", "properties": {"d": {"type": ["integer", "null"]}}},
    }});
    let validator = Validator::new(&schema(&original)).unwrap();
    let sent = json!({"count": "null", "tags": ["null", true], "name": "null", "size": "null", "where": {"d": "null"}});
    let meant = json!({"count": null, "tags": [null, true], "name": "null", "size": "null", "where": {"d": null}});
    assert_eq!(validator.coerce(sent), meant);
    assert_eq!(validator.validate(&meant).unwrap_err()[0].to_string(), r#"/size: expected integer, got "null""#);
}

/// Bug 31. anthropics/anthropic-sdk-python#1185: the grammar of all strict tools together is too large.
#[test]
fn bug_31_strict_tools_are_budgeted_for_the_whole_request() {
    let optional = json!({"type": "object", "additionalProperties": false, "properties": {
        "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"}, "e": {"type": "string"},
    }});
    let schemas = vec![Schema::parse(optional, Limits::default()).unwrap(); 6];
    let batch = convert_batch(&schemas, &profile("anthropic-strict"), Profile::builtin);
    let used: Vec<&str> = batch.conversions.iter().map(|conversion| conversion.profile.as_str()).collect();
    assert_eq!(used[..4], ["anthropic-strict"; 4]);
    assert_eq!(used[4..], ["anthropic"; 2]);
    assert_eq!(batch.complexity.optional_parameters, 20);
    assert!(convert(&schemas[5], &profile("anthropic")).report.is_lossless());
}
