//! Files of the toolkit's own: logs that are chained and bounded, and what killed writers leave.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use mcp_config::{Edit, FileFormat, NewServer, OwnFile};

use crate::support::World;

/// Appends the last line's first word plus one.
fn count(file: &OwnFile, most: u64, tail: &str) {
    file.append_within(most, |last| {
        let last = last.and_then(|last| last.split(' ').next()?.parse::<u32>().ok()).unwrap_or_default();
        format!("{} {tail}", last + 1)
    })
    .unwrap();
}

#[test]
fn a_log_goes_on_from_its_last_line_however_long_that_is() {
    let world = World::new();
    let file = OwnFile::new(world.home.join("log"));
    for length in [0, 10, 64 * 1024 - 3, 64 * 1024, 100_000, 2_000_000, 5] {
        count(&file, u64::MAX, &"x".repeat(length));
    }
    let text = String::from_utf8(file.read_bytes(u64::MAX).unwrap()).unwrap();
    let numbers: Vec<&str> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(numbers, ["1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn a_log_begins_anew_when_it_is_full_and_the_chain_goes_on() {
    let world = World::new();
    let path = world.home.join("log");
    let file = OwnFile::new(&path);
    for _ in 0..60 {
        count(&file, 20, "");
    }
    let part = |name: &str| fs::read_to_string(world.home.join(name)).unwrap_or_default();
    let parts: Vec<String> = ["log.4", "log.3", "log.2", "log.1", "log"].map(part).into();
    assert!(parts.iter().all(|part| !part.is_empty() && part.len() < 30), "{parts:?}");
    assert!(!world.home.join("log.5").exists());
    let numbers: Vec<u32> = parts.concat().lines().map(|line| line.trim().parse().unwrap()).collect();
    let expected: Vec<u32> = (61 - u32::try_from(numbers.len()).unwrap()..=60).collect();
    assert_eq!(numbers, expected, "the parts follow each other and end at the last line");
}

#[test]
fn what_is_no_file_cannot_be_appended_to() {
    let world = World::new().home("log/in-the-way", "").home("file", "");
    for path in ["log", "file/below"] {
        let file = OwnFile::new(world.home.join(path));
        assert!(file.check_append().is_err(), "{path}");
        assert!(file.append(|_| String::new()).is_err(), "{path}");
    }
    let new = OwnFile::new(world.home.join("not/yet/there"));
    new.check_append().unwrap();
    assert!(!world.home.join("not").exists(), "a check leaves nothing behind");
    new.append(|_| String::new()).unwrap();
    new.check_append().unwrap();
    #[cfg(target_os = "linux")]
    for device in ["/dev/null", "/dev/zero"] {
        assert!(OwnFile::new(device).check_append().is_err(), "{device} has no last line");
    }
}

#[test]
fn what_killed_writers_leave_is_swept() {
    let world = World::new().home("mcp.json", "{}").home("precious", "kept");
    let long_ago = SystemTime::now() - Duration::from_hours(2);
    let name = |name: &str| world.home.join(name);
    let age = |path: &str, time: SystemTime| File::options().write(true).open(name(path)).unwrap().set_modified(time);
    let (old, fresh) = (".mcp-toolkit-aBc123.tmp", ".mcp-toolkit-xYz789.tmp");
    let strangers = [".mcp-config", ".mcp-server", ".mcp-toolkit-notes", "notes.tmp", "x.mcp-toolkit-aBc123.tmp"];
    for file in [old, fresh].into_iter().chain(strangers) {
        fs::write(name(file), "half").unwrap();
        age(file, long_ago).unwrap();
    }
    age(fresh, SystemTime::now()).unwrap();
    age("precious", long_ago).unwrap();
    fs::create_dir(name(".mcp-toolkit-folder.tmp")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("precious", name(".mcp-toolkit-link12.tmp")).unwrap();

    let mut edit = Edit::open(name("mcp.json"), FileFormat::McpServers).unwrap();
    edit.add("a", &NewServer::stdio("a", ["b"])).unwrap();
    edit.save().unwrap();
    assert!(!name(old).exists(), "an abandoned file is removed");
    for kept in [fresh, "precious", ".mcp-toolkit-folder.tmp"].into_iter().chain(strangers) {
        assert!(name(kept).exists(), "{kept} is gone");
    }
}
