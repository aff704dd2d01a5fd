//! Says where logins are kept on this machine, and why not in a better place.
//!
//! ```text
//! cargo run --example keyring -- DIRECTORY
//! ```
#![expect(clippy::print_stdout, reason = "an example that shows nothing is none")]

use std::error::Error as _;
use std::path::Path;

use mcp_oauth::{Keyring, KeyringOpener, StoreKeys, StorePreference, open_store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(directory) = std::env::args().nth(1) else { return Err("usage: keyring DIRECTORY".into()) };
    let open = || Keyring::system("mcp-toolkit-example", Keyring::UNATTENDED);
    let keys = StoreKeys { keyring: Some(KeyringOpener::new(open)) };
    let chosen = open_store(Path::new(&directory), StorePreference::Auto, &keys)?;
    match &chosen.weaker {
        None => println!("{}", chosen.store.kind()),
        Some(why) => {
            let cause = why.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            println!("{}, because {why}{cause}", chosen.store.kind());
        }
    }
    Ok(())
}
