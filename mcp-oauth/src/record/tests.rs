use proptest::prelude::*;

use super::{Unreadable, read_credential, write_credential};
use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::credential::{Account, Credential, Slot, Tokens};
use crate::error::LoginReason;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::timestamp::Timestamp;
use crate::token_response::TokenKind;

fn any_secret() -> impl Strategy<Value = Secret> {
    ".{0,20}".prop_map(Secret::new)
}

fn any_client() -> impl Strategy<Value = Client> {
    (".{0,9}", proptest::option::of(any_secret()), proptest::option::of(any::<u64>()), any::<bool>()).prop_map(
        |(id, secret, end, refused)| Client {
            authentication: ClientAuthentication::ClientSecretPost,
            secret,
            redirect_uri: Some("http://127.0.0.1:1/callback".to_owned()),
            secret_expires_at: end.map(Timestamp::from_seconds),
            management: Some(("https://as/reg".parse().unwrap(), Secret::new("m"))),
            refused,
            ..Client::public(id, ClientOrigin::Registered)
        },
    )
}

fn any_tokens() -> impl Strategy<Value = Tokens> {
    let times = (proptest::option::of(any::<u64>()), any::<u64>());
    (any_secret(), proptest::option::of(any_secret()), times, ("[a-z ]{0,9}", "[a-z ]{0,9}"), any::<bool>()).prop_map(
        |(access_token, refresh_token, (end, start), (requested, granted), proof)| Tokens {
            access_token,
            refresh_token,
            kind: if proof { TokenKind::Dpop } else { TokenKind::Bearer },
            expires_at: end.map(Timestamp::from_seconds),
            obtained_at: Timestamp::from_seconds(start),
            requested: Scopes::parse(&requested),
            granted: Scopes::parse(&granted),
        },
    )
}

fn any_credential() -> impl Strategy<Value = Credential> {
    let refused =
        proptest::option::of(prop_oneof![Just(LoginReason::RefreshRefused), Just(LoginReason::ClientUnknown)]);
    let names = (".{0,9}", ".{0,9}", proptest::option::of(".{0,9}"));
    (names, any_client(), proptest::option::of(any_tokens()), proptest::option::of(any_secret()), refused, any::<u64>())
        .prop_map(|((url, account, resource), client, tokens, proof_key, refused, generation)| Credential {
            slot: Slot::new(Resource::published(url), Account::new(account)),
            server: AuthorizationServer::parse(br#"{"issuer":"https://as","token_endpoint":"https://as/t"}"#).unwrap(),
            client,
            resource,
            tokens,
            proof_key,
            refused,
            refusals: 0,
            refused_at: Timestamp::default(),
            challenge: None,
            missing: Scopes::parse("missing"),
            generation,
        })
}

#[test]
fn what_is_no_record_is_told_from_what_is_a_later_one() {
    for (text, expected) in [
        ("", Unreadable::Corrupt),
        ("{}", Unreadable::Corrupt),
        (r#"{"version":1}"#, Unreadable::Corrupt),
        (r#"{"version":2,"anything":[]}"#, Unreadable::Newer),
    ] {
        assert_eq!(read_credential(text.as_bytes()).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn a_record_from_before_reads_back_and_keeps_its_form() {
    let kept = r#"{"version":1,"server_url":"https://mcp/a","account":"work","server":{"issuer":"https://as","source":"published"},
        "client":{"id":"c","secret":"s","authentication":"none","origin":"registered","redirect_uri":null,
        "secret_expires_at":7,"management":["https://as/reg","m"],"refused":false},"resource":null,
        "tokens":{"access_token":"a","kind":"bearer","refresh_token":"r","expires_at":9,"obtained_at":1,"requested":"x y",
        "granted":"x"},"proof_key":null,"refused":"refresh","generation":3}"#;
    let credential = read_credential(kept.as_bytes()).unwrap();
    assert_eq!(credential.slot, Slot::new(Resource::published("https://mcp/a"), Account::new("work")));
    assert_eq!(credential.refresh_token(), Some(&Secret::new("r")));
    assert_eq!(credential.refused, Some(LoginReason::RefreshRefused));
    let (mut before, mut now): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(kept).unwrap(), serde_json::from_slice(&write_credential(&credential)).unwrap());
    for value in [&mut before, &mut now] {
        value["server"] = value["server"]["issuer"].take();
        value["refused"] = serde_json::Value::Null;
        value["refusals"] = 0.into();
        value["refused_at"] = 0.into();
    }
    assert_eq!(now, before);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bug_5_and_17_every_part_of_a_login_reads_back(credential in any_credential()) {
        prop_assert_eq!(read_credential(&write_credential(&credential)).unwrap(), credential);
    }

    #[test]
    fn half_a_record_is_corrupt(credential in any_credential(), cut in any::<prop::sample::Index>()) {
        let bytes = write_credential(&credential);
        let half = bytes.get(..cut.index(bytes.len())).unwrap();
        prop_assert_eq!(read_credential(half).unwrap_err(), Unreadable::Corrupt);
    }
}
