//! Looking at processes from outside.

use std::path::{Path, PathBuf};

/// The path of an example binary of the crate under test, which `cargo test` and `cargo nextest run` build.
///
/// # Panics
///
/// If it is not there: the run was limited to one test target. Run the crate's tests as a whole.
pub fn example_binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    let folder = test.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let binary = folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(binary.exists(), "{} is missing; build it with `cargo build --examples`", binary.display());
    binary
}

/// Whether a process of that id exists and is no zombie (Linux; elsewhere whether it exists, zombies included).
pub fn process_exists(id: u32) -> bool {
    if cfg!(target_os = "linux") {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
        return state.is_some_and(|state| state != 'Z');
    }
    let found = std::process::Command::new("kill").args(["-0", &id.to_string()]).output();
    found.is_ok_and(|output| output.status.success())
}

/// The ids of the living processes whose command line contains `text` (Linux; elsewhere always empty).
pub fn children_named(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    let mut found: Vec<u32> = ids.filter(|id| command_line(*id).contains(text) && process_exists(*id)).collect();
    found.sort_unstable();
    found
}

fn command_line(id: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
