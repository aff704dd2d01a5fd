//! temporary
use mcp_transport::*;
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};
use std::sync::Arc;

struct Defaults;
impl Handler for Defaults {
    fn features(&self) -> Features {
        Features { elicitation_form: true, elicitation_url: true, sampling: true, roots: true }
    }
    fn elicit<'a>(&'a self, _s: &'a str, q: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async move {
            match q {
                Elicitation::Form { schema, .. } => {
                    let schema: Value = serde_json::from_str(schema.get()).unwrap();
                    let mut content = serde_json::Map::new();
                    for (k, v) in schema["properties"].as_object().into_iter().flatten() {
                        if let Some(d) = v.get("default") {
                            content.insert(k.clone(), d.clone());
                        } else if v["type"] == "string" {
                            content.insert(k.clone(), json!("x"));
                        } else if v["type"] == "boolean" {
                            content.insert(k.clone(), json!(true));
                        } else {
                            content.insert(k.clone(), json!(1));
                        }
                    }
                    ElicitationAnswer::Accept(Some(to_raw_value(&content).unwrap()))
                }
                _ => ElicitationAnswer::Accept(None),
            }
        })
    }
    fn sample<'a>(&'a self, _s: &'a str, _r: &'a RawValue) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(async {
            Ok(to_raw_value(&json!({"role":"assistant","model":"m","content":{"type":"text","text":"hi"}})).unwrap())
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().last().unwrap();
    let env: std::collections::HashMap<String, String> = std::env::vars().collect();
    let scenario = env["MCP_CONFORMANCE_SCENARIO"].clone();
    let version = env.get("MCP_CONFORMANCE_PROTOCOL_VERSION").cloned().unwrap_or_default();
    let context: Value =
        env.get("MCP_CONFORMANCE_CONTEXT").and_then(|c| serde_json::from_str(c).ok()).unwrap_or_default();
    let neg = if version < "2026".to_owned() { Negotiation::LegacyOnly } else { Negotiation::Auto };
    let c = connect(
        Endpoint::Http(HttpOptions::new(url)),
        ConnectOptions::default().with_handler(Arc::new(Defaults)).with_negotiation(neg),
    )
    .await?;
    let tools = c.list_tools().await?;
    eprintln!("{scenario} {version}: {} tools, rejected {:?}", tools.items.len(), tools.rejected);
    if let Some(calls) = context["toolCalls"].as_array() {
        for call in calls {
            let r = c.call_tool(call["name"].as_str().unwrap(), Some(&to_raw_value(&call["arguments"]).unwrap())).await;
            eprintln!("{r:?}");
        }
    } else if scenario == "json-schema-2020-12-preservation" {
        let t = tools.items.iter().find(|t| t.name == "json_schema_2020_12_tool").unwrap();
        let args = format!(r#"{{"schema":{}}}"#, t.input_schema.get());
        eprintln!("{:?}", c.call_tool("json_schema_echo", Some(&RawValue::from_string(args)?)).await);
    } else {
        for t in &tools.items {
            let schema: Value = serde_json::from_str(t.input_schema.get())?;
            let mut args = serde_json::Map::new();
            for (k, v) in schema["properties"].as_object().into_iter().flatten() {
                args.insert(
                    k.clone(),
                    match v["type"].as_str() {
                        Some("string") => json!("x"),
                        Some("boolean") => json!(true),
                        _ => json!(5),
                    },
                );
            }
            eprintln!("{} -> {:?}", t.name, c.call_tool(&t.name, Some(&to_raw_value(&args)?)).await);
        }
    }
    c.shutdown().await;
    Ok(())
}
