use std::sync::Arc;
use std::time::Duration;

use super::{Error, Exit};

#[test]
fn a_dead_process_is_explained() {
    let text = |exit: Exit| Error::Exited(Arc::new(exit)).to_string();
    let tail = "one\ntwo\n\nthree\nfour\n".to_owned();
    assert_eq!(
        text(Exit { status: Some(3), signal: None, stderr_tail: tail }),
        "server process ended: exit status 3; stderr ends with: two | three | four"
    );
    assert_eq!(
        text(Exit { status: None, signal: Some(9), stderr_tail: String::new() }),
        "server process ended: killed by signal 9; it wrote nothing to stderr"
    );
}

#[test]
fn a_silent_server_shows_what_it_wrote() {
    let silent = |stderr_tail: &str| {
        let error = Error::Silent { after: Duration::from_secs(30), stdout: None, stderr_tail: stderr_tail.to_owned() };
        assert!(error.is_timeout());
        error.to_string()
    };
    assert_eq!(silent(""), "no handshake within 30s; give it a longer `startupTimeout` if it is only slow");
    assert_eq!(
        silent("Enter your API key:"),
        "no handshake within 30s; stderr ends with: Enter your API key:; give it a longer `startupTimeout` if it is only slow"
    );
}

#[test]
fn predicates_do_not_overlap() {
    let url = "http://localhost/".to_owned();
    let errors = [
        (Error::closed("x"), [true, false, false, false]),
        (Error::Timeout { method: "m".to_owned(), after: Duration::ZERO }, [false, true, false, false]),
        (Error::CommandNotFound { command: "c".to_owned() }, [false, false, true, false]),
        (Error::AuthRequired { url, status: 401, challenge: None }, [false, false, false, true]),
    ];
    for (error, expected) in errors {
        let got = [error.is_closed(), error.is_timeout(), error.is_unreachable(), error.is_auth_required()];
        assert_eq!(got, expected, "{error}");
    }
}
