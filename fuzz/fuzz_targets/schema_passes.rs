//! No schema makes a pass change a verdict, or a validator panic, hang or recurse for ever.
//!
//! The input is a JSON array: a schema, then the instances to judge.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_schema::{Limits, Schema, Validator, merge_all_of, resolve, upgrade};
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Ok(Value::Array(values)) = serde_json::from_slice::<Value>(data) else { return };
    let Some((first, instances)) = values.split_first() else { return };
    let Ok(schema) = Schema::parse(first.clone(), Limits::default()) else { return };
    let Ok(original) = Validator::new(&schema) else { return };
    for pass in [upgrade(&schema), resolve(&schema), merge_all_of(&schema)] {
        let parsed = Schema::parse(pass.schema, Limits::default()).expect("a pass writes a schema within the limits");
        let Ok(validator) = Validator::new(&parsed) else { continue };
        for instance in instances {
            assert_eq!(validator.is_valid(instance), original.is_valid(instance));
        }
    }
    for instance in instances {
        assert_eq!(original.validate(instance).is_ok(), original.is_valid(instance));
        let _ = original.coerce(instance.clone());
    }
});
