//! Muster's business logic as a gRPC service. Only this file composes the modules below it.

pub mod admin;
pub mod content;
pub mod demo;
pub mod domain;
pub mod email;
pub mod grpc;
pub mod jobs;
pub mod service;
pub mod settings;
pub mod storage;

use std::{sync::Arc, time::Duration};

use covers::Studio;
use process::{CancellationToken, Failure, serve::DRAIN};
use tonic::service::Routes;
use tonic_health::server::HealthReporter;
use tower::Layer as _;

use self::{
    domain::retention::Retention,
    email::Mailer,
    grpc::{
        edges::EdgeTokens,
        gate::{Gate, GateLayer},
        server::{Listener, TlsSettings},
    },
    jobs::{Handler, Maintenance, RegistrationMail, Runner, StockCovers},
    service::{Context, Service},
    storage::Store,
};

/// How often core asks whether its database still answers, which is what its health says.
const HEALTH_INTERVAL: Duration = Duration::from_secs(2);

/// A core: the rules on a database, ready to be served on a port or called in this process.
#[derive(Clone)]
pub struct Core {
    rules: Service,
    routes: Routes,
    health: HealthReporter,
    maintenance: Maintenance,
    runner: Runner,
    edge_tokens: EdgeTokens,
    drain: Duration,
}

impl Core {
    /// Composes a core on a migrated database, whose mails leave by `mailer`.
    ///
    /// # Errors
    /// When the database lacks migrations or does not answer.
    pub async fn new(context: Context, mailer: Mailer) -> Result<Self, Failure> {
        let require_schema = context.store.require_schema().await;
        require_schema.map_err(|error| Failure::Environment(error.to_string()))?;
        let (store, clock) = (context.store.clone(), context.clock.clone());
        let stock = context.stock.clone();
        let rules = Service::new(context);
        let mails = RegistrationMail::new(store.clone(), clock.clone(), rules.clone(), mailer);
        let mut handlers: Vec<Arc<dyn Handler>> = vec![Arc::new(mails)];
        handlers.extend(stock.map(|stock| -> Arc<dyn Handler> {
            Arc::new(StockCovers::new(rules.commands().clone(), stock))
        }));
        let health = HealthReporter::new();
        grpc::report_health(&health, true).await;
        Ok(Self {
            routes: grpc::routes(&rules, Studio::new(), &health)?,
            maintenance: Maintenance::new(store.clone(), clock.clone(), rules.key_uses()),
            runner: Runner::new(store, clock, handlers),
            rules,
            health,
            edge_tokens: EdgeTokens::default(),
            drain: DRAIN,
        })
    }

    /// The same core, which keeps old rows for another time.
    #[must_use]
    pub fn with_retention(self, retention: Retention) -> Self {
        Self {
            maintenance: self.maintenance.with_retention(retention),
            ..self
        }
    }

    /// The same core, whose port knows edges by these tokens.
    #[must_use]
    pub fn with_edge_tokens(self, edge_tokens: EdgeTokens) -> Self {
        Self {
            edge_tokens,
            ..self
        }
    }

    /// The same core, whose port waits for another time for calls under way when it stops.
    #[must_use]
    pub fn with_drain(self, drain: Duration) -> Self {
        Self { drain, ..self }
    }

    /// The use cases, for what is no client: admin commands, demo data.
    pub const fn rules(&self) -> &Service {
        &self.rules
    }

    /// What comes round by itself, for whoever wants it at once.
    pub const fn maintenance(&self) -> &Maintenance {
        &self.maintenance
    }

    /// What does jobs, for whoever wants them done at once.
    pub const fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Every call as it comes from the network, for edges in this process.
    pub fn in_process(&self) -> Gate<Routes> {
        GateLayer::in_process(self.rules.clone()).layer(self.routes.clone())
    }

    /// Serves a port until `stop` and lets calls under way finish within a limit. Cancels `stop` when the port fails, so that
    /// what runs beside it ends, too.
    ///
    /// # Errors
    /// When the TLS files can't be used, or the port fails.
    pub async fn serve(
        &self,
        listener: Listener,
        tls: &TlsSettings,
        stop: CancellationToken,
    ) -> Result<(), Failure> {
        let gate = GateLayer::of_port(self.rules.clone(), self.edge_tokens.clone());
        let _stops_the_rest = stop.clone().drop_guard();
        let routes = self.routes.clone();
        grpc::server::serve(listener, tls, gate, routes, stop, self.drain).await
    }

    /// Runs what nobody calls until `stop`: jobs, maintenance, and asking after the database.
    pub async fn run_background(&self, stop: CancellationToken) {
        tokio::join!(
            self.runner.clone().run(stop.clone()),
            self.maintenance.clone().run(stop.clone()),
            self.watch_database(stop)
        );
    }

    async fn watch_database(&self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(HEALTH_INTERVAL);
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let serving = self.rules.is_ready().await;
            grpc::report_health(&self.health, serving).await;
        }
    }
}

/// Opens the database that the settings name.
///
/// # Errors
/// In one line: what is in the way.
pub async fn open_store(
    data: &settings::DataSettings,
    access: storage::Access,
) -> Result<Store, Failure> {
    let options = data.options(access)?;
    Store::open(&options)
        .await
        .map_err(|error| Failure::Environment(error.to_string()))
}
