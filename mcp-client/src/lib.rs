//! Every configured MCP server behind one client: the facade of the MCP toolkit.
//!
//! A [`Client`] finds the servers a user has configured in any host, starts those that are trusted, and offers their
//! tools: by id, by search, converted for a model's provider, callable under permission rules. One broken file, server,
//! tool or schema never takes its neighbours down.
//!
//! ```no_run
//! use mcp_client::{Client, process_environment};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), mcp_client::Error> {
//! let client = Client::builder(process_environment()?).build();
//! client.start().await;
//! let answer = client.call("mcp__everything__echo", json!({"message": "hi"})).await?;
//! println!("{}", answer.text());
//! # Ok(())
//! # }
//! ```
//!
//! # Example: tools for a model, and back
//!
//! ```no_run
//! use mcp_client::provider::tool_array;
//! use mcp_client::{Call, Client, process_environment};
//!
//! # async fn example(name: &str, arguments: serde_json::Value) -> Result<(), mcp_client::Error> {
//! let client = Client::builder(process_environment()?).config("servers.json").build();
//! client.start().await;
//!
//! // What goes into the request …
//! let offers = client.convert("openai")?.into_iter().map(|converted| converted.offer).collect();
//! let tools = tool_array("openai", offers);
//!
//! // … and what comes back from the model: arguments in the words of the converted schema.
//! let answer = client.call_with(Call::new(name, arguments).for_profile("openai")).await?;
//! # drop((tools, answer));
//! # Ok(())
//! # }
//! ```
//!
//! # The crates below
//!
//! Each concern is a crate of its own, usable alone, and is re-exported here under a short name: [`config`],
//! [`transport`], [`schema`], [`registry`], [`search`], [`oauth`].

mod audit;
mod browser;
mod builder;
mod call;
mod calling;
mod client;
mod configuration;
mod conversation;
mod doctor;
pub mod embed;
mod endpoint;
mod eras;
mod error;
mod form;
mod known;
mod left_out;
mod logins;
mod loopback;
mod offered;
mod outputs;
pub mod permissions;
mod pins;
mod printable;
mod process;
pub mod provider;
mod proxies;
mod remedy;
mod secrets;
mod server;
mod status;
mod tools;
mod watching;
mod withholding;

pub use mcp_config as config;
pub use mcp_oauth as oauth;
pub use mcp_registry as registry;
pub use mcp_schema as schema;
pub use mcp_search as search;
pub use mcp_transport as transport;

pub use browser::Browser;
pub use builder::ClientBuilder;
pub use call::{Answer, Approve, Call, Consent, Question};
pub use client::{Client, Converted};
pub use configuration::{Configuration, Sources};
pub use conversation::{Conversation, ConversationOptions, Outcome, Reply, ToolList};
pub use error::{Error, chain};
pub use form::form_defaults;
pub use logins::{LoginOptions, SignIn};
pub use pins::{Review, forget_pins, pin_problems};
pub use printable::{printable, printable_json, printable_line};
pub use process::process_environment;
pub use remedy::Remedy;
pub use secrets::{Secrets, Wanted};
pub use status::{Cause, CauseKind, Drifted, Noise, RejectedTool, ServerState, ServerStatus};
pub use withholding::Withholding;

/// The examples in the workspace's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
