//! Small catalogues of tools.

use mcp_search::{Answer, Document, Index, Options};

/// A tool without parameters.
pub(crate) fn tool(server: &str, name: &str, description: &str) -> Document {
    Document {
        id: format!("mcp__{server}__{name}"),
        server: server.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        ..Document::default()
    }
}

/// An index of the given tools.
pub(crate) fn index(tools: impl IntoIterator<Item = Document>) -> Index {
    let mut index = Index::new(Options::default());
    for tool in tools {
        index.insert(tool);
    }
    index
}

/// Three servers with tools that one can confuse.
pub(crate) fn office() -> Index {
    index([
        tool("github", "create_issue", "Open a new issue in a repository."),
        tool("github", "list_issues", "List the issues of a repository."),
        tool("github", "create_pull_request", "Open a pull request."),
        tool("github", "search", "Search code, issues and people."),
        tool("tracker", "create_issue", "Create a ticket."),
        tool("tracker", "search", "Find tickets."),
        tool("mail", "sendMessage", "Send an e-mail to one or more people."),
        tool("files", "read_text_file", "Read a file as text."),
        tool("bing", "search_web", "使用必应搜索指定的关键词，并返回搜索结果列表"),
    ])
}

/// The ids of an answer's hits, in order.
pub(crate) fn ids(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.id.as_str()).collect()
}

/// Admits every tool.
pub(crate) fn all(_id: &str) -> bool {
    true
}
