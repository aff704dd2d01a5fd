//! A server that asks for a login, through the whole client.

use std::sync::Arc;

use mcp_client::config::Environment;
use mcp_client::oauth::{BoxFuture, Error as LoginError, Interaction, LoginRequest, Prompt, StorePreference};
use mcp_client::{CauseKind, Client, ClientBuilder, LoginOptions, Remedy, ServerState};
use mcp_testkit::AuthorizationServer;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::Notify;

struct World {
    server: Arc<AuthorizationServer>,
    folder: TempDir,
}

impl World {
    async fn new() -> Self {
        Self { server: Arc::new(AuthorizationServer::start([]).await.unwrap()), folder: TempDir::new().unwrap() }
    }

    fn builder(&self, entry_extra: &serde_json::Value, interaction: Option<Arc<dyn Interaction>>) -> ClientBuilder {
        let mut entry = json!({"type": "http", "url": self.server.server_url()});
        entry.as_object_mut().unwrap().extend(entry_extra.as_object().unwrap().clone());
        let file = self.folder.path().join("servers.json");
        std::fs::write(&file, json!({"mcpServers": {"guarded": entry}}).to_string()).unwrap();
        let mut options = LoginOptions::default();
        options.store = StorePreference::File;
        options.interaction = interaction;
        let environment =
            Environment::new(self.folder.path().join("project")).with_home(self.folder.path().join("home"));
        Client::builder(environment).config(file).logins(options)
    }

    async fn client(&self, interaction: Option<Arc<dyn Interaction>>) -> Client {
        let client = self.builder(&json!({}), interaction).build();
        client.start().await;
        client
    }

    fn person(&self) -> Arc<Person> {
        Arc::new(Person {
            server: Arc::clone(&self.server),
            ended_at: std::sync::Mutex::default(),
            ended: Notify::new(),
        })
    }
}

/// Consents to everything, and pastes the address at which the browser ended.
#[derive(Debug)]
struct Person {
    server: Arc<AuthorizationServer>,
    ended_at: std::sync::Mutex<Option<String>>,
    ended: Notify,
}

impl Interaction for Person {
    fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), LoginError>> {
        if let Prompt::Open { url, .. } = prompt {
            *self.ended_at.lock().unwrap() = self.server.log_in(url.as_str());
            self.ended.notify_one();
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn pasted(&self) -> BoxFuture<'_, String> {
        Box::pin(async {
            self.ended.notified().await;
            self.ended_at.lock().unwrap().take().unwrap()
        })
    }
}

#[tokio::test]
async fn without_a_person_the_server_needs_a_login_at_once() {
    let world = World::new().await;
    let status = world.client(None).await.server_status("guarded").await.unwrap();
    assert_eq!((status.state, status.cause.unwrap().kind), (ServerState::NeedsLogin, CauseKind::LoginNeeded));
    assert_eq!(status.fix, Some(Remedy::Login { server: "guarded".into() }));
}

#[tokio::test]
async fn a_login_is_kept_for_the_next_client_and_renewed_without_a_person() {
    let world = World::new().await;
    let client = world.client(None).await;
    let session = client.login_session("guarded").await.unwrap();
    session.login(&LoginRequest::default(), &*world.person()).await.unwrap();
    client.start_server("guarded").await.unwrap();
    client.call("whoami", json!({})).await.unwrap();

    world.server.expire_access_tokens();
    let answer = world.client(None).await.call("whoami", json!({})).await.unwrap();
    assert_eq!(answer.text(), "somebody who has logged in");

    client.login_session("guarded").await.unwrap().logout(true).await.unwrap();
    let status = world.client(None).await.server_status("guarded").await.unwrap();
    assert_eq!(status.state, ServerState::NeedsLogin);
}

#[tokio::test]
async fn a_person_who_is_there_is_asked_while_connecting() {
    let world = World::new().await;
    let client = world.client(Some(world.person())).await;
    client.call("whoami", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_header_from_the_configuration_never_starts_a_login() {
    let world = World::new().await;
    let header = json!({"headers": {"Authorization": "Bearer wrong"}});
    let client = world.builder(&header, Some(world.person())).build();
    client.start().await;
    let status = client.server_status("guarded").await.unwrap();
    assert_eq!(status.state, ServerState::Failed, "{status:?}");
    assert_eq!(status.cause.unwrap().kind, CauseKind::Misconfigured);
    assert!(matches!(status.fix, Some(Remedy::Advice(text)) if text.starts_with("correct its entry at ")));
    assert_eq!(world.server.count("/register"), 0);
}

#[tokio::test]
async fn a_program_on_this_machine_has_no_login() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("servers.json");
    std::fs::write(&file, json!({"mcpServers": {"local": {"command": "anything"}}}).to_string()).unwrap();
    let client = Client::builder(Environment::new(folder.path())).config(file).build();
    assert!(client.login_session("local").await.unwrap_err().is_usage());
}
