//! rmcp as a client without a key, in both revisions: finds the server by a refusal, registers, has a person agree, calls tools, refreshes,
//! asks for more, revokes, and begins anew.
//!
//! usage: oauth-by-rmcp BASE_URL DATA_FOLDER PYTHON PERSON

use std::{error::Error, time::Duration};

use anyhow::{Context as _, bail, ensure};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{CallToolRequestParams, ProtocolVersion},
    service::{ClientInitializeError, RunningService, ServiceError},
    transport::{
        AuthClient, StreamableHttpClientTransport,
        auth::{AuthorizationCallback, AuthorizationRequest, OAuthState},
        streamable_http_client::{
            AuthRequiredError, InsufficientScopeError, StreamableHttpClientTransportConfig,
        },
    },
};
use serde_json::{Value, json};
use tokio::{process::Command, time::sleep};

const REDIRECT: &str = "http://127.0.0.1:33422/callback";
/// Cores remember a token for this long.
const REMEMBERED: Duration = Duration::from_secs(5);

type Session = RunningService<RoleClient, ()>;
type Http = AuthClient<reqwest::Client>;

struct World {
    base: String,
    data: String,
    python: String,
    person: String,
}

impl World {
    fn of_arguments() -> anyhow::Result<Self> {
        let mut arguments = std::env::args().skip(1);
        let mut next = || arguments.next().context("an argument is missing");
        Ok(Self {
            base: next()?,
            data: next()?,
            python: next()?,
            person: next()?,
        })
    }

    fn mcp(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Where the browser of a person who agrees is led; these scopes are left out.
    async fn agree(&self, url: &str, without: &[&str]) -> anyhow::Result<String> {
        let run = Command::new(&self.python)
            .args(["-B", &self.person, &self.data, url])
            .args(without)
            .output()
            .await?;
        let why = String::from_utf8_lossy(&run.stderr);
        ensure!(run.status.success(), "the person failed: {why}");
        Ok(String::from_utf8(run.stdout)?.trim().to_owned())
    }

    /// Connects without tokens and reads the challenge.
    async fn challenge(&self, lifecycle: &ClientLifecycleMode) -> anyhow::Result<String> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.mcp());
        let transport = StreamableHttpClientTransport::with_client(reqwest::Client::new(), config);
        match ().serve_with_lifecycle(transport, lifecycle.clone()).await {
            Ok(_) => bail!("it connected without a token"),
            Err(ClientInitializeError::TransportError { error, .. }) => {
                let challenge = cause::<AuthRequiredError>(&*error.error);
                let challenge = challenge.with_context(|| format!("{error:?}"))?;
                Ok(challenge.www_authenticate_header.clone())
            }
            Err(error) => bail!("it was not refused for its missing token: {error:?}"),
        }
    }

    /// An app to which a person has agreed.
    async fn authorized(&self, challenge: &str, without: &[&str]) -> anyhow::Result<Http> {
        let mut state = OAuthState::new(self.mcp(), None).await?;
        let request = AuthorizationRequest::new(REDIRECT)
            .with_client_name("rmcp")
            .with_initial_scope_selection()
            .with_challenge(challenge);
        state.start_authorization(request).await?;
        let url = state.get_authorization_url().await?;
        let led = self.agree(&url, without).await?;
        state.handle_callback_url(&led).await?;
        let manager = state.into_authorization_manager();
        let manager = manager.context("it is not authorized")?;
        Ok(AuthClient::new(reqwest::Client::new(), manager))
    }

    async fn connected(
        &self,
        http: &Http,
        lifecycle: &ClientLifecycleMode,
    ) -> anyhow::Result<Session> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.mcp());
        let transport = StreamableHttpClientTransport::with_client(http.clone(), config);
        Ok(().serve_with_lifecycle(transport, lifecycle.clone()).await?)
    }

    async fn revoke(&self, client_id: &str, token: &str) -> anyhow::Result<()> {
        let fields = [("client_id", client_id), ("token", token)];
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let answer = reqwest::Client::new()
            .post(format!("{}/oauth/revoke", self.base))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body)
            .send()
            .await?;
        ensure!(answer.status() == 200, "{answer:?}");
        Ok(())
    }
}

/// Why a call was refused, if it is for this.
fn refusal<E: Error + 'static>(error: &ServiceError) -> anyhow::Result<&E> {
    let found = match error {
        ServiceError::TransportSend(error) => cause(&*error.error),
        _ => None,
    };
    found.with_context(|| format!("{error:?}"))
}

/// The first cause of this kind.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

async fn call(session: &Session, tool: &'static str, input: Value) -> Result<Value, ServiceError> {
    let arguments = input.as_object().cloned().unwrap_or_default();
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    let answer = session.call_tool(request).await?;
    assert!(answer.is_error != Some(true), "{answer:?}");
    Ok(answer.structured_content.unwrap_or_default())
}

async fn scopes(http: &Http) -> Vec<String> {
    http.auth_manager.lock().await.get_current_scopes().await
}

fn event() -> Value {
    json!({
        "title": "Letterpress", "description": "By hand.", "location": "Mill Lane 3",
        "start_date": "2031-05-14T19:00", "timezone": "Europe/London",
    })
}

async fn step_up(world: &World, http: &Http, refused: &ServiceError) -> anyhow::Result<()> {
    let refused = refusal::<InsufficientScopeError>(refused)?;
    let missing = refused.get_required_scope();
    let missing = missing.context("it does not say which scope")?;
    let manager = http.auth_manager.lock().await;
    let url = manager.request_scope_upgrade(missing).await?;
    let led = world.agree(&url, &[]).await?;
    let led = AuthorizationCallback::from_redirect_url(&led)?;
    manager
        .exchange_code_for_token_with_issuer(&led.code, &led.csrf_token, led.issuer.as_deref())
        .await?;
    Ok(())
}

async fn check(world: &World, lifecycle: ClientLifecycleMode) -> anyhow::Result<()> {
    let challenge = world.challenge(&lifecycle).await?;
    let http = world.authorized(&challenge, &["events:write"]).await?;
    let mut session = world.connected(&http, &lifecycle).await?;
    let revision = session.peer_info().context("no revision")?;
    let revision = revision.protocol_version.to_string();
    let account = call(&session, "get_account", json!({})).await?;
    ensure!(account["email"] == "demo@muster.example", "{account}");
    let granted = scopes(&http).await;
    ensure!(!granted.contains(&"events:write".to_owned()), "{granted:?}");

    let before = http.get_access_token().await?;
    http.auth_manager.lock().await.refresh_token().await?;
    ensure!(http.get_access_token().await? != before);
    ensure!(call(&session, "get_account", json!({})).await?["id"] == account["id"]);

    // It asks for what is missing, beside what it has.
    let Err(refused) = call(&session, "create_event", event()).await else {
        bail!("it may do what was not granted");
    };
    step_up(world, &http, &refused).await?;
    session = world.connected(&http, &lifecycle).await?;
    let created = call(&session, "create_event", event()).await?;
    ensure!(created["id"].is_string(), "{created}");
    let granted = scopes(&http).await;
    for scope in ["events:write", "account:read"] {
        ensure!(granted.contains(&scope.to_owned()), "{granted:?}");
    }

    let (client_id, tokens) = http.auth_manager.lock().await.get_credentials().await?;
    let tokens = serde_json::to_value(tokens)?;
    let refresh = tokens["refresh_token"]
        .as_str()
        .context("no refresh token")?;
    world.revoke(&client_id, refresh).await?;
    sleep(REMEMBERED).await;
    let Err(refused) = call(&session, "get_account", json!({})).await else {
        bail!("it goes on after it was revoked");
    };
    let challenge = refusal::<AuthRequiredError>(&refused)?;
    let challenge = challenge.www_authenticate_header.clone();
    let http = world.authorized(&challenge, &[]).await?;
    let session = world.connected(&http, &lifecycle).await?;
    ensure!(call(&session, "get_account", json!({})).await?["id"] == account["id"]);
    println!("  rmcp, {revision}: connected, refreshed, stepped up, revoked, connected again");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let world = World::of_arguments()?;
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    check(&world, ClientLifecycleMode::Discover { preferred_versions }).await?;
    check(&world, ClientLifecycleMode::Initialize).await
}
