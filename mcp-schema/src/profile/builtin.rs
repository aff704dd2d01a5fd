//! The profiles that come with the crate.

use super::Profile;

/// The ids, in alphabetical order.
pub(super) const IDS: &[&str] = &[
    "anthropic",
    "anthropic-strict",
    "bedrock-nova",
    "cohere",
    "deepseek-strict",
    "gemini",
    "gemini-json-schema",
    "groq",
    "json-schema-2020-12",
    "llama-cpp",
    "mistral",
    "moonshot",
    "openai",
    "openai-strict",
    "portable",
    "xai",
];

/// Reads a built-in profile.
pub(super) fn profile(id: &str) -> Option<Profile> {
    let text = text(id)?;
    Some(Profile::from_json(text).expect("a test reads every built-in profile"))
}

fn text(id: &str) -> Option<&'static str> {
    Some(match id {
        "anthropic" => include_str!("../../profiles/anthropic.json"),
        "anthropic-strict" => include_str!("../../profiles/anthropic-strict.json"),
        "bedrock-nova" => include_str!("../../profiles/bedrock-nova.json"),
        "cohere" => include_str!("../../profiles/cohere.json"),
        "deepseek-strict" => include_str!("../../profiles/deepseek-strict.json"),
        "gemini" => include_str!("../../profiles/gemini.json"),
        "gemini-json-schema" => include_str!("../../profiles/gemini-json-schema.json"),
        "groq" => include_str!("../../profiles/groq.json"),
        "json-schema-2020-12" => include_str!("../../profiles/json-schema-2020-12.json"),
        "llama-cpp" => include_str!("../../profiles/llama-cpp.json"),
        "mistral" => include_str!("../../profiles/mistral.json"),
        "moonshot" => include_str!("../../profiles/moonshot.json"),
        "openai" => include_str!("../../profiles/openai.json"),
        "openai-strict" => include_str!("../../profiles/openai-strict.json"),
        "portable" => include_str!("../../profiles/portable.json"),
        "xai" => include_str!("../../profiles/xai.json"),
        _ => return None,
    })
}
