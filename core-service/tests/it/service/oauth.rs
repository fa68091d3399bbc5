//! OAuth, as the pages, the endpoints and the gate call it.

mod authorizing;
mod connections;
mod documents;
mod exchanging;
mod refreshing;
mod registering;

use std::collections::HashMap;

use core_service::service::{
    ActivityFilter, Asked, Caller, Choice, Error, Issued, Pending, SessionTrust, TokenRequest,
};
use domain::{
    activity::Activity,
    ids::AccountId,
    oauth::{Code, Refusal, request::Parameters},
    scope::{Scope, Scopes},
};
use test_postgres::Database;
use url::Url;

use super::{Instance, people::Someone};

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const REDIRECT: &str = "http://localhost:3118/callback";
const BROWSER: &str = "00000000000000000000000000000001";
const MCP: &str = "https://muster.example/mcp";
const API: &str = "https://muster.example/api/v1";

/// Someone with an account, and an app that is registered.
struct Scene {
    instance: Box<Instance>,
    /// Another core.
    replica: Box<Instance>,
    ada: Someone,
    account: AccountId,
    client_id: String,
}

impl Scene {
    async fn open(database: &Database) -> Self {
        Self::of(Box::new(Instance::open(database).await)).await
    }

    async fn of(instance: Box<Instance>) -> Self {
        let ada = instance.someone("ada@example.org", 1).await;
        Self {
            account: instance.standing_of(&ada).await.account,
            client_id: register(&instance, "Claude Code", &[REDIRECT]).await,
            replica: Box::new(instance.replica()),
            instance,
            ada,
        }
    }

    /// A request of the app for everything.
    fn asking(&self) -> Parameters {
        asking(&self.client_id)
    }

    async fn begin(&self, parameters: Parameters) -> Result<Asked<Pending>, Error> {
        let oauth = &self.instance.oauth;
        oauth.start(&self.ada.by, BROWSER, parameters).await
    }

    async fn pending(&self, parameters: Parameters) -> Pending {
        match self.begin(parameters).await.unwrap() {
            Asked::Fine(pending) => pending,
            other => panic!("{other:?}"),
        }
    }

    /// Where the browser goes after she agrees to these scopes.
    async fn agree(&self, parameters: Parameters, scopes: &[&str]) -> String {
        let pending = self.pending(parameters).await;
        let choice = choice(self.account, scopes);
        let oauth = &self.instance.oauth;
        let id = pending.authorization.id;
        oauth
            .decide(&self.ada.by, BROWSER, id, Some(choice))
            .await
            .unwrap()
    }

    /// A code for these scopes.
    async fn code(&self, parameters: Parameters, scopes: &[&str]) -> String {
        answered(&self.agree(parameters, scopes).await)["code"].clone()
    }

    async fn exchange(&self, request: &TokenRequest) -> Result<Issued, Refusal> {
        exchange(&self.instance, request).await
    }

    /// Tokens for everything.
    async fn connect(&self) -> Issued {
        self.connect_for(self.asking()).await
    }

    async fn connect_for(&self, parameters: Parameters) -> Issued {
        let all: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        let code = self.code(parameters, &all).await;
        self.exchange(&redeeming(&self.client_id, &code))
            .await
            .unwrap()
    }

    async fn refresh(&self, token: &Issued) -> Result<Issued, Refusal> {
        self.exchange(&refreshing(&self.client_id, token)).await
    }

    /// Checks that the activity has this sentence.
    async fn logged(&self, sentence: &str) {
        let caller = self.instance.standing_of(&self.ada).await;
        let filter = ActivityFilter::default();
        let page = self
            .instance
            .activity
            .list(&caller, &filter, None, 100)
            .await;
        let entries = page.unwrap().entries;
        let log: Vec<_> = entries.iter().map(Activity::sentence).collect();
        assert!(log.iter().any(|one| one == sentence), "{log:#?}");
    }
}

fn asking(client_id: &str) -> Parameters {
    Parameters {
        client_id: some(client_id),
        redirect_uri: some(REDIRECT),
        response_type: some("code"),
        state: some("a state & more"),
        code_challenge: some(CHALLENGE),
        code_challenge_method: some("S256"),
        scope: Some(Scopes::All.joined(" ")),
        ..Parameters::default()
    }
}

fn redeeming(client_id: &str, code: &str) -> TokenRequest {
    TokenRequest {
        grant_type: some("authorization_code"),
        client_id: some(client_id),
        code: some(code),
        redirect_uri: some(REDIRECT),
        code_verifier: some(VERIFIER),
        ..TokenRequest::default()
    }
}

fn refreshing(client_id: &str, token: &Issued) -> TokenRequest {
    TokenRequest {
        grant_type: some("refresh_token"),
        client_id: some(client_id),
        refresh_token: some(token.refresh.expose()),
        ..TokenRequest::default()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "parameters are optional")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn choice(account: AccountId, scopes: &[&str]) -> Choice {
    Choice {
        account: Some(account),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
    }
}

/// The parameters of an answer, and the address as `to`.
fn answered(uri: &str) -> HashMap<String, String> {
    let url = Url::parse(uri).unwrap();
    let mut parameters: HashMap<_, _> = url.query_pairs().into_owned().collect();
    let (to, _) = uri.split_once('?').unwrap();
    parameters.insert("to".to_owned(), to.to_owned());
    parameters
}

async fn register(instance: &Instance, name: &str, redirects: &[&str]) -> String {
    let metadata = serde_json::json!({ "client_name": name, "redirect_uris": redirects });
    let answer = instance.oauth.register(&metadata.to_string(), None).await;
    let answer = answer.unwrap().unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    answer["client_id"].as_str().unwrap().to_owned()
}

async fn exchange(instance: &Instance, request: &TokenRequest) -> Result<Issued, Refusal> {
    instance.oauth.exchange(request, None).await.unwrap()
}

/// Whom a call with an access token comes from.
async fn caller(instance: &Instance, token: &Issued) -> Result<Caller, Error> {
    let header = format!("Bearer {}", token.access.expose());
    let authenticator = &instance.authenticator;
    authenticator
        .authenticate_call(Some(&header), None, SessionTrust::Unknown)
        .await
}

fn code(answer: Result<Issued, Refusal>) -> Code {
    answer.unwrap_err().code
}
