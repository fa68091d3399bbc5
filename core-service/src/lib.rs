//! Muster's business logic as a gRPC service. Only this file composes the modules below it.
//!
//! What programs await here is boxed: a program that names the future's type compiles all of core once more.

pub mod admin;
pub mod calendar;
pub mod content;
pub mod demo;
pub mod email;
pub mod grpc;
pub mod jobs;
mod options;
pub mod service;
pub mod settings;
pub mod webhook_post;

use std::{sync::Arc, time::Duration};

use covers::Studio;
use domain::clock::Clock;
use futures_util::future::BoxFuture;
use server::{
    CancellationToken, Failure,
    adaptive_limit::AdaptiveLimit,
    cors::SharedWith,
    metrics,
    serve::{Limits, Listener},
};
use storage::Store;
use tokio::time::{Instant, sleep};
use tonic::service::Routes;
use tonic_health::server::HealthReporter;
use tower::Layer as _;

use self::{
    email::Mailer,
    grpc::{
        edges::EdgeTokens,
        gate::{self, Gate, GateLayer},
        port::{self, TlsSettings},
    },
    jobs::{
        EventAnnouncement, EventReminder, Handler, Maintenance, MessageJobs, OrganizerMail,
        PersonMail, Post, RegistrationMail, Runner, StockCovers, WebhookDelivery,
    },
    service::{Commands, UseCases},
    webhook_post::WebhookPost,
};

pub use options::Options;

/// The pause between attempts to reach a database that is not there yet.
const DATABASE_PAUSE: Duration = Duration::from_millis(250);

/// How often core checks its database, for its health.
const HEALTH_INTERVAL: Duration = Duration::from_secs(2);

/// A core: the use cases on a database, to be served on a port or called in this process.
#[derive(Clone)]
pub struct Core {
    store: Store,
    use_cases: UseCases,
    services: Routes,
    health: HealthReporter,
    maintenance: Maintenance,
    runner: Runner,
    clock: Clock,
    /// The permits of all calls, on the port and in this process.
    call_limit: AdaptiveLimit,
    edge_tokens: EdgeTokens,
    register_origins: SharedWith,
    port_limits: Limits,
}

impl Core {
    /// Composes a core on a migrated database. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// When the database lacks migrations or does not answer.
    pub fn compose(
        store: Store,
        mailer: Mailer,
        options: Options,
    ) -> BoxFuture<'static, Result<Self, Failure>> {
        Box::pin(async move {
            let require_schema = store.require_schema().await;
            require_schema.map_err(|error| Failure::Environment(error.to_string()))?;
            let Options {
                clock,
                entropy,
                mut policy,
                stock,
                retention,
                edge_tokens,
                register_origins,
            } = options;
            policy.brand = mailer.brand().clone();
            policy.info.mail_folder = mailer.folder().map(|folder| folder.display().to_string());
            let commands =
                Commands::new(store.clone(), clock.clone(), entropy).with_covers(stock.is_some());
            let use_cases = UseCases::new(commands, policy);
            let own_registrations = use_cases.own_registrations.clone();
            let permits = use_cases.mail_permits.clone();
            let post = Post::new(store.clone(), clock.clone(), permits, mailer);
            let links = use_cases.links.clone();
            let letters = PersonMail::new(post.clone(), links.clone(), use_cases.sign_in.sign_up());
            let digests = OrganizerMail::new(
                post.clone(),
                use_cases.organizer_mails.clone(),
                links.clone(),
            );
            let messages = MessageJobs::new(use_cases.messages.clone(), post.clone(), links);
            let mails = RegistrationMail::new(post, own_registrations);
            let announcements = EventAnnouncement::new(use_cases.events.clone());
            let reminders = EventReminder::new(use_cases.events.clone());
            let mut handlers: Vec<Arc<dyn Handler>> = vec![
                Arc::new(mails),
                Arc::new(letters),
                Arc::new(digests),
                Arc::new(announcements),
                Arc::new(reminders),
                Arc::new(messages),
                Arc::new(WebhookDelivery::new(WebhookPost::new(
                    use_cases.webhooks.clone(),
                    use_cases.links.clone(),
                    grpc::webhook_json,
                ))),
            ];
            handlers.extend(stock.map(|stock| -> Arc<dyn Handler> {
                Arc::new(StockCovers::new(use_cases.commands.clone(), stock))
            }));
            if let Err(error) = use_cases.webhooks.warn_of_other_keys().await {
                tracing::warn!(%error, "the keys of webhooks were not compared");
            }
            let health = HealthReporter::new();
            grpc::report_health(&health, true).await;
            let key_uses = use_cases.authenticator.key_uses();
            let session_uses = use_cases.authenticator.session_uses();
            let grant_uses = use_cases.authenticator.grant_uses();
            Ok(Self {
                services: grpc::services(&use_cases, Studio::new(), &health)?,
                maintenance: Maintenance::new(use_cases.commands.clone(), key_uses)
                    .with_session_uses(session_uses)
                    .with_grant_uses(grant_uses)
                    .with_retention(retention)
                    .with_webhooks(use_cases.webhooks.clone()),
                runner: Runner::new(store.clone(), clock.clone(), handlers)
                    .woken_by(use_cases.commands.posted()),
                clock,
                store,
                use_cases,
                health,
                call_limit: AdaptiveLimit::new(gate::MIN_CALLS, gate::MAX_CALLS).measured(),
                edge_tokens,
                register_origins,
                port_limits: Limits::grpc(),
            })
        })
    }

    /// The same core, whose port knows edges by these tokens.
    #[must_use]
    pub fn with_edge_tokens(self, edge_tokens: EdgeTokens) -> Self {
        Self {
            edge_tokens,
            ..self
        }
    }

    /// The same core, whose port has other limits.
    #[must_use]
    pub fn with_port_limits(self, port_limits: Limits) -> Self {
        Self {
            port_limits,
            ..self
        }
    }

    /// The use cases, for what is no client: admin commands, demo data.
    pub const fn use_cases(&self) -> &UseCases {
        &self.use_cases
    }

    /// Periodic work, for callers that need it at once.
    pub const fn maintenance(&self) -> &Maintenance {
        &self.maintenance
    }

    /// The job runner, for callers that need jobs done at once.
    pub const fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Core's services behind the gate, for edges in this process.
    pub fn in_process(&self) -> Gate<Routes> {
        let authenticator = self.use_cases.authenticator.clone();
        let (call_limit, limits) = (self.call_limit.clone(), self.use_cases.call_limits.clone());
        GateLayer::in_process(authenticator, call_limit, limits).layer(self.services.clone())
    }

    /// Serves a port until `stop`; calls under way may finish within a limit. Cancels `stop` when the port fails, so that all
    /// other tasks end.
    ///
    /// # Errors
    /// When a TLS file cannot be used.
    pub fn serve<'a>(
        &'a self,
        listener: Listener,
        tls: &'a TlsSettings,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let authenticator = self.use_cases.authenticator.clone();
            let (limits, calls) = (self.port_limits.clone(), self.use_cases.call_limits.clone());
            let (call_limit, tokens) = (self.call_limit.clone(), self.edge_tokens.clone());
            let gate =
                GateLayer::of_port(authenticator, call_limit, calls, tokens, limits.body_idle);
            let _stops_the_rest = stop.clone().drop_guard();
            let services = self.services.clone();
            let pages = (&self.register_origins, self.use_cases.links.public_url());
            port::serve(listener, tls, gate, services, stop, limits, pages).await
        })
    }

    /// Runs background work until `stop`: jobs, maintenance and checks of the database. From then on, core's health says no.
    pub fn run_background(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            tokio::join!(
                self.runner.clone().run(stop.clone()),
                self.maintenance.clone().run(stop.clone()),
                jobs::measure(&self.store, &self.clock, stop.clone()),
                self.stop_waiting(stop.clone()),
                self.watch_database(stop)
            );
        })
    }

    /// Answers calls that wait for something, once the program is to stop.
    async fn stop_waiting(&self, stop: CancellationToken) {
        stop.cancelled().await;
        self.use_cases.webhooks.stop_waiting();
    }

    async fn watch_database(&self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(HEALTH_INTERVAL);
        let (mut outages, mut was_serving) = (self.store.outages(), true);
        loop {
            let due = async {
                tokio::select! {
                    _tick = ticks.tick() => {}
                    // The store lives as long as this.
                    _outage = outages.changed() => {}
                }
            };
            if stop.run_until_cancelled(due).await.is_none() {
                break;
            }
            let answer = self.store.ping().await;
            let serving = answer.is_ok();
            match &answer {
                Err(why) if was_serving => {
                    tracing::warn!(%why, "the database is away; core does not serve");
                }
                Ok(()) if !was_serving => tracing::info!("the database is there again"),
                Ok(()) | Err(_) => {}
            }
            was_serving = serving;
            metrics::measure(|all| all.database_up.set([], f64::from(u8::from(serving))));
            grpc::report_health(&self.health, serving).await;
        }
        // Whoever asks is to go elsewhere; calls are answered as long as the port is open.
        grpc::report_health(&self.health, false).await;
    }
}

/// Opens the database that the settings name. A server that is not there yet is waited for, for so long.
///
/// # Errors
/// One line that names the problem.
pub fn open_store(
    data: &settings::DataSettings,
    purpose: storage::Purpose,
    wait: Duration,
) -> BoxFuture<'_, Result<Store, Failure>> {
    Box::pin(async move {
        let options = data.options(purpose)?;
        let until = Instant::now() + wait;
        let mut is_told = false;
        loop {
            match Store::open(&options).await {
                Err(storage::Error::Unavailable(why)) if Instant::now() < until => {
                    if !std::mem::replace(&mut is_told, true) {
                        tracing::warn!(error = why, "waiting for the database");
                    }
                    sleep(DATABASE_PAUSE).await;
                }
                opened => {
                    return opened.map_err(|error| Failure::Environment(error.to_string()));
                }
            }
        }
    })
}
