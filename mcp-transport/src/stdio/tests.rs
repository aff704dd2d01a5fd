use std::ffi::OsString;

use super::{Inherit, StdioOptions, environment_of, search_path};

fn options(inherit: Inherit) -> StdioOptions {
    let host = [("HOME", "/h"), ("PATH", "/bin"), ("AWS_SECRET", "s"), ("SHELL", "() { evil; }")];
    StdioOptions::new("server")
        .with_inherit(inherit)
        .with_host_env(host.map(|(name, value)| (OsString::from(name), OsString::from(value))))
        .with_env("TOKEN", "t")
        .with_env("HOME", "/declared")
}

fn check(inherit: Inherit, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
    assert_eq!(environment_of(&options(inherit)), expected, "{inherit:?}");
}

#[cfg(unix)]
#[test]
fn declared_variables_win_over_inherited_ones() {
    check(Inherit::Safe, &[("PATH", "/bin"), ("TOKEN", "t"), ("HOME", "/declared")]);
    check(
        Inherit::All,
        &[("PATH", "/bin"), ("AWS_SECRET", "s"), ("SHELL", "() { evil; }"), ("TOKEN", "t"), ("HOME", "/declared")],
    );
    check(Inherit::None, &[("TOKEN", "t"), ("HOME", "/declared")]);
}

#[test]
fn commands_are_looked_up_on_the_declared_path_first() {
    let options = options(Inherit::None);
    assert_eq!(search_path(&options), Some("/bin".into()));
    assert_eq!(search_path(&options.with_env("PATH", "/own")), Some("/own".into()));
}

#[cfg(unix)]
#[test]
fn commands_are_looked_up_in_absolute_folders_only() {
    for (path, expected) in
        [("", None), (":", None), (".:bin:../bin:~/bin", None), (":/b", Some("/b")), ("/a::.:/b:bin:", Some("/a:/b"))]
    {
        let declared = StdioOptions::new("server").with_env("PATH", path);
        let inherited = StdioOptions::new("server").with_host_env([("PATH".into(), path.into())]);
        for options in [declared, inherited] {
            assert_eq!(search_path(&options), expected.map(OsString::from), "{path:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_inherited_path_is_handed_on_without_its_relative_entries() {
    for inherit in [Inherit::Safe, Inherit::All] {
        let options = StdioOptions::new("server").with_inherit(inherit);
        let options = options.with_host_env([("PATH".into(), ":/a:.:/b".into())]);
        assert_eq!(environment_of(&options), [("PATH".into(), "/a:/b".into())], "{inherit:?}");
        let nowhere = StdioOptions::new("server").with_inherit(inherit).with_host_env([("PATH".into(), ":.".into())]);
        assert_eq!(environment_of(&nowhere), [], "an empty PATH would mean the current folder");
        let declared = options.with_env("PATH", ".:/c");
        assert_eq!(environment_of(&declared), [("PATH".into(), ".:/c".into())], "what is declared was approved");
    }
}

#[test]
fn debug_shows_no_value() {
    let text = format!("{:?}", options(Inherit::All));
    for secret in ["\"t\"", "/declared", "AWS_SECRET", "/bin"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(text.contains("TOKEN"), "{text}");
}
