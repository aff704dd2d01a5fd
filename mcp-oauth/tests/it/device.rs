//! Logging in on another device.

use std::sync::Mutex;

use mcp_oauth::{BoxFuture, Error, Interaction, LoginMethod, LoginRequest, Prompt};

use crate::support::{World, call, clean};

/// Answers on the other device, at once.
#[derive(Debug)]
struct OtherDevice<'a> {
    world: &'a World,
    consents: bool,
    shown: Mutex<Vec<Prompt>>,
}

impl Interaction for OtherDevice<'_> {
    fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), Error>> {
        let Prompt::Enter { code, .. } = &prompt else { panic!("{prompt:?}") };
        self.world.server.answer_device(code, self.consents);
        self.shown.lock().unwrap().push(prompt);
        Box::pin(async { Ok(()) })
    }
}

fn request() -> LoginRequest {
    LoginRequest { method: Some(LoginMethod::Device), ..LoginRequest::default() }
}

#[tokio::test]
async fn a_code_is_entered_elsewhere() {
    let world = World::new([]).await;
    let session = world.session();
    let device = OtherDevice { world: &world, consents: true, shown: Mutex::default() };
    session.login(&request(), &device).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    let shown = device.shown.into_inner().unwrap();
    let [Prompt::Enter { url, complete_url: Some(complete), .. }] = &shown[..] else { panic!("{shown:?}") };
    assert!(url.path() == "/go" && complete.query().is_some());
    // A login on another device is renewed like any other.
    world.server.expire_access_tokens();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
}

#[tokio::test]
async fn somebody_says_no_elsewhere() {
    let world = World::new([]).await;
    let device = OtherDevice { world: &world, consents: false, shown: Mutex::default() };
    let error = world.session().login(&request(), &device).await.unwrap_err();
    assert!(clean(error).is_denied());
}

#[tokio::test]
async fn a_device_login_cannot_be_suspended() {
    let world = World::new([]).await;
    let session = world.session();
    let login = session.begin_login(&request()).await.unwrap();
    assert!(matches!(clean(login.suspend().await.unwrap_err()), Error::Unsupported { .. }));
}
