//! One read for many who ask the same at the same time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::oneshot::{self, error::TryRecvError},
    time::{Duration, timeout},
};

use crate::storage;

/// Whoever waits longer for another's read does without: one connection that hangs must not stop all.
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// Those who ask. There are at most as many as calls that the gate lets in.
#[derive(Debug)]
pub(super) struct SharedRead<T> {
    /// Those who came since the last read began.
    waiting: Mutex<Vec<oneshot::Sender<Answer<T>>>>,
    /// Held by the one who reads, for all who wait.
    reader: tokio::sync::Mutex<()>,
}

/// `None` if the database did not answer in time.
type Answer<T> = Option<Arc<T>>;

enum Turn<'a, T> {
    Told(Answer<T>),
    Reads(tokio::sync::MutexGuard<'a, ()>),
}

impl<T> Default for SharedRead<T> {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            reader: tokio::sync::Mutex::default(),
        }
    }
}

impl<T> SharedRead<T> {
    /// What `read` finds at some moment of this call, or what another's finds. All who ask here have the same `read`.
    pub(super) async fn read(
        &self,
        read: impl Future<Output = Result<T, storage::Error>>,
    ) -> Answer<T> {
        match timeout(LONGEST_WAIT, self.turn()).await {
            Ok(Turn::Told(answer)) => answer,
            Ok(Turn::Reads(_reader)) => self.read_for_all(read).await,
            Err(_elapsed) => None,
        }
    }

    /// Waits until somebody who began to read after this call came tells what was found, or until it is this call that reads.
    async fn turn(&self) -> Turn<'_, T> {
        loop {
            let mut told = self.wait();
            tokio::select! {
                biased;
                answer = &mut told => if let Ok(answer) = answer {
                    return Turn::Told(answer);
                },
                reader = self.reader.lock() => match told.try_recv() {
                    Ok(answer) => return Turn::Told(answer),
                    Err(TryRecvError::Empty) => return Turn::Reads(reader),
                    Err(TryRecvError::Closed) => {}
                },
            }
            // The call of the one who read was cancelled.
        }
    }

    /// Reads for all who wait by now. Who comes later may ask for what is committed meanwhile.
    async fn read_for_all(
        &self,
        read: impl Future<Output = Result<T, storage::Error>>,
    ) -> Answer<T> {
        let waiting = std::mem::take(&mut *self.waiting());
        // Whoever reads what this is about says why.
        let answer = read.await.ok().map(Arc::new);
        for one in waiting {
            // It may have gone.
            let _ = one.send(answer.clone());
        }
        answer
    }

    fn wait(&self) -> oneshot::Receiver<Answer<T>> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().push(sender);
        receiver
    }

    /// A panic cannot leave the value in a bad state.
    fn waiting(&self) -> MutexGuard<'_, Vec<oneshot::Sender<Answer<T>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
