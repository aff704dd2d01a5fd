//! Logging in with a browser.

use std::sync::Arc;
use std::time::Duration;

use mcp_oauth::{
    Account, CallbackSettings, ClientAuthentication, ClientOrigin, ConfiguredClient, DirectoryStore, EncryptionKey,
    Error, Exceptions, Flow, LoginReason, LoginRequest, LoginState, LoopbackHost, Prompt, ResourceParameter, Scopes,
    Secret, Session, SessionOptions, StoreKind,
};
use mcp_testkit::{Fault, Quirk};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use url::Url;

use crate::support::{World, browse, call, clean, failure, text};

#[tokio::test]
async fn a_person_logs_in_and_requests_get_through() {
    let world = World::new([]).await;
    let session = world.session();
    assert!(matches!(
        failure(call(&session, &world.url()).await),
        Error::NeedsLogin { reason: LoginReason::NeverLoggedIn, .. }
    ));
    let person = world.person();
    session.login(&LoginRequest::default(), &person).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(person.asked("scope").unwrap(), "mcp:basic offline_access");
    assert_eq!(person.asked("resource").unwrap(), world.server.server_url());

    let status = session.status().await.unwrap();
    assert_eq!((status.state, status.store, status.renewable), (LoginState::Valid, StoreKind::Memory, true));
    assert_eq!(status.issuer.as_deref(), Some(world.server.issuer().as_str()));
    assert_eq!(status.client_origin, Some(ClientOrigin::Registered));
    let page = person.page().await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("You are logged in"), "{page}");
}

#[tokio::test]
async fn with_a_person_at_hand_a_request_logs_in_by_itself_and_others_share_the_login() {
    let world = World::new([]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    let url = world.url();
    let (first, second, third) = tokio::join!(call(&session, &url), call(&session, &url), call(&session, &url));
    assert_eq!((first.unwrap(), second.unwrap(), third.unwrap(), person.logins()), (200, 200, 200, 1));
}

#[tokio::test]
async fn bug_26_a_person_who_says_no_is_not_asked_by_the_next_request() {
    let world = World::new([Quirk::Denies]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    let url = world.url();
    let (first, second) = tokio::join!(call(&session, &url), call(&session, &url));
    let errors = [failure(first), failure(second), failure(call(&session, &url).await)];
    assert!(errors.iter().any(Error::is_denied) && errors.iter().any(Error::needs_login), "{errors:?}");
    assert_eq!(person.logins(), 1);
    world.server.remove(Quirk::Denies);
    session.login(&LoginRequest::default(), &*person).await.unwrap();
    assert_eq!(call(&session, &url).await.unwrap(), 200);
}

#[tokio::test]
async fn i28_only_the_persons_no_keeps_the_next_request_from_asking() {
    let world = World::new([]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    world.server.fail_next(Fault::Page(502));
    let error = failure(call(&session, &world.url()).await);
    assert!(error.is_transient(), "{error}");
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(person.logins(), 2);
}

#[tokio::test]
async fn i26_a_client_registered_by_hand_is_shown_to_no_other_authorization_server() {
    for (flow, secret) in [(Flow::Person, true), (Flow::Person, false), (Flow::ClientCredentials, true)] {
        let (world, other) = (World::new([]).await, World::new([]).await);
        let options = |options: &mut SessionOptions| {
            let client = ConfiguredClient::new("by-hand");
            let client = if secret { client.with_secret(Secret::new("canary-secret")) } else { client };
            options.settings.client = Some(client);
            options.settings.flow = flow.clone();
        };
        for server in [&world.server, &other.server] {
            let method = if secret { "client_secret_basic" } else { "none" };
            server.register("by-hand", secret.then_some("canary-secret"), method);
        }
        world.session_with(options).login(&LoginRequest::default(), &world.person()).await.unwrap();
        world.server.move_to(&other.server.issuer());
        // Nothing is left but the record of where the client belongs.
        let before = other.server.requests().len();
        let moved = world.session_with(options);
        world.server.expire_access_tokens();
        let error = match flow {
            Flow::Person => moved.login(&LoginRequest::default(), &world.person()).await.unwrap_err(),
            _ => failure(call(&moved, &world.url()).await),
        };
        let seen = format!("{:?}", other.server.requests().get(before..));
        assert!(!seen.contains("canary") && !seen.contains("by-hand") && other.server.count("/token") == 0, "{seen}");
        if matches!(flow, Flow::Person) {
            assert!(error.to_string().ends_with("set `issuer` in the server's `oauth` to it"), "{error}");
            // Whoever says that it is right is believed.
            let told = world.session_with(|set| {
                options(set);
                set.settings.issuer = Some(other.server.issuer());
            });
            told.login(&LoginRequest::default(), &other.person()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn bug_27_the_address_can_be_pasted() {
    let world = World::new([]).await;
    let mut person = world.person();
    person.pastes = true;
    let session = world.session();
    session.login(&LoginRequest::default(), &person).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
}

#[tokio::test]
async fn bug_27_a_second_command_finishes_a_login() {
    let directory = tempfile::tempdir().unwrap();
    let key = EncryptionKey::generate().unwrap();
    let mut world = World::new([]).await;
    world.store = Arc::new(DirectoryStore::encrypted(directory.path(), key).unwrap());
    let first = world.session();
    let prompt = first.begin_login(&LoginRequest::default()).await.unwrap().suspend().await.unwrap();
    let Prompt::Open { url, .. } = prompt else { panic!("{prompt:?}") };
    drop(first);
    let end = world.server.log_in(url.as_str()).unwrap();

    let second = world.session();
    let wrong = second.finish_login(&end.replace("state=", "state=x")).await.unwrap_err();
    assert!(matches!(clean(wrong), Error::Redirect { .. }));
    second.finish_login(&end).await.unwrap();
    assert_eq!(call(&second, &world.url()).await.unwrap(), 200);
    assert!(second.finish_login(&end).await.unwrap_err().needs_login());
}

#[tokio::test]
async fn bug_3_two_logins_do_not_get_into_each_others_way() {
    let world = World::new([]).await;
    let (session, other) = (world.session(), world.session());
    let login = session.begin_login(&LoginRequest::default()).await.unwrap();
    let refused = other.begin_login(&LoginRequest::default()).await.map(drop).unwrap_err();
    assert!(matches!(clean(refused), Error::LoginInProgress { .. }));
    // Another account is another login.
    let work = world.session_with(|options| options.account = Account::new("work"));
    let second = work.begin_login(&LoginRequest::default()).await.unwrap();
    drop(login);
    other.login(&LoginRequest::default(), &world.person()).await.unwrap();
    second.finish(&world.person()).await.unwrap();
    assert_eq!(world.store.list().unwrap().0.len(), 2);
}

#[tokio::test]
async fn strangers_at_the_callback_do_not_end_the_login() {
    let world = World::new([]).await;
    let session = world.session();
    let login = session.begin_login(&LoginRequest::default()).await.unwrap();
    let Prompt::Open { redirect_uri, url } = login.prompt() else { panic!() };
    let mut absent = world.person();
    absent.absent = true;
    let browsers = async {
        let favicon = browse(&redirect_uri.replace("/callback", "/favicon.ico")).await;
        assert!(favicon.starts_with("HTTP/1.1 404"), "{favicon}");
        let forged = browse(&format!("{redirect_uri}?code=evil&state=guessed")).await;
        assert!(forged.starts_with("HTTP/1.1 400") && forged.contains("another login"), "{forged}");
        let script = browse(&format!("{redirect_uri}?error=%3Cscript%3E&state=x")).await;
        assert!(!script.contains("script"), "{script}");
        browse(&world.server.log_in(url.as_str()).unwrap()).await
    };
    let (result, page) = tokio::join!(login.finish(&absent), browsers);
    result.unwrap();
    assert!(page.contains("You are logged in") && page.contains("default-src 'none'"), "{page}");
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
}

#[tokio::test]
async fn connections_that_ask_nothing_do_not_keep_the_browser_waiting() {
    let world = World::new([]).await;
    let session = world.session();
    let login = session.begin_login(&LoginRequest::default()).await.unwrap();
    let Prompt::Open { redirect_uri, url } = login.prompt() else { panic!() };
    let address = Url::parse(&redirect_uri).unwrap().socket_addrs(|| None).unwrap()[0];
    let mut absent = world.person();
    absent.absent = true;
    let browser = async {
        let mut idle = Vec::new();
        for index in 0..100_u8 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Some say nothing, and some begin to.
            stream.write_all(&b"GET /"[..usize::from(index % 5)]).await.unwrap();
            idle.push(stream);
        }
        let page = browse(&world.server.log_in(url.as_str()).unwrap()).await;
        (idle.len(), page)
    };
    let both = async { tokio::join!(login.finish(&absent), browser) };
    // Far less than such a connection may take, and far more than this needs.
    let (result, (idle, page)) = tokio::time::timeout(Duration::from_secs(8), both).await.expect("kept waiting");
    result.unwrap();
    assert!(idle == 100 && page.contains("You are logged in"), "{page}");
}

#[tokio::test]
async fn bug_28_a_refusal_ends_the_login_with_a_page() {
    let world = World::new([Quirk::Denies]).await;
    let person = world.person();
    let error = world.session().login(&LoginRequest::default(), &person).await.unwrap_err();
    assert!(clean(error).is_denied());
    let page = person.page().await;
    assert!(page.contains("did not succeed"), "{page}");
    assert_eq!((person.logins(), world.server.count("/token")), (1, 0));
}

#[tokio::test]
async fn bug_20_the_redirect_uri_is_the_registered_one_and_its_port_is_used_again() {
    let world = World::new([]).await;
    let (first, second) = (world.person(), world.person());
    let session = world.session();
    session.login(&LoginRequest::default(), &first).await.unwrap();
    session.login(&LoginRequest::default(), &second).await.unwrap();
    assert_eq!(first.asked("redirect_uri"), second.asked("redirect_uri"));
    assert_eq!(first.asked("client_id"), second.asked("client_id"));
    assert_eq!(world.server.count("/register"), 1);

    // The port is taken by somebody else: the registration does not fit any more.
    let redirect_uri = second.asked("redirect_uri").unwrap();
    let port: u16 = Url::parse(&redirect_uri).unwrap().port().unwrap();
    let _taken = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let third = world.person();
    session.login(&LoginRequest::default(), &third).await.unwrap();
    assert_ne!(third.asked("redirect_uri").unwrap(), redirect_uri);
    assert_eq!(world.server.count("/register"), 2);
}

#[tokio::test]
async fn bug_19_a_login_that_was_not_finished_leaves_its_registration_for_the_next() {
    let world = World::new([]).await;
    let session = world.session();
    drop(session.begin_login(&LoginRequest::default()).await.unwrap());
    assert_eq!(session.status().await.unwrap().state, LoginState::LoggedOut);
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    assert_eq!(world.server.count("/register"), 1);
    let again = LoginRequest { new_client: true, ..LoginRequest::default() };
    session.login(&again, &world.person()).await.unwrap();
    assert_eq!(world.server.count("/register"), 2);
}

#[tokio::test]
async fn bug_19_a_client_that_was_forgotten_registers_once_more() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let old = world.stored().client.id;
    world.server.purge_clients();
    world.server.expire_access_tokens();
    // The refresh meets a server that does not know the client.
    assert!(matches!(
        failure(call(&session, &world.url()).await),
        Error::NeedsLogin { reason: LoginReason::ClientUnknown, .. }
    ));
    let person = world.person();
    session.login(&LoginRequest::default(), &person).await.unwrap();
    assert_ne!(world.stored().client.id, old);
    assert_eq!((call(&session, &world.url()).await.unwrap(), person.logins()), (200, 1));
}

#[tokio::test]
async fn bug_19_a_client_that_is_forgotten_between_the_page_and_the_code_registers_once_more() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.server.fail_next(Fault::Status(401, r#"{"error":"invalid_client"}"#.to_owned()));
    let person = world.person();
    session.login(&LoginRequest::default(), &person).await.unwrap();
    assert_eq!((person.logins(), world.server.count("/register")), (2, 2));
}

#[tokio::test]
async fn bug_19_and_26_a_browser_that_never_comes_back_ends_the_login_and_the_registration() {
    let world = World::new([]).await;
    let session = world.session();
    drop(session.begin_login(&LoginRequest::default()).await.unwrap());
    world.server.purge_clients();
    let mut person = world.person();
    person.absent = true;
    let login = session.begin_login(&LoginRequest::default()).await.unwrap();
    tokio::time::pause();
    let error = login.finish(&person).await.unwrap_err();
    tokio::time::resume();
    assert!(matches!(clean(error), Error::TimedOut { .. }));
    assert_eq!(world.server.count("/register"), 1);
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    assert_eq!(world.server.count("/register"), 2);
}

#[tokio::test]
async fn a_registration_without_scopes_is_tried_where_they_are_refused() {
    let world = World::new([Quirk::RefusesScopes]).await;
    world.logged_in().await;
    assert_eq!(world.server.count("/register"), 2);
}

#[tokio::test]
async fn a_secret_that_has_ended_registers_anew() {
    let world = World::new([Quirk::ConfidentialBasic, Quirk::SecretsEnd]).await;
    let session = world.logged_in().await;
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    assert_eq!(world.server.count("/register"), 2);
}

#[tokio::test]
async fn clients_are_chosen_in_order() {
    let document = "https://app.example/client.json";
    for (quirks, configured, document_set, expected) in [
        (vec![Quirk::AcceptsClientDocuments], true, true, ClientOrigin::Configured),
        (vec![Quirk::AcceptsClientDocuments], false, true, ClientOrigin::Document),
        (vec![Quirk::AcceptsClientDocuments], false, false, ClientOrigin::Registered),
        (vec![], false, true, ClientOrigin::Registered),
    ] {
        let world = World::new(quirks).await;
        world.server.register("pre", Some("canary-pre"), "client_secret_basic");
        let session = world.session_with(|options| {
            options.settings.client =
                configured.then(|| ConfiguredClient::new("pre").with_secret(Secret::new("canary-pre")));
            options.settings.client_document = document_set.then(|| document.parse().unwrap());
        });
        session.login(&LoginRequest::default(), &world.person()).await.unwrap();
        assert_eq!(world.stored().client.origin, expected);
    }
}

#[tokio::test]
async fn without_registration_the_error_says_what_to_do() {
    let world = World::new([Quirk::NoRegistration]).await;
    let error = world.session().login(&LoginRequest::default(), &world.person()).await.unwrap_err();
    let expected = format!(
        "the authorization server `{}` does not offer registration of new clients; register a client there by hand and \
         set its identifier",
        world.server.issuer()
    );
    assert_eq!(clean(error).to_string(), expected);
}

#[tokio::test]
async fn bug_22_a_server_that_refuses_the_resource_is_not_sent_one() {
    let world = World::new([Quirk::RefusesResource]).await;
    let error = world.session().login(&LoginRequest::default(), &world.person()).await.unwrap_err();
    assert!(clean(error).is_denied());
    let session = world.session_with(|options| options.settings.resource = ResourceParameter::Omitted);
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    world.server.expire_access_tokens();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
}

#[tokio::test]
async fn issuers_are_checked() {
    for (quirks, expected) in [
        (vec![Quirk::SlashedIssuer], true),
        (vec![Quirk::AnnouncesIssuer], true),
        (vec![Quirk::WrongRedirectIssuer], false),
        (vec![Quirk::AnnouncesIssuer, Quirk::WrongRedirectIssuer], false),
        (vec![Quirk::WrongMetadataIssuer], false),
        (vec![Quirk::WrongResource], false),
    ] {
        let world = World::new(quirks.clone()).await;
        let result = world.session().login(&LoginRequest::default(), &world.person()).await;
        assert_eq!(result.is_ok(), expected, "{quirks:?}");
        assert!(expected || world.server.count("/token") == 0, "{quirks:?}");
    }
}

#[tokio::test]
async fn codes_must_be_protected_unless_the_server_is_excepted() {
    let world = World::new([Quirk::NoCodeChallenges]).await;
    let error = world.session().login(&LoginRequest::default(), &world.person()).await.unwrap_err();
    assert!(matches!(clean(error), Error::Unsupported { .. }));
    assert_eq!(world.server.count("/register"), 0);
    let session = world.session_with(|options| {
        options.settings.exceptions = Exceptions { unstated_code_challenges: true, ..Exceptions::default() };
    });
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
}

#[tokio::test]
async fn bug_23_a_server_that_publishes_nothing_starts_no_login() {
    let world = World::new([Quirk::NothingPublished]).await;
    let error = world.session().login(&LoginRequest::default(), &world.person()).await.unwrap_err();
    assert!(matches!(clean(error), Error::Undiscovered { tried, .. } if tried.len() >= 4));
    let session = world.session_with(|options| options.settings.legacy_endpoints = true);
    assert!(call(&session, &world.url()).await.is_err());
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
}

#[tokio::test]
async fn without_resource_metadata_the_origin_is_asked() {
    let world = World::new([Quirk::NoResourceMetadata]).await;
    let session = world.session();
    // The challenge says which scope is wanted.
    assert!(call(&session, &world.url()).await.is_err());
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
}

#[tokio::test]
async fn the_redirect_uri_is_what_the_settings_say() {
    for (host, path, expected) in [
        (LoopbackHost::V4, "/callback", "http://127.0.0.1:"),
        (LoopbackHost::Name, "/cb/", "http://localhost:"),
        (LoopbackHost::Name, "", "http://localhost:"),
    ] {
        let world = World::new([]).await;
        let session = world.session_with(|options| {
            options.settings.callback = CallbackSettings { host, path: path.to_owned(), ..CallbackSettings::default() };
        });
        let person = world.person();
        session.login(&LoginRequest::default(), &person).await.unwrap();
        let redirect_uri = person.asked("redirect_uri").unwrap();
        assert!(redirect_uri.starts_with(expected) && redirect_uri.ends_with(path), "{redirect_uri}");
    }
}

#[tokio::test]
async fn accounts_at_one_server_are_kept_apart() {
    let world = World::new([]).await;
    let home = world.logged_in().await;
    let work = world.session_with(|options| options.account = Account::new("work"));
    work.login(&LoginRequest::default(), &world.person()).await.unwrap();
    let (home, work) = (home.access_token().await.unwrap(), work.access_token().await.unwrap());
    assert_ne!(text(&home), text(&work));
    assert_eq!(world.store.list().unwrap().0.len(), 2);
}

#[tokio::test]
async fn bug_30_another_url_does_not_get_the_token() {
    let world = World::new([]).await;
    world.logged_in().await;
    let elsewhere = Session::new({
        let mut options = world.options();
        options.server = format!("{}/other", world.server.server_url()).parse().unwrap();
        options
    });
    let error = elsewhere.access_token().await.unwrap_err();
    assert!(matches!(clean(error), Error::NeedsLogin { reason: LoginReason::NeverLoggedIn, .. }));
}

#[tokio::test]
async fn bug_5_and_6_a_confidential_client_renews_after_a_restart() {
    for (quirk, method) in [
        (Quirk::ConfidentialBasic, ClientAuthentication::ClientSecretBasic),
        (Quirk::ConfidentialPost, ClientAuthentication::ClientSecretPost),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let mut world = World::new([quirk]).await;
        world.store = Arc::new(DirectoryStore::plain(directory.path()).unwrap());
        drop(world.logged_in().await);
        world.pass(3600);
        world.server.expire_access_tokens();

        let asked = world.server.requests().len();
        world.store = Arc::new(DirectoryStore::plain(directory.path()).unwrap());
        let restarted = world.session();
        assert_eq!(call(&restarted, &world.url()).await.unwrap(), 200);
        assert_eq!(world.stored().client.authentication, method);
        // No discovery and no registration: one refresh and the request itself.
        assert_eq!(world.server.requests().len() - asked, 2);
    }
}

#[tokio::test]
async fn scopes_that_were_set_are_asked_for_as_they_are() {
    let world = World::new([]).await;
    let session = world.session_with(|options| options.settings.scopes = Some(Scopes::parse("mcp:basic")));
    let person = world.person();
    session.login(&LoginRequest::default(), &person).await.unwrap();
    assert_eq!(person.asked("scope").unwrap(), "mcp:basic");
}
