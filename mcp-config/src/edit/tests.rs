use expect_test::expect;

use super::FileFormat;
use crate::new_server::NewServer;
use crate::server::RemoteTransport;

fn files() -> NewServer {
    NewServer::stdio("mcp-server-files", ["."])
}

#[test]
fn an_empty_file_becomes_a_complete_one() {
    let text = FileFormat::McpServers.add("", "files", &files()).unwrap();
    expect![[r#"
        {
          "mcpServers": {
            "files": {
              "type": "stdio",
              "command": "mcp-server-files",
              "args": ["."]
            }
          }
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn comments_order_and_commas_of_others_stay() {
    let before = "// mine\n{\n\t\"other\": 1, // one\n\t\"mcpServers\": {\n\t\t// the first\n\t\t\"a\": {\"command\": \"a\"},\n\t},\n}\n";
    let remote = NewServer::remote("https://x.example/mcp", RemoteTransport::Http);
    let added = FileFormat::McpServers.add(before, "b", &remote).unwrap();
    expect![[r#"
        // mine
        {
        	"other": 1, // one
        	"mcpServers": {
        		// the first
        		"a": {"command": "a"},
        		"b": {
        			"type": "http",
        			"url": "https://x.example/mcp",
        		},
        	},
        }
    "#]]
    .assert_eq(&added);
    assert_eq!(FileFormat::McpServers.remove(&added, "b"), before);
}
