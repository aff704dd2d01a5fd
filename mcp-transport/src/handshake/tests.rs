use serde_json::value::RawValue;

use super::{is_refusing_status, read_discovery, read_initialization, speaks_legacy};
use crate::{Error, RpcError};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("valid JSON")
}

#[test]
fn what_a_refused_probe_means() {
    let check = |code: i64, data: Option<&str>, legacy: bool| {
        let mut error = RpcError::new(code, "no");
        error.data = data.map(ToOwned::to_owned);
        let error = Error::Rpc { method: "server/discover".to_owned(), error };
        assert_eq!(speaks_legacy(&error), legacy, "{code} {data:?}");
    };
    check(-32601, None, true);
    check(-32600, None, true);
    check(0, None, true);
    check(-32022, None, true);
    check(-32022, Some(r#"{"supported":["2025-06-18"]}"#), true);
    check(-32022, Some(r#"{"supported":["2031-01-01"]}"#), false);
    check(-32021, None, false);
    check(-32020, None, false);
}

#[test]
fn logins_and_delays_are_no_verdict_on_the_era() {
    let refusing: Vec<u16> = (399..=501).filter(|status| is_refusing_status(*status)).collect();
    for status in [401, 403, 408, 429, 399, 500] {
        assert!(!refusing.contains(&status), "{status}");
    }
    for status in [400, 404, 405, 406, 415] {
        assert!(refusing.contains(&status), "{status}");
    }
}

#[test]
fn discoveries() {
    let peer = read_discovery(&raw(
        r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#,
    ));
    assert_eq!(peer.expect("modern").server.map(|server| server.name), Some("s".to_owned()));
    assert!(matches!(read_discovery(&raw("{}")), Err(Error::Protocol { .. })));
    let only_old = read_discovery(&raw(r#"{"supportedVersions":["2025-06-18"]}"#)).expect_err("no common version");
    assert!(speaks_legacy(&only_old));
}

#[test]
fn only_known_versions_are_accepted() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert!(read_initialization(&raw(&format!(r#"{{"protocolVersion":"{version}"}}"#))).is_ok(), "{version}");
    }
    for version in ["2026-07-28", "1.0", ""] {
        let error = read_initialization(&raw(&format!(r#"{{"protocolVersion":"{version}"}}"#))).expect_err(version);
        assert!(matches!(error, Error::NoCommonVersion { .. }), "{error}");
    }
}
