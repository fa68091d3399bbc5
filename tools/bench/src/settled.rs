//! Waiting until a system has done what follows from filling it.

use std::time::{Duration, Instant};

use anyhow::ensure;
use sqlx::{Connection as _, PgConnection};
use test_postgres::Server;

use crate::deployed::Running;

/// How long core must work little, and how little that is: a twentieth of one processor.
const CALM: Duration = Duration::from_secs(2);
const LITTLE: f64 = 0.1;

/// Far more than the mails to 10,000 people take.
const TIMEOUT: Duration = Duration::from_mins(5);

/// Waits until core has written the mails that wait, and nothing else is left to do.
pub(crate) async fn rest(core: &Running) -> anyhow::Result<()> {
    let until = Instant::now() + TIMEOUT;
    loop {
        let before = core.worked()?;
        tokio::time::sleep(CALM).await;
        if core.worked()? - before < LITTLE {
            return Ok(());
        }
        ensure!(Instant::now() < until, "core does not come to rest");
    }
}

/// Does what the server would do within minutes, and would slow down what is measured meanwhile.
pub(crate) async fn vacuum(database_url: &str, postgres: Option<&Server>) -> anyhow::Result<()> {
    if postgres.is_some() {
        let mut connection = PgConnection::connect(database_url).await?;
        for work in ["VACUUM ANALYZE", "CHECKPOINT"] {
            sqlx::query(work).execute(&mut connection).await?;
        }
        connection.close().await?;
    }
    Ok(())
}
