//! A database that does not answer any more: the network lost its packets, or its machine stopped without a word. No connection says so, and the
//! system would wait for a quarter of an hour. Compiled once for each engine.
//!
//! A statement may be slow. So when one is silent for a while, a new connection is tried. If that is silent as well, or if the statement
//! takes longer than the server lets any run, it is given up.

use std::{pin::Pin, sync::Arc, time::Duration};

use tokio::{
    sync::Mutex,
    time::{Instant, sleep, timeout},
};

use super::super::{SILENCE, connect};
use super::Shared;
use crate::storage::Error;

/// How long a new connection may take, before the server counts as gone.
pub(super) const LONGEST_KNOCK: Duration = Duration::from_secs(1);

/// Longer than the server lets a statement run.
const LONGEST_STATEMENT: Duration = Duration::from_secs(12);

/// What is known of the server: when it was last tried, and whether it was there. One call tries for all.
pub(super) type LastKnock = Mutex<Option<(Instant, bool)>>;

/// Waits for a statement as long as the server is there.
pub(in crate::storage) struct Watch(pub(super) Arc<Shared>);

/// What came of a statement.
pub(in crate::storage) struct Watched<A> {
    pub(in crate::storage) answer: Result<A, Error>,
    /// Whether it was given up. Its connection is of no use then.
    pub(in crate::storage) is_given_up: bool,
}

impl Watch {
    /// The statement is pinned by its caller: moved into here, it would be there twice, in each future that awaits this one. As an object it
    /// is watched by the same code as all others with such an answer.
    pub(in crate::storage) async fn over<A>(
        &self,
        statement: Pin<&mut (dyn Future<Output = Result<A, Error>> + Send)>,
    ) -> Watched<A> {
        tokio::select! {
            biased;
            answer = statement => Watched { answer, is_given_up: false },
            () = self.gone() => Watched {
                answer: Err(Error::Unavailable("the database does not answer".to_owned())),
                is_given_up: true,
            },
        }
    }

    /// Waits until the server is gone.
    async fn gone(&self) {
        let Some(silence) = SILENCE else {
            return std::future::pending().await;
        };
        let began = Instant::now();
        loop {
            sleep(silence).await;
            if began.elapsed() > LONGEST_STATEMENT || !self.0.is_there(silence).await {
                return;
            }
        }
    }
}

impl Shared {
    /// Whether the server is there, or was lately.
    async fn is_there(&self, lately: Duration) -> bool {
        let mut last = self.last_knock.lock().await;
        if let Some((at, was_there)) = *last
            && at.elapsed() < lately
        {
            return was_there;
        }
        let asked = Instant::now();
        let is_there = match timeout(LONGEST_KNOCK, connect(&self.target)).await {
            // It may refuse: then it is there.
            Ok(Ok(_) | Err(sqlx::Error::Database(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        };
        if !is_there {
            tracing::warn!("the database does not answer; its connections are given up");
            self.forget_idle();
            self.away.note(asked);
        }
        *last = Some((Instant::now(), is_there));
        is_there
    }
}
