//! Faults of servers that are processes.

use serde_json::json;

use super::{Drive, Row};
use crate::{Script, Step};

/// Larger than the 16 MiB that clients accept by default.
const OVERSIZED: usize = 17 << 20;

fn line(text: &str) -> Step {
    Step::Line(text.to_owned())
}

/// A good answer to a call.
fn good() -> Step {
    Step::Result(json!({"content": [{"type": "text", "text": "hello"}]}))
}

/// A legacy server that answers a call like this.
fn call(steps: impl IntoIterator<Item = Step>) -> Script {
    Script::legacy().on("tools/call", steps)
}

/// A legacy server that answers a listing with these tools.
fn list(tools: &serde_json::Value) -> Script {
    Script::legacy().on("tools/list", [Step::Result(json!({ "tools": tools }))])
}

pub(super) fn handshakes() -> Vec<Row> {
    let legacy = Script::legacy;
    let discovery = Script::modern().steps("server/discover");
    let late = || [vec![Step::Wait(1_000)], discovery.clone()].concat();
    let connect = |name, script| Row::stdio(name, Drive::Connect, script);
    vec![
        Row::stdio("well-behaved", Drive::Call, legacy()),
        connect("modern-only", Script::modern()),
        connect("oldest-version", legacy().version("2024-11-05")),
        connect("unknown-version", legacy().version("1999-12-31")),
        connect("silent-on-probe", legacy().on("server/discover", [])),
        connect("exits-on-probe", legacy().on("server/discover", [Step::Exit(7)])),
        connect("late-probe-answer", legacy().on("server/discover", late())),
        connect("slow-modern-only", Script::modern().on("server/discover", late())),
        connect("probe-answered-with-nonsense", legacy().on("server/discover", [Step::Result(json!({"ok": true}))])),
        connect("silent-handshake", legacy().on("server/discover", []).on("initialize", [])).silent(),
        connect("handshake-without-version", legacy().on("initialize", [Step::Result(json!({}))])),
        connect("refused-handshake", legacy().on("initialize", [Step::Error(-32000, "not today".to_owned())])),
        connect("handshake-null", legacy().on("initialize", [Step::Result(json!(null))])),
        connect("handshake-capabilities-a-list", introduces("capabilities", &json!([]))),
        connect("handshake-instructions-a-number", introduces("instructions", &json!(7))),
        connect("handshake-without-a-name", introduces("serverInfo", &json!(null))),
    ]
}

/// A legacy server that introduces itself with this value for a member.
fn introduces(member: &str, value: &serde_json::Value) -> Script {
    let mut result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "odd", "version": "1"},
    });
    result[member] = value.clone();
    Script::legacy().on("initialize", [Step::Result(result)])
}

pub(super) fn answers() -> Vec<Row> {
    let row = |name, answer: &str| Row::stdio(name, Drive::CallTwice, call([line(answer)]));
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"deep":{}{}}}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    vec![
        row("neither-result-nor-error", r#"{"jsonrpc":"2.0","id":$ID}"#),
        row("result-and-error", r#"{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"x"}}"#),
        row("error-code-a-string", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":"E","message":"x"}}"#),
        row("error-code-a-fraction", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000.5,"message":"x"}}"#),
        row("error-without-message", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-1}}"#),
        row("error-not-an-object", r#"{"jsonrpc":"2.0","id":$ID,"error":"x"}"#),
        row("missing-jsonrpc", r#"{"id":$ID,"result":{"content":[]}}"#),
        row("id-as-string", r#"{"jsonrpc":"2.0","id":"$ID","result":{"content":[]}}"#),
        row("id-as-float", r#"{"jsonrpc":"2.0","id":$ID.0,"result":{"content":[]}}"#),
        row(
            "stray-answers-first",
            concat!(
                r#"{"jsonrpc":"2.0","id":"x","result":{}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":-1,"message":"no"}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#
            ),
        ),
        row("banner-on-the-line", r#"ready> {"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#),
        row(
            "two-messages-on-a-line",
            r#"{"jsonrpc":"2.0","method":"notifications/x"}{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#,
        ),
        row("id-beyond-all-numbers", r#"{"jsonrpc":"2.0","id":1e999,"result":{"content":[]}}"#).silent(),
        row("id-an-object", r#"{"jsonrpc":"2.0","id":{"n":$ID},"result":{"content":[]}}"#).silent(),
        row("id-null-with-error", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#),
        row("result-null", r#"{"jsonrpc":"2.0","id":$ID,"result":null}"#),
        row("result-an-array", r#"{"jsonrpc":"2.0","id":$ID,"result":[1]}"#),
        row("broken-json", r#"{"jsonrpc":"2.0","id":$ID,"result":{"a":}}"#),
        row("duplicate-member", r#"{"jsonrpc":"2.0","id":$ID,"result":{},"result":{}}"#),
        row("unknown-content-block", r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"hologram"}]}}"#),
        row("deep-nesting", &deep),
        row(
            "batch",
            r#"[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}]"#,
        ),
        row("half-of-a-character", r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"text":"\ud800"}}"#),
        row("not-a-number", r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"number":NaN}}"#),
        row("number-beyond-all-numbers", r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"number":1e999}}"#),
        row("line-ends-of-windows", "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\r"),
        row("answer-over-several-lines", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": $ID,\n  \"result\": {}\n}").silent(),
        row("answer-in-a-frame", "Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}").silent(),
    ]
}

/// Answers that are no line, or not the only one, or none.
pub(super) fn streams() -> Vec<Row> {
    let invalid_text = b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"text\":\"\xff\xfe\"}}\n".to_vec();
    vec![
        Row::stdio("half-a-line-and-gone", Drive::CallTwice, call([half_a_line(), Step::Exit(0)])),
        Row::stdio("half-a-line-and-silence", Drive::CallTwice, call([half_a_line()])).silent(),
        Row::stdio("invalid-utf-8", Drive::CallTwice, call([Step::Bytes(invalid_text)])),
        Row::stdio("duplicate-answer", Drive::CallTwice, call([good(), good()])),
        Row::stdio("oversized-answer", Drive::CallTwice, call([Step::Big(OVERSIZED)])),
        Row::stdio("silent-call", Drive::CallTwice, call([])).silent(),
        Row::stdio("answers-in-reverse", Drive::CallBoth, reversed()),
        Row::stdio("progress-without-end", Drive::Call, call([endless_progress()])).silent(),
    ]
}

fn half_a_line() -> Step {
    Step::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"re"#.to_vec())
}

/// Answers both of two calls once the second is there.
fn reversed() -> Script {
    call([Step::AnswerPairsReversed])
}

fn endless_progress() -> Step {
    Step::Forever(vec![line(&progress("$TOKEN"))], 50)
}

fn progress(token: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
    )
}

pub(super) fn noise() -> Vec<Row> {
    let row = |name, noise: Step| Row::stdio(name, Drive::Call, call([noise, good()]));
    let oversized_news = format!(r#"{{"jsonrpc":"2.0","method":"x","params":"{}"}}"#, "x".repeat(OVERSIZED));
    let ask = |id, method: &str| Step::Ask(id, method.to_owned(), json!({"message": "?", "requestedSchema": {}}));
    vec![
        row("banner-on-stdout", line("Server listening on stdio…")),
        row("json-log-on-stdout", line(r#"{"level":30,"msg":"starting"}"#)),
        row("array-on-stdout", line("[1, 2]")),
        row("byte-order-mark", Step::Bytes("\u{feff}".into())),
        row("blank-lines", Step::Bytes(b"\r\n\n \r\n".to_vec())),
        row("nul-bytes-on-stdout", Step::Bytes(b"\0\0\0\n".to_vec())),
        row("colours-on-stdout", line("\u{1b}[32mINFO\u{1b}[0m ready")),
        row("unknown-notification", line(r#"{"jsonrpc":"2.0","method":"notifications/surprise","params":{"a":1}}"#)),
        row("malformed-notification", line(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#)),
        row("progress-for-a-stranger", line(&progress(r#""nobody""#))),
        row(
            "cancellation-of-our-call",
            line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$ID}}"#),
        ),
        row("unknown-request", ask(json!(99), "surprise/me")),
        row("answer-to-a-notification", line(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#)),
        row("refusal-of-a-notification", line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}"#)),
        row("request-with-an-id-of-ours", line(r#"{"jsonrpc":"2.0","id":$ID,"method":"roots/list"}"#)),
        row("ping-from-the-server", ask(json!("p"), "ping")),
        row("unwanted-elicitation", ask(json!(1), "elicitation/create")),
        row("unwanted-sampling", ask(json!(2), "sampling/createMessage")),
        row("question-without-an-id", line(r#"{"jsonrpc":"2.0","id":null,"method":"roots/list"}"#)),
        Row::stdio("pings-without-end", Drive::Call, call([Step::Forever(vec![ask(json!("p"), "ping")], 1)])).silent(),
        row("stderr-flood", Step::Stderr(1 << 20)),
        row("oversized-notification", line(&oversized_news)),
        Row::stdio("line-without-end", Drive::Call, call([Step::Flood("x".repeat(1 << 16))])),
    ]
}

pub(super) fn lists() -> Vec<Row> {
    let good = json!({"name": "good", "inputSchema": {"type": "object"}});
    let bad = |bad: serde_json::Value| list(&json!([bad, good]));
    let pages = |pages: serde_json::Value| {
        let pages = pages.as_array().cloned().unwrap_or_default();
        Script::legacy().on("tools/list", [Step::Results(pages)])
    };
    let row = |name, script| Row::stdio(name, Drive::List, script);
    vec![
        row("tool-without-schema", bad(json!({"name": "bad"}))),
        row("tool-schema-true", bad(json!({"name": "bad", "inputSchema": true}))),
        row("tool-without-name", bad(json!({"inputSchema": {}}))),
        row("tool-not-an-object", bad(json!(7))),
        row("tool-description-a-number", bad(json!({"name": "bad", "inputSchema": {}, "description": 7}))),
        row("tool-name-empty", bad(json!({"name": "", "inputSchema": {"type": "object"}}))),
        row("tool-annotations-a-text", bad(json!({"name": "bad", "inputSchema": {}, "annotations": "read-only"}))),
        row("two-tools-of-one-name", list(&json!([good, good]))),
        row("listing-without-tools", Script::legacy().on("tools/list", [Step::Result(json!({}))])),
        row("tools-not-an-array", list(&json!({}))),
        row("no-tools-method", Script::legacy().on("tools/list", [Step::Error(-32601, "unknown".to_owned())])),
        row("two-pages", pages(json!([{"tools": [good], "nextCursor": "2"}, {"tools": [good]}]))),
        row("empty-cursor-is-a-cursor", pages(json!([{"tools": [good], "nextCursor": ""}, {"tools": [good]}]))),
        row("cursor-null", pages(json!([{"tools": [good], "nextCursor": null}]))),
        row("cursor-a-number", pages(json!([{"tools": [good], "nextCursor": 2}]))),
        row("repeated-cursor", pages(json!([{"tools": [good], "nextCursor": "same"}]))),
        row("endless-cursor", Script::legacy().on("tools/list", [Step::EndlessPages])),
        row("second-page-broken", pages(json!([{"tools": [good], "nextCursor": "2"}, {"tools": 7}]))),
    ]
}

pub(super) fn processes() -> Vec<Row> {
    let legacy = Script::legacy;
    let boom = || Step::StderrLine("boom".to_owned());
    vec![
        Row::stdio("dies-at-once", Drive::Connect, legacy().at_start([boom(), Step::Exit(3)])),
        Row::stdio("dies-during-a-call", Drive::CallTwice, call([boom(), Step::Exit(9)])),
        Row::stdio("stops-reading", Drive::CallTwice, call([Step::Wait(3_600_000)])).silent(),
        Row::stdio("closes-stdout-and-lives", Drive::Call, call([Step::Close])),
        Row::stdio("grandchild", Drive::Call, legacy().at_start([Step::Grandchild])),
        Row::stdio("ignores-end-of-input", Drive::Call, legacy().at_end([Step::Wait(3_600_000)])),
    ]
}
