use super::{Account, Credential, Freshness, Slot};
use crate::client::{Client, ClientOrigin};
use crate::error::LoginReason;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::timestamp::Timestamp;
use crate::token_response::TokenResponse;

fn slot(server: &str, account: &str) -> Slot {
    Slot::new(Resource::published(server), Account::new(account))
}

fn credential() -> Credential {
    let server = AuthorizationServer::parse(br#"{"issuer":"https://as"}"#).unwrap();
    Credential::new(slot("https://h/mcp", "default"), server, Client::public("c", ClientOrigin::Registered), None)
}

fn response(lifetime: Option<u64>, refresh: Option<&str>) -> TokenResponse {
    let members = serde_json::json!({
        "access_token": "canary-access", "token_type": "bearer", "expires_in": lifetime, "refresh_token": refresh,
    });
    serde_json::from_value(members).unwrap()
}

#[test]
fn bug_31_the_name_of_a_record_depends_on_what_it_is_for_and_nothing_else() {
    assert_eq!(slot("https://h/mcp", "a").id(), slot("https://h/mcp", "a").id());
    assert_ne!(slot("https://h/mcp", "a").id(), slot("https://h/mcp", "b").id());
    assert_ne!(slot("https://h/mcp", "a").id(), slot("https://h/mcpa", "").id());
    assert_eq!(credential().id().len(), 65);
    assert_eq!(
        credential().id(),
        credential().renewed(&response(None, None), &Scopes::default(), Timestamp::default()).id()
    );
}

#[test]
fn freshness_by_age() {
    let at = Timestamp::from_seconds;
    for (lifetime, age, expected) in [
        (None, 1_000_000, Freshness::Fresh),
        (Some(3600), 0, Freshness::Fresh),
        (Some(3600), 3539, Freshness::Fresh),
        (Some(3600), 3540, Freshness::Due),
        (Some(3600), 3599, Freshness::Due),
        (Some(3600), 3600, Freshness::Expired),
        (Some(60), 47, Freshness::Fresh),
        (Some(60), 48, Freshness::Due),
        // A server that says it never was good has taken it for granted that it is used.
        (Some(0), 1_000_000, Freshness::Fresh),
    ] {
        let held = credential().renewed(&response(lifetime, None), &Scopes::default(), at(1000));
        assert_eq!(held.tokens.unwrap().freshness(at(1000 + age)), expected, "{lifetime:?} {age}");
    }
}

#[test]
fn bug_7_a_response_without_a_refresh_token_keeps_the_one_held() {
    let now = Timestamp::from_seconds(1);
    let first = credential().renewed(&response(Some(1), Some("r1")), &Scopes::parse("a"), now);
    let second = first.renewed(&response(Some(1), None), &Scopes::parse("a"), now);
    assert_eq!(second.refresh_token().unwrap().expose(), "r1");
    let third = second.renewed(&response(Some(1), Some("r2")), &Scopes::parse("a"), now);
    assert_eq!((third.refresh_token().unwrap().expose(), third.generation), ("r2", 3));
}

#[test]
fn a_refusal_takes_only_what_was_refused() {
    let held = credential().renewed(&response(Some(60), Some("r1")), &Scopes::default(), Timestamp::from_seconds(1));
    let now = Timestamp::from_seconds(1000);
    let refused = held.refused(LoginReason::RefreshRefused, true, now);
    assert_eq!(refused.refresh_token(), None);
    assert_eq!(refused.tokens.as_ref().unwrap().access_token, held.tokens.as_ref().unwrap().access_token);
    let unknown = held.refused(LoginReason::ClientUnknown, false, now);
    assert!(unknown.client.refused && unknown.refresh_token().is_some());
}

#[test]
fn a_refusal_is_believed_longer_each_time_until_a_token_is_given() {
    let at = Timestamp::from_seconds;
    let mut held = credential().renewed(&response(Some(60), Some("r1")), &Scopes::default(), at(1));
    assert!(!held.rests(at(1)));
    for (refusal, rest) in [60, 120, 240, 480].into_iter().enumerate() {
        held = held.refused(LoginReason::ClientUnknown, false, at(5000));
        assert!(held.rests(at(5000 + rest - 1)) && !held.rests(at(5000 + rest)), "{refusal}");
    }
    for _ in 0..40 {
        held = held.refused(LoginReason::ClientUnknown, false, at(5000));
    }
    let day = 24 * 3600;
    assert!(held.rests(at(5000 + day - 1)) && !held.rests(at(5000 + day)));
    let renewed = held.renewed(&response(Some(60), None), &Scopes::default(), at(9000));
    assert!(!renewed.rests(at(9000)));
    assert!(!renewed.refused(LoginReason::RefreshRefused, false, at(9000)).rests(at(9060)));
}

#[test]
fn debug_shows_no_token() {
    let held =
        credential().renewed(&response(Some(60), Some("canary-r")), &Scopes::default(), Timestamp::from_seconds(1));
    assert!(!format!("{held:?}").contains("canary"), "{held:?}");
}
