//! No JSON makes a conversion panic, hang or grow, whichever provider it is for, and what comes out passes the lint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_schema::{Limits, Profile, Schema, convert, lint, parameters, x_mcp_headers};
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let ids = Profile::builtin_ids();
    let profile = Profile::builtin(ids[usize::from(*choice) % ids.len()]).expect("a built-in profile");
    let _ = lint(&value, &profile);
    let _ = x_mcp_headers(&value);
    let Ok(schema) = Schema::parse(value.clone(), Limits::default()) else { return };
    assert!(parameters(&schema).iter().all(|parameter| !parameter.type_.is_empty()));
    let conversion = convert(&schema, &profile);
    assert_eq!(lint(&conversion.schema, &profile), []);
    // Any JSON may come back from a model.
    let _ = conversion.codec.decode(value.clone());
    let _ = conversion.codec.encode(value);
});
