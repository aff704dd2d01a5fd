//! `hostile_peer ROW` plays one row of the fault table on its standard streams.

use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    match mcp_testkit::rows().into_iter().find(|row| row.name == name) {
        Some(row) => ExitCode::from(u8::try_from(mcp_testkit::run_stdio(&row.script)).unwrap_or(1)),
        None => ExitCode::from(2),
    }
}
