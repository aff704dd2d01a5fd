//! Ways to get a token that a definition chooses, each used by the program.

use std::path::Path;

use mcp_testkit::{AuthorizationServer, Quirk};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::stage::{Run, Stage, configuration};

const CALL: [&str; 3] = ["call", "docs", "whoami"];

/// A machine with a protected server in its configuration.
struct Scene {
    stage: Stage,
    authority: AuthorizationServer,
    runtime: Runtime,
}

impl Scene {
    fn new(quirks: &[Quirk]) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let authority = runtime.block_on(AuthorizationServer::start(quirks.iter().copied())).unwrap();
        Self { stage: Stage::new(), authority, runtime }
    }

    /// Runs where the definition says this of the login.
    fn run(&self, oauth: &Value, arguments: &[&str]) -> Run {
        let server = json!({"type": "http", "url": self.authority.server_url(), "oauth": oauth});
        let file = self.stage.write("servers.json", configuration(&json!({"docs": server})));
        self.stage.run(&[&["--config", file.to_str().unwrap()], arguments].concat())
    }

    fn log_in(&self, oauth: &Value) {
        let page = self.run(oauth, &["login", "docs", "--no-browser"]).expect_code(0).stdout;
        let ended = self.authority.log_in(page.trim()).unwrap();
        self.run(oauth, &["login", "docs", "--finish", &ended]).expect_code(0);
    }

    fn expect_call(&self, oauth: &Value) {
        assert_eq!(self.run(oauth, &CALL).expect_code(0).stdout, "somebody who has logged in\n", "{oauth}");
    }

    /// Writes a file beside the project and refers to it.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.stage.home().join(name);
        std::fs::write(&path, text).unwrap();
        format!("${{file:{}}}", path.display())
    }
}

#[test]
fn a_client_proves_itself_by_its_key() {
    let scene = Scene::new(&[]);
    scene.authority.register("robot", None, "private_key_jwt");
    let pem = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/robot.pem")).unwrap();
    let key = scene.file("robot.pem", &pem);
    let oauth = json!({"flow": "client-credentials", "clientId": "robot", "clientKey": key});
    scene.expect_call(&oauth);
    let [request] = &scene.authority.token_requests("client_credentials")[..] else { panic!() };
    assert!(request["client_assertion"].split('.').count() == 3 && !request.contains_key("client_secret"));

    let broken = scene.file("robot.pem", "-----BEGIN PRIVATE KEY-----\nc4n4ry\n-----END PRIVATE KEY-----\n");
    scene.authority.expire_access_tokens();
    let refused = scene.run(&json!({"flow": "client-credentials", "clientId": "robot", "clientKey": broken}), &CALL);
    assert!(refused.code != 0 && refused.stderr.contains("private key"), "{refused:?}");
    assert!(!refused.stderr.contains("c4n4ry"), "{refused:?}");
}

#[test]
fn a_platform_vouches_for_the_program_with_what_its_file_holds_now() {
    let scene = Scene::new(&[]);
    scene.authority.register("workload", None, "none");
    let statement = scene.file("statement", "canary-good-statement");
    let oauth = json!({"flow": "workload-identity", "clientId": "workload", "assertion": statement});
    scene.expect_call(&oauth);

    // The platform has replaced it, by one that is refused: nothing else is tried.
    scene.file("statement", "canary-late-statement");
    scene.authority.expire_access_tokens();
    let refused = scene.run(&oauth, &CALL);
    assert!(refused.code != 0 && !refused.stderr.contains("canary"), "{refused:?}");
    let statements: Vec<String> =
        scene.authority.token_requests("jwt-bearer").iter().map(|request| request["assertion"].clone()).collect();
    assert_eq!(statements, ["canary-good-statement", "canary-late-statement"]);
    assert_eq!(scene.authority.count("/register"), 0);
}

#[test]
fn an_identity_provider_vouches_for_the_person() {
    let scene = Scene::new(&[]);
    let provider = scene.runtime.block_on(AuthorizationServer::start([])).unwrap();
    scene.authority.register("app", Some("canary-app"), "client_secret_basic");
    provider.register("app-at-provider", None, "none");
    let oauth = json!({
        "flow": "enterprise-managed",
        "clientId": "app",
        "clientSecret": "canary-app",
        "identityProvider": {
            "tokenEndpoint": format!("{}/token", provider.issuer()),
            "clientId": "app-at-provider",
            "idToken": scene.file("id-token", "canary-good-id-token"),
        },
    });
    scene.expect_call(&oauth);
    let [exchange] = &provider.token_requests("token-exchange")[..] else { panic!() };
    assert_eq!(
        (exchange["subject_token"].as_str(), &exchange["audience"]),
        ("canary-good-id-token", &scene.authority.issuer())
    );
    let [statement] = &scene.authority.token_requests("jwt-bearer")[..] else { panic!() };
    assert_eq!(statement["assertion"], "canary-good-statement");
}

#[test]
fn tokens_are_bound_to_a_key_where_the_definition_says_so() {
    let scene = Scene::new(&[Quirk::DemandsProof, Quirk::DemandsNonce]);
    for proof in ["when-offered", "always"] {
        let oauth = json!({ "proof": proof });
        scene.log_in(&oauth);
        scene.expect_call(&oauth);
        let rows = scene.run(&oauth, &["auth", "status", "--json"]).expect_code(0).json();
        assert_eq!(rows[0]["login"]["proof"], true, "{rows:#}");
        // The key is kept: the next process renews with it.
        scene.authority.expire_access_tokens();
        scene.expect_call(&oauth);
    }

    let plain = Scene::new(&[]);
    plain.log_in(&json!({"proof": "when-offered"}));
    plain.expect_call(&json!({"proof": "when-offered"}));
    let refused = plain.run(&json!({"proof": "always"}), &CALL).expect_code(4);
    assert!(refused.stderr.contains(" login docs"), "a login without a key is none: {refused:?}");
}

#[test]
fn the_endpoints_of_older_servers_are_used_only_where_the_definition_says_so() {
    let scene = Scene::new(&[Quirk::NothingPublished]);
    let refused = scene.run(&json!({}), &["login", "docs", "--no-browser"]);
    assert!(refused.code != 0 && refused.stdout.is_empty(), "{refused:?}");
    assert!(refused.stderr.contains("cannot find the authorization server"), "{refused:?}");
    let oauth = json!({"legacyEndpoints": true});
    scene.log_in(&oauth);
    scene.expect_call(&oauth);
}
