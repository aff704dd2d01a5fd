/*!
Scripted MCP peers for the tests of the I/O crates: servers that do exactly what a test wants, however wrong.

A [`Script`] says how a server answers each method. The same script runs as a child process ([`run_stdio`], through a
small binary of the testing crate) and as an HTTP server in the test's own process ([`HttpPeer`]).

```
use mcp_testkit::{Script, Step};
use serde_json::json;

// A legacy server whose tool list has one tool without a schema.
let script = Script::legacy().on("tools/list", [Step::Result(json!({"tools": [{"name": "broken"}]}))]);
assert_eq!(script.steps("tools/list").len(), 1);
```
*/

mod authorization_server;
mod http_peer;
mod process;
mod rows;
mod script;
mod stdio_peer;
mod tcp_proxy;
mod tools;
mod well_behaved;

pub use authorization_server::{AuthorizationServer, Fault, Quirk};
pub use http_peer::{HttpAnswer, HttpPeer, HttpRequest};
pub use process::{children_named, example_binary, process_exists};
pub use rows::{Drive, Row, Server, legacy_http, modern_http, rows, script};
pub use script::{Script, Step};
pub use stdio_peer::run_stdio;
pub use tcp_proxy::TcpProxy;
pub use tools::{ordinary_tool, ordinary_tools, tool};
pub use well_behaved::well_behaved;
