//! No bytes make a reader panic or hang, whichever host's file they claim to be, and nothing that is read can be shown
//! wrongly: every server previews, serialises and prompts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_config::{Host, Layer, Scope, Source, TrustStore, merge};

const NAMES: [&str; 5] = ["mcp.json", "settings.json", "config.toml", "config.yaml", "mcp-servers/x.json"];

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let host = Host::ALL[usize::from(*choice) % Host::ALL.len()];
    for scope in [Scope::User, Scope::Project] {
        for name in NAMES {
            let (layer, problems) = Layer::parse(Source::new(host, scope), name, bytes);
            for problem in &problems {
                assert!(!problem.to_string().is_empty());
            }
            for server in merge(&[layer], &TrustStore::default()).servers {
                assert!(serde_json::to_string(&server).is_ok());
                assert!(!server.prompt().to_string().is_empty());
                assert_eq!(server.trusted().is_ok(), scope == Scope::User && !server.trust().to_string().contains("denied"));
            }
        }
    }
});
