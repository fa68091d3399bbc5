//! A Muster to measure: core in this process, called as `muster` calls it, through the gate, validation and rules, without sockets.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{anyhow, bail};
use core_service::{
    Core,
    email::Mailer,
    service::{LimitSettings, NewAccount, Policy, WebhookPolicy},
};
use domain::plan::Plan;
use egress::{Allowances, Egress};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use http_kit::Problem;
use muster_api::{
    binding::{PublicRpc as _, Rpc},
    v1::{
        CreateEventRequest, CreatedEvent, RegisterAttendeeRequest,
        bindings::{CreateEvent, RegisterAttendee},
    },
};
use rpc_client::Context;
use server::observe::RequestId;
use storage::{Options, Purpose, Store};
use tempfile::TempDir;
use test_postgres::{Database, Server};

/// Concurrent clients. They wait for each other's commits.
pub(crate) const CLIENTS: usize = 512;

/// Far above what a call takes: a measurement waits for what it measures.
const TIMEOUT: Duration = Duration::from_mins(1);

const OWNER: &str = "owner@example.org";

/// A core on a database of its own, with one account on the largest plan.
pub(crate) struct System {
    /// Core, for what no rpc does: running jobs.
    pub(crate) core: Box<Core>,
    client: rpc_client::Core,
    credential: String,
    headers: HeaderMap,
    /// Holds the mails. Removed with the last system on it.
    folder: Arc<TempDir>,
    database: Arc<Database>,
}

impl System {
    /// A new system on SQLite, or on a server's new database, whose mails go into a folder.
    pub(crate) async fn start(postgres: Option<&Server>) -> anyhow::Result<Arc<Self>> {
        let folder = tempfile::tempdir()?;
        let sender = "Muster <events@muster.example>".parse()?;
        let mailer = Mailer::files(folder.path().to_owned(), sender);
        Self::start_with(postgres, mailer, folder).await
    }

    /// The same with another way for mails.
    pub(crate) async fn start_with(
        postgres: Option<&Server>,
        mailer: Mailer,
        folder: TempDir,
    ) -> anyhow::Result<Arc<Self>> {
        let database = match postgres {
            Some(server) => Database::on(server, migrate).await,
            None => Database::new_sqlite(migrate).await,
        };
        let store = Store::open(&Options::new(database.url(), Purpose::Serve)).await?;
        let options = core_service::Options {
            policy: Policy {
                limits: LimitSettings::OFF,
                webhooks: WebhookPolicy {
                    egress: Some(Egress::public()?.admitting(loopback())),
                    ..WebhookPolicy::default()
                },
                ..Policy::default()
            },
            ..core_service::Options::default()
        };
        let core = Box::new(Core::compose(store, mailer, options).await?);
        let (folder, database) = (Arc::new(folder), Arc::new(database));
        let client = rpc_client::Core::in_process(core.in_process());
        Self::owned_by(OWNER, core, client, folder, database).await
    }

    /// The same system, called by the owner of another account.
    pub(crate) async fn beside(&self, email: &str) -> anyhow::Result<Arc<Self>> {
        let (folder, database) = (Arc::clone(&self.folder), Arc::clone(&self.database));
        Self::owned_by(
            email,
            self.core.clone(),
            self.client.clone(),
            folder,
            database,
        )
        .await
    }

    async fn owned_by(
        email: &str,
        core: Box<Core>,
        client: rpc_client::Core,
        folder: Arc<TempDir>,
        database: Arc<Database>,
    ) -> anyhow::Result<Arc<Self>> {
        let account = NewAccount {
            email: email.to_owned(),
            name: "Olga Owner".to_owned(),
            plan: Plan::Business,
            timezone: None,
        };
        core.use_cases().accounts.create(account).await?;
        let key = core.use_cases().keys.create(email, "bench").await?;
        let credential = format!("Bearer {}", key.plain.expose());
        Ok(Arc::new(Self {
            client,
            core,
            headers: HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(&credential)?)]),
            credential,
            folder,
            database,
        }))
    }

    /// Where its database is.
    pub(crate) fn database_url(&self) -> &str {
        self.database.url()
    }

    /// What the account's owner sends as `Authorization`.
    pub(crate) fn credential(&self) -> &str {
        &self.credential
    }

    /// Calls an rpc as the account's owner.
    pub(crate) async fn call<R: Rpc>(&self, request: R::Request) -> anyhow::Result<R::Response> {
        let answer = self.attempt::<R>(request).await;
        answer.map_err(|problem| anyhow!("{}: {}", R::NAME, problem.message))
    }

    async fn attempt<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Problem> {
        let context = Context::from_headers(&self.headers, &RequestId::fresh(), TIMEOUT);
        let answer = self.client.call::<R>(request, &context).await;
        let (answer, _metadata) = answer.map_err(|status| Problem::from(&status))?;
        Ok(answer)
    }

    /// Publishes an event with that many seats.
    pub(crate) async fn publish(&self, seats: i32) -> anyhow::Result<CreatedEvent> {
        self.publish_for_parties(seats, 1).await
    }

    /// The same with registrations for up to that many people.
    pub(crate) async fn publish_for_parties(
        &self,
        seats: i32,
        max_party: i32,
    ) -> anyhow::Result<CreatedEvent> {
        self.call::<CreateEvent>(CreateEventRequest {
            max_party: Some(max_party),
            ..hot_event(seats)
        })
        .await
    }

    /// The same with reminders so many hours before.
    pub(crate) async fn publish_with_reminders(
        &self,
        seats: i32,
        hours: &[i32],
    ) -> anyhow::Result<CreatedEvent> {
        let mut request = CreateEventRequest {
            reminders: hours.to_vec(),
            ..hot_event(seats)
        };
        // None at all, not the default.
        CreateEvent::set_update_mask(&mut request, vec!["reminders".to_owned()]);
        self.call::<CreateEvent>(request).await
    }

    /// Registers one guest, told apart by a number, who tries again when core says that it is overloaded: a build that is not
    /// optimised refuses some of a crowd.
    pub(crate) async fn register(&self, slug: &str, guest: usize) -> anyhow::Result<()> {
        let request = RegisterAttendeeRequest {
            slug: slug.to_owned(),
            name: Some(format!("Guest {guest}")),
            email: Some(format!("guest-{guest}@example.org")),
            ..RegisterAttendeeRequest::default()
        };
        let started = Instant::now();
        while let Err(problem) = self.attempt::<RegisterAttendee>(request.clone()).await {
            let wait = problem.retry_after_seconds.map(Duration::from_secs);
            match wait.filter(|wait| started.elapsed() + *wait < TIMEOUT) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => bail!("guest {guest} cannot register: {}", problem.message),
            }
        }
        Ok(())
    }

    /// Registers that many guests, [`CLIENTS`] at a time, each for the event that `slug` says; answers how long it took.
    pub(crate) async fn register_all(
        self: &Arc<Self>,
        guests: usize,
        slug: impl Fn(usize) -> String + Send + Sync + 'static,
    ) -> anyhow::Result<Duration> {
        let (system, slug) = (Arc::clone(self), Arc::new(slug));
        in_crowd(guests, move |guest| {
            let (system, slug) = (Arc::clone(&system), slug(guest));
            async move { system.register(&slug, guest).await }
        })
        .await
    }
}

fn hot_event(seats: i32) -> CreateEventRequest {
    CreateEventRequest {
        title: Some("A hot event".to_owned()),
        description: Some("Everyone wants to come.".to_owned()),
        location: Some("Here".to_owned()),
        start_date: Some("2040-05-14T19:00:00Z".to_owned()),
        max_capacity: Some(seats),
        is_public: Some(true),
        ..CreateEventRequest::default()
    }
}

/// Does `work` for each number below `count`, [`CLIENTS`] at a time; answers how long all of it took.
pub(crate) async fn in_crowd<W, F>(count: usize, work: W) -> anyhow::Result<Duration>
where
    W: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = anyhow::Result<()>> + Send,
{
    in_crowd_of(CLIENTS, count, work).await
}

/// The same, that many at a time.
pub(crate) async fn in_crowd_of<W, F>(
    clients: usize,
    count: usize,
    work: W,
) -> anyhow::Result<Duration>
where
    W: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = anyhow::Result<()>> + Send,
{
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let clients: Vec<_> = (0..clients.min(count))
        .map(|_| {
            let (next, work) = (Arc::clone(&next), work.clone());
            tokio::spawn(async move {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return anyhow::Ok(());
                    }
                    work(index).await?;
                }
            })
        })
        .collect();
    for client in clients {
        client.await??;
    }
    Ok(started.elapsed())
}

async fn migrate(url: String) {
    let store = Store::open(&Options::new(url, Purpose::Administer)).await;
    let store = store.expect("a new database can be opened");
    store
        .migrate()
        .await
        .expect("a new database can be migrated");
    store.close().await;
}

/// Receivers of webhooks are on this machine.
fn loopback() -> Allowances {
    Allowances {
        networks: "127.0.0.0/8".parse().expect("a network"),
        ..Allowances::default()
    }
}
