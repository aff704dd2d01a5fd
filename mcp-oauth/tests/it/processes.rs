//! One login, several processes.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use mcp_oauth::DirectoryStore;
use mcp_testkit::{Fault, example_binary};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Notify;

use crate::support::{World, call};

/// A process that sends a request when it is told to.
struct Host {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Host {
    fn start(directory: &Path, world: &World) -> Self {
        let mut child = Command::new(example_binary("signed_requests"))
            .arg(directory)
            .arg(world.server.server_url())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output).lines() }
    }

    async fn tell(&mut self) {
        self.input.write_all(b"\n").await.unwrap();
    }

    async fn hear(&mut self) -> String {
        self.output.next_line().await.unwrap().unwrap()
    }
}

async fn world_in(directory: &Path) -> World {
    let mut world = World::new([]).await;
    world.store = Arc::new(DirectoryStore::plain(directory).unwrap());
    world
}

/// A login on disk, made by the clock that the processes have: the system's.
async fn logged_in(directory: &Path) -> World {
    let world = world_in(directory).await;
    let session = world.session_with(|options| options.clock = mcp_oauth::Clock::system());
    session.login(&mcp_oauth::LoginRequest::default(), &world.person()).await.unwrap();
    world
}

#[tokio::test]
async fn bug_1_and_2_eight_processes_renew_one_login_once_per_round() {
    let directory = tempfile::tempdir().unwrap();
    let world = logged_in(directory.path()).await;
    let mut hosts: Vec<Host> = (0..8).map(|_| Host::start(directory.path(), &world)).collect();
    for round in 1..=20 {
        world.server.expire_access_tokens();
        for host in &mut hosts {
            host.tell().await;
        }
        for host in &mut hosts {
            assert_eq!(host.hear().await, "200", "round {round}");
        }
        assert_eq!(world.server.token_requests("refresh_token").len(), round);
        assert_eq!(world.server.renewable_logins(), 1);
    }
}

#[tokio::test]
async fn a_process_killed_before_it_could_write_loses_its_own_login_and_the_next_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let world = logged_in(directory.path()).await;
    let work = world.session_with(|options| {
        options.clock = mcp_oauth::Clock::system();
        options.account = mcp_oauth::Account::new("work");
    });
    work.login(&mcp_oauth::LoginRequest::default(), &world.person()).await.unwrap();

    world.server.expire_access_tokens();
    world.server.fail_next(Fault::Late(Arc::new(Notify::new())));
    let mut doomed = Host::start(directory.path(), &world);
    doomed.tell().await;
    while world.server.token_requests("refresh_token").is_empty() {
        tokio::task::yield_now().await;
    }
    doomed.child.kill().await.unwrap();

    // Its lock ended with it, its refresh token is used up, and the next process says what to do.
    let mut next = Host::start(directory.path(), &world);
    next.tell().await;
    let expected = "needs a login: the authorization server no longer renews the login";
    assert_eq!(next.hear().await, format!("`{}` {expected}", world.url().origin().ascii_serialization()));
    // The other account's login is as it was.
    assert_eq!(call(&work, &world.url()).await.unwrap(), 200);
}

/// Sixteen processes want the same renewal; the one that has asked for it is killed before it hears the answer.
#[tokio::test]
async fn of_sixteen_processes_one_is_killed_and_no_grant_is_lost_without_a_word() {
    let directory = tempfile::tempdir().unwrap();
    let world = logged_in(directory.path()).await;
    let mut hosts: Vec<Host> = (0..16).map(|_| Host::start(directory.path(), &world)).collect();

    // Killed while others wait for the same renewal, which has not been asked for by those: they go on.
    world.server.expire_access_tokens();
    let bell = Arc::new(Notify::new());
    world.server.fail_next(Fault::Late(Arc::clone(&bell)));
    hosts[0].tell().await;
    while world.server.token_requests("refresh_token").is_empty() {
        tokio::task::yield_now().await;
    }
    for host in &mut hosts[1..] {
        host.tell().await;
    }
    hosts[1].child.kill().await.unwrap();
    bell.notify_one();
    hosts.remove(1);
    for host in &mut hosts {
        assert_eq!(host.hear().await, "200");
    }
    assert_eq!((world.server.token_requests("refresh_token").len(), world.server.renewable_logins()), (1, 1));

    // Killed with the used token in its hand: its successor is lost, and everybody says so.
    world.server.expire_access_tokens();
    world.server.fail_next(Fault::Late(Arc::new(Notify::new())));
    hosts[0].tell().await;
    while world.server.token_requests("refresh_token").len() == 1 {
        tokio::task::yield_now().await;
    }
    for host in &mut hosts[1..] {
        host.tell().await;
    }
    hosts[0].child.kill().await.unwrap();
    for host in &mut hosts[1..] {
        let said = host.hear().await;
        assert!(said.ends_with("needs a login: the authorization server no longer renews the login"), "{said}");
    }
    // One of them has asked, and the others have believed it.
    assert_eq!(world.server.token_requests("refresh_token").len(), 3);
}
