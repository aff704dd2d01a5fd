use std::ffi::OsString;

use super::process::Process;
use super::{Inherit, StdioOptions, environment_of, proxy_secrets, search_path};

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

/// I13: a server behind a company's proxy reaches the network as its host does.
#[test]
fn proxies_and_certificates_are_handed_on() {
    let names = [
        "HTTP_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "no_proxy",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
    ];
    let host = names.iter().chain(&["AWS_PROXY_KEY", "MY_PROXY", "SSL_KEY_FILE"]);
    let host: Vec<(OsString, OsString)> =
        host.map(|name| (name.into(), "http://user:hush-hush@proxy:1".into())).collect();
    let options = StdioOptions::new("server").with_host_env(host);
    let got: Vec<OsString> = environment_of(&options).into_iter().map(|(name, _)| name).collect();
    assert_eq!(got, names.map(OsString::from));
    assert!(proxy_secrets(&options).contains(&"hush-hush".to_owned()), "no error repeats the password");
    assert_eq!(environment_of(&options.with_inherit(Inherit::None)), []);
}

/// I17: what is in the way of a program is said as it is.
#[cfg(unix)]
#[test]
fn what_is_in_the_way_of_a_program_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = std::env::temp_dir().join(format!("mcp-transport-programs-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("inner")).expect("a folder");
    let write = |name: &str, text: &str, mode: u32| {
        std::fs::write(folder.join(name), text).expect("a file");
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).expect("its owner");
    };
    write("plain", "#!/bin/sh\n", 0o644);
    write("orphan", "#!/no/such/interpreter -x\n", 0o755);
    write("windows", "#!/bin/sh\r\n", 0o755);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let said = |command: &str, path: &str| {
        let options = StdioOptions::new(command).with_cwd(&folder).with_env("PATH", path);
        let _inside = runtime.enter();
        Process::spawn(&options).map(drop).expect_err("it cannot start").to_string()
    };
    let path = folder.to_str().expect("UTF-8");
    for (command, path, expected) in [
        ("./plain", "/bin", "not executable"),
        ("plain", path, "not executable"),
        ("./inner", "/bin", "it is a folder"),
        ("./missing", "/bin", "no such file; a relative command counts from the server's `cwd`"),
        ("missing", "/bin", "command `missing` not found"),
        ("./orphan", "/bin", "`/no/such/interpreter -x`, is missing"),
        ("./windows", "/bin", "carriage return"),
    ] {
        let said = said(command, path);
        assert!(said.contains(expected), "{command}: {said}");
    }
    std::fs::remove_dir_all(&folder).expect("the test's own folder");
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
