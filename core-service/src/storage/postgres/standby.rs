//! A standby of the database, which answers reads of the catalogue while it has what the primary has. It is an aid that may be missing: whatever
//! is wrong with it costs one short try, and then it is left alone for a while.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use sqlx::{AssertSqlSafe, Row as _};
use tokio::time::{Instant, sleep, timeout};

use super::{
    Connection, READING,
    connections::{Away, Connections, Lease},
    news,
    servers::Servers,
};
use crate::{domain::catalogue::CatalogueVersion, storage::Error};

/// How long a try to reach it may take, with its answer to what it has.
const LONGEST_TRY: Duration = Duration::from_millis(150);

/// How long one that is behind is left alone. Most are behind by milliseconds.
const REST_BEHIND: Duration = Duration::from_millis(100);

/// How long one that is away, or no standby any more, is left alone.
const REST_AWAY: Duration = Duration::from_secs(5);

/// How long an operator who asks waits for it to catch up, and how often it is looked.
const LONGEST_LOOK: Duration = Duration::from_secs(5);
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// A standby.
#[derive(Debug)]
pub(in crate::storage) struct Standby {
    servers: Servers,
    readers: Connections,
    rest: Mutex<Rest>,
}

#[derive(Debug, Default)]
struct Rest {
    /// Until when it is left alone.
    until: Option<Instant>,
    /// Whether it was away last.
    is_away: bool,
}

impl Standby {
    pub(super) fn new(servers: Servers, is_pooled: bool, most: u32) -> Self {
        let session = (!is_pooled).then_some(READING);
        let away = Away::new(servers.clone());
        let readers = Connections::new(&away, session, most, LONGEST_TRY);
        Self {
            servers,
            readers: readers.measured("replica"),
            rest: Mutex::default(),
        }
    }

    /// Whether to try it now. After a rest, one caller tries it for all.
    pub(in crate::storage) fn is_worth_a_try(&self) -> bool {
        let now = Instant::now();
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        match rest.until {
            Some(until) if now < until => false,
            Some(_) => {
                rest.until = Some(now + if rest.is_away { REST_AWAY } else { REST_BEHIND });
                true
            }
            None => true,
        }
    }

    /// A connection, and what of the catalogue is visible on it.
    pub(in crate::storage) async fn look(&self) -> Option<(Lease, CatalogueVersion)> {
        let look = async {
            let mut lease = self.readers.take().await?;
            let state = state(&mut lease).await;
            match state {
                Ok(Some(state)) => Ok(Some((lease, state))),
                // It is the primary by now, or one that nobody follows. Its connection is closed.
                Ok(None) => Ok(None),
                Err(error) => {
                    let failed: Result<(), Error> = Err(error);
                    lease.give_back(failed.as_ref().err()).await;
                    failed.map(|()| None)
                }
            }
        };
        match timeout(LONGEST_TRY, look).await {
            Ok(Ok(Some(found))) => Some(found),
            Ok(Ok(None)) => self.is_away("it is no standby"),
            Ok(Err(error)) => self.is_away(&error.to_string()),
            Err(_elapsed) => self.is_away("no answer in time"),
        }
    }

    /// It had what was asked for.
    pub(in crate::storage) fn is_well(&self) {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut *rest).is_away {
            tracing::info!("the database's replica answers again");
        }
    }

    pub(in crate::storage) fn is_behind(&self) {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        *rest = Rest {
            until: Some(Instant::now() + REST_BEHIND),
            is_away: false,
        };
    }

    pub(in crate::storage) fn is_away<A>(&self, why: &str) -> Option<A> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        if !rest.is_away {
            tracing::warn!(why, "the database's replica is left alone for a while");
        }
        *rest = Rest {
            until: Some(Instant::now() + REST_AWAY),
            is_away: true,
        };
        None
    }

    /// How long it takes to have what the primary has now, for an operator; or what is wrong with it.
    pub(super) async fn lag(&self, primary: &Connections) -> Result<Duration, String> {
        let mut lease = primary.take().await.map_err(|error| error.to_string())?;
        let wanted = position(&mut lease, "pg_current_wal_lsn()").await;
        lease.put_back();
        let wanted = wanted.map_err(|error| format!("the primary does not say: {error}"))?;
        let began = Instant::now();
        let place = self.servers.shown();
        let followed = timeout(LONGEST_LOOK, async {
            let connection = self.servers.connect().await?;
            let Some(mut connection) = connection else {
                return Ok(false);
            };
            while position(&mut connection, "pg_last_wal_replay_lsn()").await? < wanted {
                sleep(LOOK_PAUSE).await;
            }
            Ok(true)
        });
        match followed.await {
            Ok(Ok(true)) => Ok(began.elapsed()),
            Ok(Ok(false)) => Err(format!("{place} is no standby")),
            Ok(Err::<_, sqlx::Error>(error)) => Err(format!("cannot read {place}: {error}")),
            Err(_elapsed) => Err(format!(
                "{place} does not answer, or is more than {} s behind the primary",
                LONGEST_LOOK.as_secs()
            )),
        }
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
    }
}

/// How far a server's log goes, in bytes, by a function that says so.
async fn position(connection: &mut Connection, function: &'static str) -> Result<i64, sqlx::Error> {
    let text = format!("SELECT CAST(pg_wal_lsn_diff({function}, '0/0') AS TEXT) AS position");
    let row = sqlx::raw_sql(AssertSqlSafe(text));
    let row = row.fetch_one(connection).await?;
    let position = row.try_get::<&str, _>("position")?;
    position
        .parse()
        .map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

/// What of the catalogue is visible; none if the server is no standby.
async fn state(lease: &mut Lease) -> Result<Option<CatalogueVersion>, Error> {
    let row = sqlx::raw_sql("SELECT CAST(pg_is_in_recovery() AS TEXT) AS is_standby");
    let row = row.fetch_one(&mut **lease).await.map_err(Error::from)?;
    if row.try_get::<&str, _>("is_standby")? != "true" {
        return Ok(None);
    }
    news::catalogue_shards(lease).await.map(Some)
}
