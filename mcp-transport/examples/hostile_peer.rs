//! `hostile_peer ROW` plays one row of the fault table on its standard streams.

use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(script) = mcp_testkit::script(&name) else { return ExitCode::from(2) };
    ExitCode::from(u8::try_from(mcp_testkit::run_stdio(&script)).unwrap_or(1))
}
