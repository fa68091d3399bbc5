//! A database that is away: it starts again, or another server takes its place, or it is silent. Compiled once for each engine.
//!
//! Most outages are short, so calls wait for the end. But their patience counts from the beginning of the outage: a call may need several
//! connections in turn, and may be made again of another core, and all its waits together must end before its client gives up. So whoever
//! comes later waits for a moment only. One task looks for the database meanwhile, for all.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use sqlx::Connection as _;
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    super::{Target, connect},
    FIRST_PAUSE, LONGEST_PAUSE, PING_WAIT,
    silence::LONGEST_KNOCK,
};

/// How long calls wait for an outage to end, from its beginning, and how long a new connection may take. An edge may ask two cores in turn,
/// which notice the outage for themselves: both together are to refuse a call within 1.5 s.
pub(super) const PATIENCE: Duration = Duration::from_millis(600);

/// How long those wait who come later.
const MOMENT: Duration = Duration::from_millis(100);

/// What connections lead to, and since when it is away, if it is.
#[derive(Debug)]
pub(in crate::storage) struct Away {
    target: Target,
    since: watch::Sender<Option<Instant>>,
}

impl Away {
    /// It is taken to be there.
    pub(in crate::storage) fn new(target: Target) -> Arc<Self> {
        Arc::new(Self {
            target,
            since: watch::Sender::new(None),
        })
    }

    pub(super) const fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Option<Instant>> {
        self.since.subscribe()
    }

    /// Notes that it was asked at this time and was away, and looks for it until it is there again.
    pub(super) fn note(self: &Arc<Self>, asked: Instant) {
        let begins = self.since.send_if_modified(|since| {
            let begins = since.is_none();
            since.get_or_insert(asked);
            begins
        });
        if begins {
            tokio::spawn(look_for(Arc::downgrade(self)));
        }
    }

    /// Waits until it is there.
    pub(super) async fn ended(&self) {
        let mut since = self.since.subscribe();
        // The sender is this one.
        let _ended = since.wait_for(Option::is_none).await;
    }

    /// Waits until it has been away for longer than one who begins to wait now has patience.
    pub(super) async fn exhausts_patience(&self) {
        let least = Instant::now() + MOMENT;
        let mut since = self.since.subscribe();
        loop {
            let until = since.borrow_and_update().map(|began| began + PATIENCE);
            let patience = async {
                match until {
                    Some(until) => sleep_until(until.max(least)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = patience => return,
                _changed = since.changed() => {}
            }
        }
    }
}

/// Connects until that succeeds, or until what is wrong is something else, which calls are told.
async fn look_for(away: Weak<Away>) {
    let mut pause = FIRST_PAUSE;
    loop {
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        let Some(away) = away.upgrade() else {
            // Nobody waits any more.
            return;
        };
        let connection = match timeout(LONGEST_KNOCK, connect(&away.target)).await {
            Ok(Ok(Some(connection))) => Some(connection),
            Ok(Err(error)) if !is_away(&error) => None,
            Ok(Ok(None) | Err(_)) | Err(_) => continue,
        };
        away.since.send_replace(None);
        if let Some(connection) = connection {
            let _closed = timeout(PING_WAIT, connection.close()).await;
        }
        return;
    }
}

/// Whether an attempt to connect failed since the database is away, or what leads to it has none.
pub(super) fn is_away(error: &sqlx::Error) -> bool {
    /// SQLSTATEs of a server that starts or stops, and of a pooler without a server.
    const SQLSTATES: [&str; 2] = ["57P", "08"];
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| SQLSTATES.iter().any(|state| code.starts_with(state))),
        _ => false,
    }
}
