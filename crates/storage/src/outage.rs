//! Outages of a database: it starts again, or another server takes over, or it is silent.
//!
//! Most outages are short, so calls wait for the end. But their wait counts from the beginning of the outage: a call may need several
//! connections one after the other, and may be made again of another core, and all its waits together must end before its client gives up.
//! So calls that come later wait for a moment only. One task looks for the database, for all.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::connection::{PING_TIMEOUT, Target};

/// How long calls wait for an outage to end, from its beginning, and how long a new connection may take. An edge may ask two cores one after
/// the other, which notice the outage for themselves: both together are to refuse a call within 1.5 s.
pub(super) const OUTAGE_TIMEOUT: Duration = Duration::from_millis(600);

/// How long later calls wait.
const LATE_TIMEOUT: Duration = Duration::from_millis(100);

/// How long a new connection may take, before the server counts as gone.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// Pauses between attempts to connect to a server that has no connection free, or is away.
pub(super) const INITIAL_PAUSE: Duration = Duration::from_millis(10);
pub(super) const MAX_PAUSE: Duration = Duration::from_millis(200);

/// Changes when the database goes away, and when it is there again. Its value says since when it is away, if it is.
pub type Outages = watch::Receiver<Option<Instant>>;

/// What connections lead to, and since when it is away, if it is.
#[derive(Debug)]
pub(super) struct Outage {
    target: Target,
    since: watch::Sender<Option<Instant>>,
}

impl Outage {
    /// Makes one that is taken to be there.
    pub(super) fn new(target: Target) -> Arc<Self> {
        Arc::new(Self {
            target,
            since: watch::Sender::new(None),
        })
    }

    pub(super) const fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn subscribe(&self) -> Outages {
        self.since.subscribe()
    }

    /// Notes that the database was asked at this time and was away, and looks for it until it is there again.
    pub(super) fn begin(self: &Arc<Self>, asked: Instant) {
        let begins = self.since.send_if_modified(|since| {
            let begins = since.is_none();
            since.get_or_insert(asked);
            begins
        });
        if begins {
            tokio::spawn(look_for(Arc::downgrade(self)));
        }
    }

    /// Waits until the database is there.
    pub(super) async fn ended(&self) {
        let mut since = self.since.subscribe();
        // The sender is this one.
        let _ended = since.wait_for(Option::is_none).await;
    }

    /// Waits until the database has been away for longer than a call that begins to wait now waits.
    pub(super) async fn wait_exhausted(&self) {
        let earliest = Instant::now() + LATE_TIMEOUT;
        let mut since = self.since.subscribe();
        loop {
            let until = since
                .borrow_and_update()
                .map(|began| began + OUTAGE_TIMEOUT);
            let exhausted = async {
                match until {
                    Some(until) => sleep_until(until.max(earliest)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = exhausted => return,
                _changed = since.changed() => {}
            }
        }
    }
}

/// Connects until that succeeds, or until what is wrong is something else, which calls are told.
async fn look_for(outage: Weak<Outage>) {
    let mut pause = INITIAL_PAUSE;
    loop {
        sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
        let Some(outage) = outage.upgrade() else {
            // Nobody waits any more.
            return;
        };
        let connection = match timeout(PROBE_TIMEOUT, outage.target.connect()).await {
            Ok(Ok(Some(connection))) => Some(connection),
            Ok(Err(error)) if !is_outage(&error) => None,
            Ok(Ok(None) | Err(_)) | Err(_) => continue,
        };
        outage.since.send_replace(None);
        if let Some(connection) = connection {
            let _closed = timeout(PING_TIMEOUT, connection.close()).await;
        }
        return;
    }
}

/// Returns whether an attempt to connect failed since the database is away, or what leads to it has none.
pub(super) fn is_outage(error: &sqlx::Error) -> bool {
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
