use std::path::{Path, PathBuf};

use super::Programs;
use crate::environment::{Environment, Platform};

/// Which files a name may start, on this `PATH`.
fn candidates(platform: Platform, path: &str, program: &str) -> Vec<String> {
    let environment =
        Environment::new("/work/sub").with_home("/home/ada").with_platform(platform).with_vars([("PATH", path)]);
    let found = Programs::new(&environment).candidates(program).map(|path| path.to_string_lossy().into_owned());
    found.collect()
}

#[test]
fn only_absolute_entries_of_the_path_are_searched() {
    for path in ["", ":", ".", "bin", "./bin:../bin:", "~/bin", "~"] {
        assert_eq!(candidates(Platform::Linux, path, "embsearch"), [""; 0], "{path:?}");
    }
    for path in ["/b:", ":/b", ".:/b:.", "bin:/b:./c", "/b::"] {
        assert_eq!(candidates(Platform::Linux, path, "embsearch"), ["/b/embsearch"], "{path:?}");
    }
    assert_eq!(candidates(Platform::MacOs, "/a:/b", "x"), ["/a/x", "/b/x"]);
}

#[test]
fn a_program_with_a_separator_is_a_path_from_where_it_is_started() {
    for (program, expected) in
        [("./run.sh", "/work/sub/./run.sh"), ("bin/x", "/work/sub/bin/x"), ("/opt/x", "/opt/x"), ("~/x", "/home/ada/x")]
    {
        assert_eq!(candidates(Platform::Linux, "/b:.", program), [expected], "{program}");
    }
    let environment = Environment::new("/work");
    let programs = Programs::new(&environment).with_cwd(Path::new("/other"));
    assert_eq!(programs.candidates("./x").collect::<Vec<_>>(), [PathBuf::from("/other/./x")]);
}

#[test]
fn no_name_starts_nothing() {
    for platform in [Platform::Linux, Platform::Windows] {
        assert_eq!(candidates(platform, "/b", ""), [""; 0]);
    }
    let bare = Environment::new("/work").with_platform(Platform::Linux);
    assert_eq!(Programs::new(&bare).find("sh"), None, "without a PATH nothing is looked for anywhere");
}

#[test]
fn windows_tries_the_extensions_of_pathext() {
    let names = |program| {
        let environment = Environment::new("/work")
            .with_platform(Platform::Windows)
            .with_vars([("Path", r#"C:\bin;;.;C:rel;"/q""#), ("PathExt", ".EXE;.CMD")]);
        let found = Programs::new(&environment).candidates(program);
        found.map(|path| path.to_string_lossy().replace('\\', "/")).collect::<Vec<_>>()
    };
    assert_eq!(names("npx"), ["C:/bin/npx.EXE", "C:/bin/npx.CMD", "/q/npx.EXE", "/q/npx.CMD"]);
    assert_eq!(names("npx.cmd")[..3], ["C:/bin/npx.cmd", "C:/bin/npx.cmd.EXE", "C:/bin/npx.cmd.CMD"]);
    assert_eq!(names("€"), ["C:/bin/€.EXE", "C:/bin/€.CMD", "/q/€.EXE", "/q/€.CMD"]);
    assert_eq!(names("./x")[..1], ["/work/./x.EXE"]);
}

#[test]
fn a_search_path_for_others_has_no_relative_entry() {
    for (platform, path, expected) in [
        (Platform::Linux, "/a::.:/b:", Some("/a:/b")),
        (Platform::Linux, ":", None),
        (Platform::Windows, r"C:\a;;.;C:\b;", Some(r"C:\a;C:\b")),
    ] {
        let environment = Environment::new("/work").with_platform(platform).with_vars([("PATH", path)]);
        assert_eq!(Programs::new(&environment).search_path().as_deref(), expected);
    }
}

#[cfg(unix)]
#[test]
fn the_first_file_that_can_be_run_is_found() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let place = |folder: &str, mode: u32| {
        let file = directory.path().join(folder).join("tool");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    };
    place("data", 0o644);
    std::fs::create_dir_all(directory.path().join("folder/tool")).unwrap();
    let (first, second) = (place("first", 0o755), place("second", 0o755));
    let folders = ["data", "folder", "missing", "first", "second"].map(|name| directory.path().join(name));
    let path = folders.map(|folder| folder.to_string_lossy().into_owned()).join(":");
    let environment = Environment::new(directory.path()).with_platform(Platform::Linux).with_vars([("PATH", path)]);
    let programs = Programs::new(&environment);
    assert_eq!(programs.find("tool"), Some(first));
    assert_eq!(programs.find("second/tool"), Some(second));
    assert_eq!(programs.find("data/tool"), None);
}
