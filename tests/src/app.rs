//! A whole system in this process.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_service::{
    Core, Options,
    email::Mailer,
    grpc::port::TlsSettings,
    jobs::{MessageJobs, Post, Runner},
    service::{KeyTerms, Links, NewAccount, Policy, WebhookPolicy},
};
use covers::stock::Stock;
use domain::{
    clock::Clock,
    entropy::Entropy,
    ids::{AccountId, KeyId},
    instant::Instant,
    plan::Plan,
    scope::{Scope, Scopes},
};
use egress::{Allowances, Egress};
use http_kit::{CallOptions, ResponseCache};
use rpc_client::CoreSettings;
use server::{
    CancellationToken, serve,
    serve::{Address, Listener},
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use storage::{self, Purpose, Store};
use tempfile::TempDir;
use tokio::net::TcpListener;
use website::{Look, Views};

use crate::{Api, Database, Grpc, Http, Mcp, Surface};

/// A core, a gateway, an MCP bridge and a website on ports of their own, on a database of their own. Nothing runs in the background: jobs and
/// maintenance happen when a test says so.
pub struct TestApp {
    /// The HTTP port.
    pub http: Http,
    /// The gRPC port.
    pub grpc: Grpc,
    /// The MCP port.
    pub mcp: Mcp,
    /// The port of the pages.
    pub site: Http,
    /// The views of pages that were not recorded yet.
    pub views: Views,
    /// The time that core believes in.
    pub clock: Clock,
    /// The database below core, to look at and to put rows into that no rpc makes yet.
    pub store: Store,
    /// Core itself: use cases for administrators, jobs, maintenance.
    pub core: Core,
    /// Where the database is.
    pub database: Arc<Database>,
    pub(crate) entropy: Entropy,
    /// Where mails are written.
    pub(crate) mail: TempDir,
    stop: CancellationToken,
}

/// An account with a key.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its identifier.
    pub id: AccountId,
    /// Its email address, which names it to administrators.
    pub email: String,
    /// Its key, in plain.
    pub key: String,
    /// The key's identifier.
    pub key_id: KeyId,
}

impl TestApp {
    /// The present when a test begins: 2027-01-15T12:00:00Z.
    pub const START: Instant = Instant::from_micros(1_800_014_400_000_000);

    /// The base of every URL that is handed out.
    pub const PUBLIC_URL: &str = "https://muster.example";

    /// By which the edges prove to core what they are.
    pub const EDGE_TOKEN: &str = "the-secret-that-edges-of-tests-share";

    /// What seals secrets at rest.
    pub const SECRET_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    /// How long the edges give a request. Above what any test takes on a busy machine.
    const REQUEST_TIME: Duration = Duration::from_secs(30);

    /// A system on a new SQLite file.
    pub async fn on_sqlite() -> Arc<Self> {
        Self::start(Arc::new(Database::sqlite(migrate).await)).await
    }

    /// A system on a new PostgreSQL database; `None` where PostgreSQL is not installed.
    pub async fn on_postgres() -> Option<Arc<Self>> {
        let database = Database::postgres(migrate).await?;
        Some(Self::start(Arc::new(database)).await)
    }

    /// A system on a migrated database, with the default quotas and UTC. A second one on the same PostgreSQL is a second
    /// replica with a clock of its own; SQLite takes only one at a time.
    pub async fn start(database: Arc<Database>) -> Arc<Self> {
        let options = storage::Options {
            is_pooled: database.is_pooled(),
            ..storage::Options::new(database.url(), Purpose::Serve)
        };
        let store = Store::open(&options).await.unwrap();
        Self::assemble(database, store, Clock::manual(Self::START), None).await
    }

    /// Starts one more system on the same database, by the same clock, whose covers are photographs of this provider. On SQLite as well.
    pub async fn start_another_with_photographs(&self, stock: Stock) -> Arc<Self> {
        let (database, store) = (Arc::clone(&self.database), self.store.clone());
        Self::assemble(database, store, self.clock.clone(), Some(stock)).await
    }

    async fn assemble(
        database: Arc<Database>,
        store: Store,
        clock: Clock,
        stock: Option<Stock>,
    ) -> Arc<Self> {
        let (entropy, mail) = (next_entropy(), tempfile::tempdir().unwrap());
        let options = Options {
            stock,
            ..core_options(&clock, &entropy, Policy::default())
        };
        let core = compose_core(&store, &mail, options).await;
        let stop = CancellationToken::new();
        let any_port = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        let address = serve_core(&core, &any_port, TlsSettings::default(), &stop).await;
        let Address::Tcp(grpc) = address else {
            unreachable!("a TCP address was asked for")
        };
        let edges = core_at(&format!("http://{grpc}"));
        let http = serve_gateway(&edges, http_gateway::Options::default(), &stop).await;
        let mcp = serve_mcp(&edges, &stop).await;
        let views = Views::default();
        let site = website::Options {
            views: views.clone(),
            ..website::Options::default()
        };
        let site = serve_site_with(edges.edge().unwrap(), site, &stop).await;
        Arc::new(Self {
            views,
            http,
            mcp,
            site,
            grpc: Grpc::new(grpc),
            clock,
            store,
            core,
            database,
            entropy,
            mail,
            stop,
        })
    }

    /// Stops serving and closes the database, so that another system can open it.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.store.close().await;
    }

    /// Starts one more website, with a core of its own on the same database, by the same clock. On SQLite as well, since both cores are in
    /// this process.
    pub async fn serve_another_core(&self, policy: Policy) -> Http {
        let address = self.another_core(policy).await;
        let edge = core_at(&format!("http://{address}")).edge().unwrap();
        serve_site(edge, CallOptions::default(), &self.stop).await
    }

    /// Starts one more website that looks like this, with a core of its own that writes mails of the same name.
    pub async fn serve_another_site(&self, look: Look) -> Http {
        let policy = Policy {
            brand: look.brand.clone(),
            ..Policy::default()
        };
        let address = self.another_core(policy).await;
        let edge = core_at(&format!("http://{address}")).edge().unwrap();
        serve_site_that_looks(edge, CallOptions::default(), look, &self.stop).await
    }

    /// Starts one more core like that, and says where it is.
    pub async fn another_core(&self, policy: Policy) -> SocketAddr {
        self.another_core_with(core_options(&self.clock, &next_entropy(), policy))
            .await
    }

    /// Starts one more core like that, through whose port pages of these origins may register people.
    pub async fn another_core_for_pages_of(&self, origins: &str) -> Http {
        let options = core_service::Options {
            register_origins: origins.parse().unwrap(),
            ..core_options(&self.clock, &next_entropy(), Policy::default())
        };
        Http::new(self.another_core_with(options).await)
    }

    async fn another_core_with(&self, options: core_service::Options) -> SocketAddr {
        let core = compose_core(&self.store, &self.mail, options).await;
        let any_port = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        let address = serve_core(&core, &any_port, TlsSettings::default(), &self.stop).await;
        let Address::Tcp(grpc) = address else {
            unreachable!("a TCP address was asked for")
        };
        grpc
    }

    /// The runner of one more core like that.
    pub async fn runner_of_another_core(&self) -> Runner {
        let options = core_options(&self.clock, &next_entropy(), Policy::default());
        let core = compose_core(&self.store, &self.mail, options).await;
        core.runner().clone()
    }

    /// Begins the messages that are due, without sending their mails.
    pub async fn begin_messages(&self) {
        let use_cases = self.core.use_cases();
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let permits = use_cases.mail_permits.clone();
        let post = Post::new(store.clone(), clock.clone(), permits, mailer(&self.mail));
        let (messages, links) = (use_cases.messages.clone(), use_cases.links.clone());
        let handler = MessageJobs::new(messages, post, links);
        let runner = Runner::new(store, clock, vec![Arc::new(handler)]);
        runner.drain().await.unwrap();
    }

    /// Serves core on one more port.
    pub async fn serve_core(&self, address: &Address, tls: TlsSettings) -> Address {
        serve_core(&self.core, address, tls, &self.stop).await
    }

    /// Starts one more gateway, which finds core as the settings say.
    pub async fn serve_gateway(&self, core: &CoreSettings) -> Http {
        serve_gateway(core, http_gateway::Options::default(), &self.stop).await
    }

    /// Starts one more gateway, with this client of core and this cache.
    pub async fn serve_gateway_with(&self, core: rpc_client::Core, cache: ResponseCache) -> Http {
        let mut options = gateway_options(http_gateway::Options::default());
        options.calls.cache = Some(cache);
        serve_edge(http_gateway::router(core, options), &self.stop).await
    }

    /// Starts one more gateway, through which pages of these origins may register people.
    pub async fn serve_gateway_for_pages_of(&self, origins: &str) -> Http {
        let core = core_at(&format!("http://{}", self.grpc.address()));
        let options = http_gateway::Options {
            public_changes: origins.parse().unwrap(),
            ..http_gateway::Options::default()
        };
        serve_gateway(&core, options, &self.stop).await
    }

    /// Starts one more gateway, which believes proxies in these networks.
    pub async fn serve_gateway_behind(&self, proxies: &str) -> Http {
        let core = core_at(&format!("http://{}", self.grpc.address()));
        let mut options = http_gateway::Options::default();
        options.calls.trusted_proxies = proxies.parse().unwrap();
        serve_gateway(&core, options, &self.stop).await
    }

    /// Starts one more MCP bridge, which finds core as the settings say.
    pub async fn serve_mcp(&self, core: &CoreSettings) -> Mcp {
        serve_mcp(core, &self.stop).await
    }

    /// Starts one more website, which finds core as the settings say.
    pub async fn serve_site(&self, core: &CoreSettings) -> Http {
        self.serve_site_with(core.edge().unwrap(), None).await
    }

    /// Starts one more website, with this client of core and this cache, if any.
    pub async fn serve_site_with(
        &self,
        core: rpc_client::Core,
        cache: Option<ResponseCache>,
    ) -> Http {
        let calls = CallOptions {
            cache,
            ..CallOptions::default()
        };
        let options = website::Options {
            calls,
            views: self.views.clone(),
            ..website::Options::default()
        };
        serve_site_with(core, options, &self.stop).await
    }

    /// Starts one more website, which believes proxies in these networks.
    pub async fn serve_site_behind(&self, proxies: &str) -> Http {
        let core = core_at(&format!("http://{}", self.grpc.address()));
        let core = core.edge().unwrap();
        let calls = CallOptions {
            trusted_proxies: proxies.parse().unwrap(),
            ..CallOptions::default()
        };
        serve_site(core, calls, &self.stop).await
    }

    /// This system as clients of one surface see it.
    pub fn over(self: &Arc<Self>, surface: Surface) -> Api {
        Api::new(Arc::clone(self), surface)
    }

    /// Opens an account and makes a key for it, as an administrator does.
    pub async fn account(&self, plan: Plan) -> Account {
        self.account_in(plan, None).await
    }

    /// Opens an account whose events are in that zone unless they say otherwise.
    pub async fn account_in(&self, plan: Plan, timezone: Option<&str>) -> Account {
        let use_cases = self.core.use_cases();
        let email = format!("owner-{}@example.org", self.entropy.base62(8));
        let account = use_cases
            .accounts
            .create(NewAccount {
                email: email.clone(),
                name: "Olga Owner".to_owned(),
                plan,
                timezone: timezone.map(str::to_owned),
            })
            .await
            .unwrap();
        let made = use_cases
            .keys
            .create_for_demo(&email, "laptop")
            .await
            .unwrap();
        Account {
            id: account.id,
            email,
            key: made.plain.expose().to_owned(),
            key_id: made.key.id,
        }
    }

    /// Makes another key for an account, which may be used for this alone.
    pub async fn key_for(&self, account: &Account, scopes: &[Scope]) -> String {
        let terms = KeyTerms {
            scopes: Scopes::named(scopes.iter().copied()),
            ..KeyTerms::named("limited")
        };
        let made = self
            .core
            .use_cases()
            .keys
            .create_on(&account.email, terms)
            .await;
        made.unwrap().plain.expose().to_owned()
    }

    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        let seconds = by.as_secs().try_into().unwrap();
        self.clock.advance_seconds(seconds);
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// What databases of tests start from.
pub async fn migrate(url: String) {
    let options = storage::Options::new(url.clone(), Purpose::Administer);
    let store = Store::open(&options).await.unwrap();
    store.migrate().await.unwrap();
    store.close().await;
    if test_postgres::is_through_pooler() && url.starts_with("postgres:") {
        prepare_role(url).await;
    }
}

/// Gives the role what core does not set through a pooler.
async fn prepare_role(url: String) {
    let options = storage::Options {
        is_pooled: true,
        ..storage::Options::new(url.clone(), Purpose::Administer)
    };
    let store = Store::open(&options).await.unwrap();
    let statements = store.lacking_settings().await.unwrap().join(" ");
    store.close().await;
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let set = sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut connection);
    set.await.unwrap();
}

/// Replicas must not make the same ids, so each has a seed of its own.
fn next_entropy() -> Entropy {
    static SEEDS: AtomicU64 = AtomicU64::new(0);
    Entropy::seeded(SEEDS.fetch_add(1, Ordering::Relaxed))
}

/// What a core of tests is told.
fn core_options(clock: &Clock, entropy: &Entropy, policy: Policy) -> Options {
    Options {
        clock: clock.clone(),
        entropy: entropy.clone(),
        policy: Policy {
            links: Links::new(TestApp::PUBLIC_URL),
            webhooks: webhooks(),
            ..policy
        },
        edge_tokens: TestApp::EDGE_TOKEN.parse().unwrap(),
        ..Options::default()
    }
}

/// Webhooks of all cores on one database, whose receivers are on this machine.
fn webhooks() -> WebhookPolicy {
    let loopback = Allowances {
        networks: "127.0.0.0/8".parse().unwrap(),
        ..Allowances::default()
    };
    WebhookPolicy {
        keys: Arc::new(TestApp::SECRET_KEY.parse().unwrap()),
        egress: Some(Egress::public().unwrap().admitting(loopback)),
    }
}

async fn compose_core(store: &Store, mail: &TempDir, options: Options) -> Core {
    let mailer = mailer(mail).with_brand(options.policy.brand.clone());
    let core = Core::compose(store.clone(), mailer, options).await;
    core.unwrap()
}

fn mailer(mail: &TempDir) -> Mailer {
    let sender = "Muster <events@muster.example>".parse().unwrap();
    Mailer::files(mail.path().to_owned(), sender)
}

/// The settings of an edge whose core is there, without TLS. It proves itself by [`TestApp::EDGE_TOKEN`].
pub fn core_at(url: &str) -> CoreSettings {
    CoreSettings {
        core_url: url.parse().unwrap(),
        core_ca: None,
        core_cert: None,
        core_key: None,
        edge_token: Some(TestApp::EDGE_TOKEN.into()),
    }
}

async fn serve_core(
    core: &Core,
    address: &Address,
    tls: TlsSettings,
    stop: &CancellationToken,
) -> Address {
    let listener = Listener::bind(address).await.unwrap();
    let bound = listener.address().unwrap();
    // Its failure must not stop the other ports.
    let (core, stop) = (core.clone(), stop.child_token());
    tokio::spawn(async move { core.serve(listener, &tls, stop).await });
    bound
}

async fn serve_gateway(
    core: &CoreSettings,
    options: http_gateway::Options,
    stop: &CancellationToken,
) -> Http {
    let router = http_gateway::router(core.edge().unwrap(), gateway_options(options));
    serve_edge(router, stop).await
}

fn gateway_options(mut options: http_gateway::Options) -> http_gateway::Options {
    options.calls.request_time = TestApp::REQUEST_TIME;
    TestApp::PUBLIC_URL.clone_into(&mut options.public_url);
    options
}

async fn serve_mcp(core: &CoreSettings, stop: &CancellationToken) -> Mcp {
    let core = core.edge().unwrap();
    let options = mcp_bridge::Options {
        calls: CallOptions {
            request_time: TestApp::REQUEST_TIME,
            ..CallOptions::default()
        },
        state_key: Some("a secret that replicas of a test share".into()),
        public_url: TestApp::PUBLIC_URL.to_owned(),
        ..mcp_bridge::Options::default()
    };
    let router = mcp_bridge::router(core, &options).unwrap();
    Mcp::new(serve_edge(router, stop).await)
}

async fn serve_site(core: rpc_client::Core, calls: CallOptions, stop: &CancellationToken) -> Http {
    serve_site_that_looks(core, calls, Look::default(), stop).await
}

async fn serve_site_that_looks(
    core: rpc_client::Core,
    calls: CallOptions,
    look: Look,
    stop: &CancellationToken,
) -> Http {
    let options = website::Options {
        calls,
        look,
        ..website::Options::default()
    };
    serve_site_with(core, options, stop).await
}

async fn serve_site_with(
    core: rpc_client::Core,
    options: website::Options,
    stop: &CancellationToken,
) -> Http {
    let options = website::Options {
        calls: CallOptions {
            request_time: TestApp::REQUEST_TIME,
            ..options.calls
        },
        public_url: TestApp::PUBLIC_URL.to_owned(),
        ..options
    };
    serve_edge(website::router(core, options), stop).await
}

async fn serve_edge(router: http_kit::Router, stop: &CancellationToken) -> Http {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = stop.clone();
    tokio::spawn(serve::serve(listener, router, serve::Limits::http(), stop));
    Http::new(address)
}
