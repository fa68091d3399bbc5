//! Clients: registered ones, and those that a document describes.

use std::sync::Arc;

use domain::{
    audit::Actor,
    ids::ClientId,
    instant::{DAY_SECONDS, Instant},
    oauth::{
        Client, ClientMetadata, PrivateSchemes, Refusal,
        client::{self, document_url},
    },
};
use egress::Egress;
use storage::StoredClient;
use tokio::sync::Semaphore;
use url::Url;

use super::{
    OAuthPolicy, Problem,
    attempts::{Attempts, Reader},
};
use crate::service::{Commands, Context, Error};

/// For how long a document counts at most.
const MAX_FRESH_SECONDS: i64 = DAY_SECONDS;
/// For how long after that it counts while a new one cannot be read.
const MAX_STALE_SECONDS: i64 = 7 * DAY_SECONDS;
/// How many documents are read at the same time.
const MAX_READS: usize = 16;
/// For how many days a client is kept to which nobody agreed, and how many of those there are: registering needs no account.
pub(crate) const UNUSED_CLIENT_DAYS: u32 = 30;
/// See [`UNUSED_CLIENT_DAYS`].
pub(crate) const MAX_UNUSED_CLIENTS: i64 = 10_000;
/// How many of those beyond that one registration removes.
const TRIMMED: i64 = 10;

/// Finds and registers clients.
#[derive(Debug, Clone)]
pub(super) struct Clients {
    commands: Commands,
    documents: Option<Egress>,
    schemes: PrivateSchemes,
    reads: Arc<Semaphore>,
    attempts: Arc<Attempts>,
}

impl Clients {
    pub(super) fn new(commands: Commands, policy: OAuthPolicy) -> Self {
        Self {
            attempts: Arc::new(Attempts::new(commands.clock())),
            commands,
            documents: policy.documents,
            schemes: policy.private_schemes,
            reads: Arc::new(Semaphore::new(MAX_READS)),
        }
    }

    pub(super) const fn takes_documents(&self) -> bool {
        self.documents.is_some()
    }

    pub(super) const fn schemes(&self) -> &PrivateSchemes {
        &self.schemes
    }

    /// The client with this identifier, for an authorization; its document is read unless it was lately.
    pub(super) async fn find(
        &self,
        client_id: &str,
        reader: Option<Reader>,
    ) -> Result<Result<Client, Problem>, Error> {
        let Some(url) = document_url(client_id) else {
            let found = self.known(client_id).await?;
            return Ok(found.ok_or_else(Problem::unknown_client));
        };
        let Some(egress) = &self.documents else {
            return Ok(Err(Problem::no_documents()));
        };
        let now = self.commands.now();
        let known = self.known(client_id).await?;
        let is_younger = |client: &Client, seconds| {
            let until = client.fresh_until;
            until.is_some_and(|until| now < until.plus_seconds(seconds))
        };
        if let Some(client) = known.as_ref().filter(|client| is_younger(client, 0)) {
            return Ok(Ok(client.clone()));
        }
        let read = self.read(egress, &url, reader).await;
        match (read, known) {
            (Ok(Err(_)) | Err(Error::Busy | Error::RateLimited { .. }), Some(client))
                if is_younger(&client, MAX_STALE_SECONDS) =>
            {
                Ok(Ok(client))
            }
            (read, _) => read,
        }
    }

    /// The client with this identifier, if it is known. Nothing is read.
    pub(super) async fn known(&self, client_id: &str) -> Result<Option<Client>, Error> {
        let found = self.commands.store().find_client(client_id).await?;
        found.map(|stored| self.client(stored)).transpose()
    }

    /// A client that something stored refers to.
    pub(super) async fn get(&self, id: ClientId) -> Result<Client, Error> {
        let found = self.commands.store().get_client(id).await?;
        self.client(found.ok_or(Error::NotFound { what: "client" })?)
    }

    /// A client as it was stored.
    pub(super) fn client(&self, stored: StoredClient) -> Result<Client, Error> {
        let metadata = ClientMetadata::from_stored(&stored.metadata, &self.schemes);
        let unreadable = || Error::unreadable("metadata of a client", stored.client_id.clone());
        Ok(Client {
            id: stored.id,
            metadata: metadata.ok_or_else(unreadable)?,
            client_id: stored.client_id,
            created_at: stored.created_at,
            fresh_until: stored.fresh_until,
        })
    }

    /// Registers a client; returns the answer.
    pub(super) async fn register(&self, text: &str) -> Result<Result<String, Refusal>, Error> {
        let metadata = match ClientMetadata::read(text, &self.schemes) {
            Ok(metadata) => metadata,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let client = self.put(&metadata.registered_id(), metadata, None).await?;
        Ok(Ok(client::registration(&client, text)))
    }

    async fn read(
        &self,
        egress: &Egress,
        url: &Url,
        reader: Option<Reader>,
    ) -> Result<Result<Client, Problem>, Error> {
        if let Some(problem) = self.attempts.failed_lately(url, self.commands.now()) {
            return Ok(Err(problem));
        }
        self.attempts.count(url, reader)?;
        let _one = self.reads.try_acquire().map_err(|_| Error::Busy)?;
        let read = egress.fetch(url).await.map_err(|error| error.to_string());
        let read = read.and_then(|document| {
            let metadata =
                ClientMetadata::read_document(&document.text, url.as_str(), &self.schemes);
            let metadata = metadata.map_err(|refusal| refusal.description.into_owned())?;
            Ok((document, metadata))
        });
        let (document, metadata) = match read {
            Ok(read) => read,
            Err(why) => {
                let problem = Problem::unreadable_document(&why);
                self.attempts
                    .note_failure(url, &problem, self.commands.now());
                return Ok(Err(problem));
            }
        };
        let seconds = document.max_age.map_or(MAX_FRESH_SECONDS, |age| {
            i64::try_from(age.as_secs()).unwrap_or(i64::MAX)
        });
        let seconds = seconds.min(MAX_FRESH_SECONDS);
        let fresh_until = self.commands.now().plus_seconds(seconds);
        self.put(url.as_str(), metadata, Some(fresh_until))
            .await
            .map(Ok)
    }

    async fn put(
        &self,
        client_id: &str,
        metadata: ClientMetadata,
        fresh_until: Option<Instant>,
    ) -> Result<Client, Error> {
        let decide = async |context: &mut Context| {
            let client = Client {
                id: ClientId::new(context.new_id()),
                client_id: client_id.to_owned(),
                metadata,
                created_at: context.now,
                fresh_until,
            };
            let stored = StoredClient {
                id: client.id,
                metadata: client.metadata.canonical(),
                name: client.name(),
                created_at: client.created_at,
                fresh_until,
                client_id: client.client_id,
            };
            let stored = context.tx.put_client(&stored, context.now).await?;
            let old = context
                .now
                .plus_seconds(-i64::from(UNUSED_CLIENT_DAYS) * DAY_SECONDS);
            context
                .tx
                .delete_unused_clients(old, MAX_UNUSED_CLIENTS, TRIMMED)
                .await?;
            context.note_write();
            Ok(stored)
        };
        let stored = self.commands.run(Actor::System, decide).await?;
        self.client(stored)
    }
}
