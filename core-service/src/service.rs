//! The use cases. Each reads top to bottom: begin, read, let `domain` decide, write with audit and jobs, commit. A command
//! is decided in exactly one transaction; a query sees only what its caller may.
//!
//! What the proto says of single fields (lengths, ranges, defaults) has been applied before a use case is called.

mod accounts;
mod catalogue;
mod command;
mod credentials;
mod erase;
mod error;
mod events;
mod keys;
mod limits;
mod link_queue;
mod links;
mod mails;
mod registrations;

use std::sync::Arc;

pub use accounts::{AccountOverview, NewAccount};
pub use catalogue::{CatalogueView, CoverView, CoverWords};
pub use command::{Commands, Unit};
pub use credentials::Caller;
pub use erase::Erasure;
pub use error::Error;
pub use events::{Cancellation, MyEvents};
pub use keys::NewKey;
pub use limits::Allowance;
pub use links::Links;
pub use registrations::{Added, Export, NewRegistration, OwnRegistration, Registrations};

pub use crate::{
    domain::rate::LimitSettings,
    storage::{EventFilter, RegistrationFilter},
};
use covers::stock::Stock;

use self::{
    credentials::Credentials, limits::Limiters, link_queue::LinkQueue, registrations::Batchers,
};

use crate::{
    domain::{clock::Clock, entropy::Entropy, instant::Instant, plan::Plans, zone::Zone},
    storage::{KeyUses, Store},
};

/// What the use cases work with.
#[derive(Debug)]
pub struct Context {
    /// The database.
    pub store: Store,
    /// The present.
    pub clock: Clock,
    /// Ids, keys and the endings of slugs.
    pub entropy: Entropy,
    /// Every URL that is handed out.
    pub links: Links,
    /// How many active events each plan allows.
    pub plans: Plans,
    /// The zone of events for which neither their creator nor the account names one.
    pub default_timezone: Zone,
    /// How often people may be registered.
    pub limits: LimitSettings,
    /// Who has photographs for covers; without anybody every cover is drawn.
    pub stock: Option<Stock>,
}

/// The use cases; clones share everything.
#[derive(Debug, Clone)]
pub struct Service {
    context: Arc<Context>,
    commands: Commands,
    credentials: Arc<Credentials>,
    batchers: Arc<Batchers>,
    limiters: Arc<Limiters>,
    link_queue: Arc<LinkQueue>,
    key_uses: KeyUses,
}

impl Service {
    /// The use cases on a migrated database. Called within a Tokio runtime, where registrations are decided in batches.
    pub fn new(context: Context) -> Self {
        let context = Arc::new(context);
        let Context {
            store,
            clock,
            entropy,
            ..
        } = &*context;
        let commands = Commands::new(store.clone(), clock.clone(), entropy.clone())
            .with_covers(context.stock.is_some());
        let limiters = Arc::new(Limiters::new(context.limits, &context.clock));
        Self {
            batchers: Arc::new(Batchers::start(&commands, &limiters)),
            limiters,
            context,
            commands,
            credentials: Arc::default(),
            link_queue: Arc::default(),
            key_uses: KeyUses::default(),
        }
    }

    /// Every URL that is handed out.
    pub fn links(&self) -> &Links {
        &self.context.links
    }

    /// When keys were used, for whoever writes it down.
    pub fn key_uses(&self) -> KeyUses {
        self.key_uses.clone()
    }

    /// Whether the database answers.
    pub async fn is_ready(&self) -> bool {
        self.context.store.ping().await.is_ok()
    }

    /// What the use cases work with, for what fills the database by other means.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The one way to change anything.
    pub const fn commands(&self) -> &Commands {
        &self.commands
    }

    fn now(&self) -> Instant {
        self.context.clock.now()
    }
}
