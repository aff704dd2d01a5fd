//! What a definition leaves for a person to give: kept by the client, and given to that server alone.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mcp_client::config::{Environment, ProblemKind, TrustStore};
use mcp_client::oauth::{Secret, SecretName, StoreKind, StorePreference};
use mcp_client::{Client, Configuration, Error, LoginOptions, Remedy, ServerState, Sources, Wanted, chain};
use mcp_testkit::HttpPeer;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::answer;

/// A machine with one home, any number of repositories, and a server that all of them talk to.
struct World {
    folder: TempDir,
    peer: HttpPeer,
}

impl World {
    async fn new() -> Self {
        let peer = HttpPeer::start(|request| answer(request, &json!([]))).await.unwrap();
        Self { folder: TempDir::new().unwrap(), peer }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: &Value) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content.to_string()).unwrap();
        path
    }

    /// An entry that sends these headers.
    fn entry(&self, headers: &Value) -> Value {
        json!({"type": "http", "url": self.peer.url("/mcp"), "headers": headers})
    }

    /// A repository whose VS Code file describes these prompts and has one server `gh` that sends `X-Key`.
    fn repository(&self, name: &str, header: &str, inputs: &Value) {
        let content = json!({"inputs": inputs, "servers": {"gh": self.entry(&json!({"X-Key": header}))}});
        self.write(&format!("{name}/.vscode/mcp.json"), &content);
    }

    fn environment(&self, folder: &str) -> Environment {
        Environment::new(self.path(folder)).with_home(self.path("home"))
    }

    /// Approves everything that is configured in a folder, with what is confirmed by name.
    fn approve(&self, folder: &str, confirmed: &[&str]) {
        let environment = self.environment(folder);
        let (mut trust, _) = TrustStore::load(environment.trust_file().unwrap());
        for server in Configuration::load(environment.clone(), Sources::default()).waiting() {
            let plan = server.plan(&environment);
            trust.approve_with(&plan, confirmed.iter().copied(), SystemTime::now()).unwrap();
        }
        trust.save().unwrap();
    }

    fn client(&self, folder: &str) -> Client {
        Client::builder(self.environment(folder)).logins(in_files()).build()
    }

    /// A client of one file, which naming it approves.
    fn client_of(&self, file: &Path) -> Client {
        Client::builder(self.environment("project")).config(file).logins(in_files()).build()
    }

    /// The value of a header in the last request.
    fn sent(&self, header: &str) -> Option<String> {
        self.peer.requests().last()?.header(header).map(str::to_owned)
    }
}

/// No test asks the keyring of whoever runs it.
fn in_files() -> LoginOptions {
    let mut options = LoginOptions::default();
    options.store = StorePreference::File;
    options
}

async fn names(client: &Client, server: &str) -> Vec<SecretName> {
    client.unanswered(server).await.unwrap().into_iter().map(|wanted| wanted.name).collect()
}

/// Answers everything the server still wants.
async fn answer_all(client: &Client, server: &str, value: &str) {
    for name in names(client, server).await {
        client.secrets().set(&name, &Secret::new(value)).unwrap();
    }
}

/// What is wrong with a definition.
fn problem(error: &Error) -> &mcp_client::config::Problem {
    match error {
        Error::Definition { source, .. } => Some(&**source),
        _ => None,
    }
    .unwrap()
}

#[tokio::test]
async fn a_secret_goes_to_the_server_that_names_it() {
    let world = World::new().await;
    let headers = json!({"X-Key": "Bearer ${keyring:github}"});
    let file = world.write("servers.json", &json!({"mcpServers": {"gh": world.entry(&headers)}}));
    let client = world.client_of(&file);

    let error = client.start_server("gh").await.unwrap_err();
    assert_eq!(problem(&error).kind, ProblemKind::Unset);
    let remedy = Remedy::StoreSecret { name: "github".into() };
    assert_eq!(error.remedies(), std::slice::from_ref(&remedy));
    assert_eq!(client.server_status("gh").await.unwrap().fix, Some(remedy));
    assert_eq!(names(&client, "gh").await, [SecretName::shared("github")]);
    assert!(!world.path("home/.local/state/mcp-toolkit/secrets").exists(), "looking stores nothing");

    let kept = client.secrets().set(&SecretName::shared("github"), &Secret::new("canary")).unwrap();
    assert_eq!((kept, client.secrets().kind().unwrap()), (StoreKind::File, Some(StoreKind::File)));
    client.start_server("gh").await.unwrap();
    assert_eq!(world.sent("x-key").as_deref(), Some("Bearer canary"));
    assert_eq!(names(&client, "gh").await, []);
    assert!(!format!("{client:?}").contains("canary"));

    // Another process removes it, and the next start says so.
    assert!(world.client_of(&file).secrets().remove(&SecretName::shared("github")).unwrap());
    client.stop().await;
    assert_eq!(names(&client, "gh").await, [SecretName::shared("github")]);
}

#[tokio::test]
async fn what_another_process_stores_is_found_without_a_restart() {
    let world = World::new().await;
    let file =
        world.write("servers.json", &json!({"mcpServers": {"gh": world.entry(&json!({"X-Key": "${keyring:a}"}))}}));
    let client = world.client_of(&file);
    client.start_server("gh").await.unwrap_err();
    world.client_of(&file).secrets().set(&SecretName::shared("a"), &Secret::new("late")).unwrap();
    client.start_server("gh").await.unwrap();
    assert_eq!(world.sent("x-key").as_deref(), Some("late"));
}

#[tokio::test]
async fn an_answer_belongs_to_the_file_whose_prompt_it_answers() {
    let world = World::new().await;
    let inputs = json!([{"type": "promptString", "id": "token", "description": "A token", "password": true}]);
    for name in ["mine", "other"] {
        world.repository(name, "${input:token}", &inputs);
        world.approve(name, &[]);
    }
    let mine = world.client("mine");
    let [wanted] = &mine.unanswered("gh").await.unwrap()[..] else { panic!("one prompt") };
    let prompt = wanted.prompt.as_ref().unwrap();
    assert_eq!((prompt.id.as_str(), prompt.description.as_deref()), ("token", Some("A token")));
    assert!(prompt.is_secret);
    answer_all(&mine, "gh", "canary").await;
    mine.start_server("gh").await.unwrap();
    assert_eq!(world.sent("x-key").as_deref(), Some("canary"));

    // Another repository asks for the same id, and a secret of that name is none either.
    let other = world.client("other");
    let error = other.start_server("gh").await.unwrap_err();
    assert_eq!(problem(&error).kind, ProblemKind::Unset);
    assert_eq!(error.remedies(), [Remedy::Answer { server: "gh".into(), prompt: "token".into() }]);
    assert_eq!(names(&other, "gh").await.len(), 1);
    world.repository("third", "${keyring:token}", &json!([]));
    world.approve("third", &["keyring:token"]);
    assert_eq!(names(&world.client("third"), "gh").await, [SecretName::shared("token")]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_does_not_lead_to_the_answers_of_what_was_behind_it() {
    let world = World::new().await;
    let inputs = json!([{"type": "promptString", "id": "token"}]);
    for name in ["mine", "other"] {
        world.repository(name, "${input:token}", &inputs);
    }
    let link = world.path("link");
    let lead_to = |repository: &str| {
        std::fs::remove_file(&link).ok();
        std::os::unix::fs::symlink(world.path(repository), &link).unwrap();
        world.approve("link", &[]);
    };
    let named = |client: Client| async move { names(&client, "gh").await.len() };
    let file = link.join(".vscode/mcp.json");
    lead_to("mine");
    answer_all(&world.client("link"), "gh", "canary").await;
    answer_all(&world.client_of(&file), "gh", "canary").await;
    assert_eq!((named(world.client("link")).await, named(world.client_of(&file)).await), (0, 0));
    lead_to("other");
    assert_eq!((named(world.client("link")).await, named(world.client_of(&file)).await), (1, 1));
}

#[tokio::test]
async fn a_prompt_that_no_file_describes_belongs_to_one_server() {
    let world = World::new().await;
    let entry = world.entry(&json!({"X-Key": "${input:token}"}));
    let file = world.write("servers.json", &json!({"mcpServers": {"a": entry, "b": entry}}));
    let client = world.client_of(&file);
    let [wanted] = &client.unanswered("a").await.unwrap()[..] else { panic!("one prompt") };
    assert!(wanted.prompt.as_ref().unwrap().is_secret, "nobody said that it is none");
    answer_all(&client, "a", "canary").await;
    assert_eq!(names(&client, "a").await, []);
    assert_eq!(names(&client, "b").await.len(), 1);
}

#[tokio::test]
async fn servers_of_one_file_share_what_it_asks_for() {
    let world = World::new().await;
    let entry = world.entry(&json!({"X-Key": "${input:token}"}));
    let content = json!({"inputs": [{"type": "promptString", "id": "token"}], "servers": {"a": entry, "b": entry}});
    world.write("shared/.vscode/mcp.json", &content);
    world.approve("shared", &[]);
    let client = world.client("shared");
    answer_all(&client, "a", "canary").await;
    assert_eq!(names(&client, "b").await, []);
}

#[tokio::test]
async fn a_default_is_suggested_and_used_until_somebody_answers() {
    let world = World::new().await;
    let inputs = json!([{"type": "pickString", "id": "zone", "options": ["eu", "us"], "default": "eu"}]);
    world.repository("project", "${input:zone}", &inputs);
    world.approve("project", &[]);
    let client = world.client("project");
    let [wanted] = &client.unanswered("gh").await.unwrap()[..] else { panic!("one prompt") };
    let prompt = wanted.prompt.as_ref().unwrap();
    assert_eq!(
        (prompt.default.as_deref(), prompt.options.as_slice()),
        (Some("eu"), &["eu", "us"].map(str::to_owned)[..])
    );
    client.start_server("gh").await.unwrap();
    assert_eq!(world.sent("x-key").as_deref(), Some("eu"));
    client.stop().await;
    answer_all(&client, "gh", "us").await;
    client.start_server("gh").await.unwrap();
    assert_eq!(world.sent("x-key").as_deref(), Some("us"));
}

#[tokio::test]
async fn nobody_is_asked_for_what_a_project_may_not_have() {
    let world = World::new().await;
    world.repository("project", "${keyring:github}", &json!([]));
    // Not approved at all, then approved without the secret.
    assert!(matches!(world.client("project").unanswered("gh").await, Err(Error::NotTrusted(_))));
    world.approve("project", &[]);
    let client = world.client("project");
    client.secrets().set(&SecretName::shared("github"), &Secret::new("canary")).unwrap();
    let error = client.unanswered("gh").await.unwrap_err();
    assert_eq!(problem(&error).kind, ProblemKind::Approval);
    let error = client.start_server("gh").await.unwrap_err();
    assert!(!chain(&error).contains("canary"), "{error:?}");
    assert_eq!(world.peer.requests().len(), 0);

    // A prompt beside it is not asked for either.
    for default in [json!("eu"), Value::Null] {
        let headers = json!({"X-Zone": "${input:zone}", "X-Key": "${keyring:github}"});
        let inputs = json!([{"type": "promptString", "id": "zone", "default": default}]);
        world.write("both/.vscode/mcp.json", &json!({"inputs": inputs, "servers": {"gh": world.entry(&headers)}}));
        world.approve("both", &[]);
        let error = world.client("both").unanswered("gh").await.unwrap_err();
        assert_eq!(problem(&error).kind, ProblemKind::Approval);
    }
}

#[tokio::test]
async fn nobody_is_asked_while_something_else_keeps_the_server_from_starting() {
    let world = World::new().await;
    for headers in [
        json!({"X-Unset": "${NOBODY_SETS_THIS}", "X-Key": "${keyring:a}"}),
        json!({"X-Key": "${keyring:a}", "X-Unset": "${NOBODY_SETS_THIS}"}),
    ] {
        let file = world.write("servers.json", &json!({"mcpServers": {"gh": world.entry(&headers)}}));
        let error = world.client_of(&file).unanswered("gh").await.unwrap_err();
        assert!(problem(&error).message.contains("NOBODY_SETS_THIS"), "{error:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_switched_off_wants_nothing() {
    let world = World::new().await;
    let mut entry = world.entry(&json!({"X-Key": "${keyring:a}"}));
    entry["disabled"] = json!(true);
    let file = world.write("servers.json", &json!({"mcpServers": {"gh": entry}}));
    let client = world.client_of(&file);
    assert!(matches!(client.unanswered("gh").await, Err(Error::Disabled { .. })));
    assert!(matches!(client.start_server("gh").await, Err(Error::Disabled { .. })));
}

#[tokio::test]
async fn everything_that_is_missing_is_told_at_once() {
    let world = World::new().await;
    let mut entry = world.entry(&json!({"X-A": "${keyring:a}", "X-B": "${input:b}", "X-C": "${keyring:a}"}));
    entry["url"] = json!("${keyring:url}");
    let file = world.write("servers.json", &json!({"mcpServers": {"gh": entry}}));
    let client = world.client_of(&file);
    let missing = client.unanswered("gh").await.unwrap();
    let told: Vec<&str> = missing.iter().map(|wanted| wanted.name.name.as_str()).collect();
    assert_eq!(told, ["url", "a", "b"]);
    assert_eq!(Wanted::by(client.servers().next().unwrap()), missing);
}

#[tokio::test]
async fn without_a_place_for_state_a_secret_lasts_as_long_as_the_client() {
    let world = World::new().await;
    let file =
        world.write("servers.json", &json!({"mcpServers": {"gh": world.entry(&json!({"X-Key": "${keyring:a}"}))}}));
    let client = Client::builder(Environment::new(world.path("project"))).config(file).build();
    assert_eq!(client.secrets().set(&SecretName::shared("a"), &Secret::new("x")).unwrap(), StoreKind::Memory);
    client.start_server("gh").await.unwrap();
    assert_eq!(world.sent("x-key").as_deref(), Some("x"));
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_is_no_missing_secret() {
    let world = World::new().await;
    let file =
        world.write("servers.json", &json!({"mcpServers": {"gh": world.entry(&json!({"X-Key": "${keyring:a}"}))}}));
    // A file in the place of the folder.
    world.write("home/.local/state/mcp-toolkit/secrets", &json!(0));
    let client = world.client_of(&file);
    for error in [client.start_server("gh").await.unwrap_err(), client.unanswered("gh").await.unwrap_err()] {
        let problem = problem(&error);
        assert_eq!((problem.kind, problem.server.as_deref()), (ProblemKind::Unreadable, Some("gh")), "{error:?}");
    }
    assert!(matches!(client.secrets().list(), Err(Error::Secrets { .. })));
    let status = client.server_status("gh").await.unwrap();
    assert_eq!(status.state, ServerState::Failed);
}

#[tokio::test]
async fn a_login_sees_what_a_start_sees() {
    let world = World::new().await;
    let mut entry = world.entry(&json!({}));
    entry["url"] = json!(format!("{}/${{keyring:path}}", world.peer.url("")));
    let file = world.write("servers.json", &json!({"mcpServers": {"gh": entry}}));
    let client = world.client_of(&file);
    assert!(matches!(client.login_session("gh").await, Err(Error::Definition { .. })));
    client.secrets().set(&SecretName::shared("path"), &Secret::new("canary")).unwrap();
    client.login_session("gh").await.unwrap();
}
