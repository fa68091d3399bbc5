//! What PostgreSQL's own benchmark on the same server: repeated updates of one row, each in a transaction.

use std::io::Write as _;

use anyhow::{Context as _, bail, ensure};
use test_postgres::Server;

use crate::run::{Run, Size};

/// As many as core has connections to PostgreSQL.
const CLIENTS: &str = "16";

const SECONDS: Size<&str> = Size {
    full: "5",
    quick: "1",
};

/// Updates of one row a second.
pub(crate) fn single_row_updates(run: &Run, server: &Server, name: &str) -> anyhow::Result<f64> {
    server.create_database(name, "template1");
    let setup = "CREATE TABLE seats (id INT PRIMARY KEY, taken BIGINT NOT NULL); INSERT INTO seats VALUES (1, 0)";
    let made = server
        .program("psql")
        .args(["-q", "-d", name, "-c", setup])
        .output()?;
    ensure!(
        made.status.success(),
        "psql: {}",
        String::from_utf8_lossy(&made.stderr)
    );
    let mut script = tempfile::NamedTempFile::new()?;
    writeln!(script, "UPDATE seats SET taken = taken + 1 WHERE id = 1;")?;
    let seconds = run.of(SECONDS);
    let done = server
        .program("pgbench")
        .args([
            "-n", "-M", "prepared", "-c", CLIENTS, "-j", "2", "-T", seconds, "-f",
        ])
        .arg(script.path())
        .arg(name)
        .output()
        .context("pgbench comes with PostgreSQL's server")?;
    let text = String::from_utf8_lossy(&done.stdout);
    let rate = text.lines().find_map(|line| {
        let rest = line.strip_prefix("tps = ")?;
        rest.split(' ').next()?.parse().ok()
    });
    match rate {
        Some(rate) => Ok(rate),
        None => bail!(
            "pgbench says no rate: {text}{}",
            String::from_utf8_lossy(&done.stderr)
        ),
    }
}
