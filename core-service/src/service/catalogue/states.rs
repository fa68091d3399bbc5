//! The state of the catalogue, for many who ask at the same time: they share one read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::oneshot::{self, error::TryRecvError},
    time::{Duration, timeout},
};

use crate::{
    domain::{catalogue::CatalogueState, clock::Clock},
    storage::Store,
};

/// Whoever waits longer for another's read does without: one connection that hangs must not stop all.
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// Those who ask. There are at most as many as calls that the gate lets in.
#[derive(Debug)]
pub(super) struct States {
    store: Store,
    clock: Clock,
    /// Those who came since the last read began.
    waiting: Mutex<Vec<oneshot::Sender<Answer>>>,
    /// Held by the one who reads, for all who wait.
    reader: tokio::sync::Mutex<()>,
}

/// `None` if the database did not answer in time.
type Answer = Option<Arc<CatalogueState>>;

enum Turn<'a> {
    Told(Answer),
    Reads(tokio::sync::MutexGuard<'a, ()>),
}

impl States {
    pub(super) fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            clock,
            waiting: Mutex::default(),
            reader: tokio::sync::Mutex::default(),
        }
    }

    /// The state of the catalogue at some moment of this call.
    pub(super) async fn read(&self) -> Answer {
        match timeout(LONGEST_WAIT, self.turn()).await {
            Ok(Turn::Told(state)) => state,
            Ok(Turn::Reads(_reader)) => self.read_for_all().await,
            Err(_elapsed) => None,
        }
    }

    /// Waits until somebody who began to read after this call came tells the state, or until it is this call that reads.
    async fn turn(&self) -> Turn<'_> {
        loop {
            let mut told = self.wait();
            tokio::select! {
                biased;
                state = &mut told => if let Ok(state) = state {
                    return Turn::Told(state);
                },
                reader = self.reader.lock() => match told.try_recv() {
                    Ok(state) => return Turn::Told(state),
                    Err(TryRecvError::Empty) => return Turn::Reads(reader),
                    Err(TryRecvError::Closed) => {}
                },
            }
            // The call of the one who read was cancelled.
        }
    }

    /// Reads for all who wait by now. Who comes later may ask for what is committed meanwhile.
    async fn read_for_all(&self) -> Answer {
        let waiting = std::mem::take(&mut *self.waiting());
        let state = self.store.catalogue_state(self.clock.now()).await;
        // Whoever reads the answer itself says why.
        let state = state.ok().map(Arc::new);
        for one in waiting {
            // It may have gone.
            let _ = one.send(state.clone());
        }
        state
    }

    fn wait(&self) -> oneshot::Receiver<Answer> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().push(sender);
        receiver
    }

    /// A panic cannot leave the value in a bad state.
    fn waiting(&self) -> MutexGuard<'_, Vec<oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
