//! Private links for mails, several per transaction, so that not each mail waits for a commit of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{audit::Actor, fact::Fact, ids::RegistrationId};
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::{Commands, Context, Error};

/// Links that wait to be written: at most as many as running tries of mails.
#[derive(Debug, Default)]
pub(super) struct LinkQueue {
    waiting: Mutex<Vec<Waiting>>,
    /// Held by the task that writes; the others wait, and most find their links written.
    writer: tokio::sync::Mutex<()>,
}

/// A link to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewLink {
    /// The SHA-256 of its token.
    pub(super) hash: [u8; 32],
    /// The registration that it leads to.
    pub(super) registration: RegistrationId,
    /// The occasion of the new details that it offers.
    pub(super) occasion: Option<i32>,
}

#[derive(Debug)]
struct Waiting {
    link: NewLink,
    written: oneshot::Sender<()>,
}

impl LinkQueue {
    /// Writes a link, together with all waiting ones.
    pub(super) async fn write(&self, commands: &Commands, link: NewLink) -> Result<(), Error> {
        let mut receiver = self.push(link);
        let _writer = self.writer.lock().await;
        match receiver.try_recv() {
            Ok(()) => return Ok(()),
            Err(TryRecvError::Empty) => {}
            // The batch failed.
            Err(TryRecvError::Closed) => return insert(commands, &[link]).await,
        }
        let links = std::mem::take(&mut *self.waiting());
        let batch: Vec<NewLink> = links.iter().map(|one| one.link).collect();
        if insert(commands, &batch).await.is_err() {
            // One link may be the cause, so each task tries its own link again.
            drop(links);
            return insert(commands, &[link]).await;
        }
        for waiting in links {
            // If the task has stopped waiting, the link stays unused.
            let _ = waiting.written.send(());
        }
        Ok(())
    }

    fn push(&self, link: NewLink) -> oneshot::Receiver<()> {
        let (written, receiver) = oneshot::channel();
        self.waiting().push(Waiting { link, written });
        receiver
    }

    /// A panic cannot leave the value in a bad state.
    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn insert(commands: &Commands, links: &[NewLink]) -> Result<(), Error> {
    let decide = async |context: &mut Context| {
        for link in links {
            let NewLink {
                hash,
                registration,
                occasion,
            } = link;
            context
                .tx
                .insert_link(hash, *registration, *occasion, context.now)
                .await?;
        }
        context.record(Fact::PrivateLinksMade).await?;
        Ok(())
    };
    commands.run(Actor::System, decide).await
}
