use expect_test::expect;

use super::FileFormat;
use super::format::File;
use crate::new_server::NewServer;
use crate::server::RemoteTransport;

/// Edits a text in memory.
fn edited(text: &str, edit: impl FnOnce(&File<'_>) -> String) -> String {
    let document = FileFormat::McpServers.check(text).unwrap();
    edit(&File { text, document: document.as_ref(), format: FileFormat::McpServers })
}

fn files() -> NewServer {
    NewServer::stdio("mcp-server-files", ["."])
}

#[test]
fn an_empty_file_becomes_a_complete_one() {
    let text = edited("", |file| file.add("files", &files()).unwrap());
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
    let added = edited(before, |file| file.add("b", &remote).unwrap());
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
    assert_eq!(edited(&added, |file| file.remove("b")), before);
}
