//! Private links for mails, several per transaction, so that not each mail waits for a commit of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{self, error::TryRecvError};

use super::{Commands, Error, Unit};
use crate::domain::{audit::Actor, fact::Fact, ids::RegistrationId};

/// Links that wait to be written: at most as many as running tries of mails.
#[derive(Debug, Default)]
pub(super) struct LinkQueue {
    waiting: Mutex<Vec<Link>>,
    /// Held by the task that writes; the others wait, and most find their links written.
    writer: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Link {
    hash: [u8; 32],
    registration: RegistrationId,
    written: oneshot::Sender<()>,
}

impl LinkQueue {
    /// Writes a link, together with all waiting ones.
    pub(super) async fn write(
        &self,
        commands: &Commands,
        hash: [u8; 32],
        registration: RegistrationId,
    ) -> Result<(), Error> {
        let mut receiver = self.push(hash, registration);
        let _writer = self.writer.lock().await;
        match receiver.try_recv() {
            Ok(()) => return Ok(()),
            Err(TryRecvError::Empty) => {}
            // The batch failed.
            Err(TryRecvError::Closed) => return insert(commands, &[(hash, registration)]).await,
        }
        let links = std::mem::take(&mut *self.waiting());
        let batch: Vec<_> = links
            .iter()
            .map(|one| (one.hash, one.registration))
            .collect();
        if insert(commands, &batch).await.is_err() {
            // One link may be the cause, so each task tries its own link again.
            drop(links);
            return insert(commands, &[(hash, registration)]).await;
        }
        for link in links {
            // If the task has stopped waiting, the link stays unused.
            let _ = link.written.send(());
        }
        Ok(())
    }

    fn push(&self, hash: [u8; 32], registration: RegistrationId) -> oneshot::Receiver<()> {
        let (written, receiver) = oneshot::channel();
        self.waiting().push(Link {
            hash,
            registration,
            written,
        });
        receiver
    }

    /// A panic cannot leave the value in a bad state.
    fn waiting(&self) -> MutexGuard<'_, Vec<Link>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn insert(commands: &Commands, links: &[([u8; 32], RegistrationId)]) -> Result<(), Error> {
    let decide = async |unit: &mut Unit| {
        for (hash, registration) in links {
            unit.tx.insert_link(hash, *registration, unit.now).await?;
        }
        unit.record(Fact::PrivateLinksMade).await?;
        Ok(())
    };
    commands.run(Actor::System, decide).await
}
