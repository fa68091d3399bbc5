//! The settings of the parts, and the accounts that the system begins with.

use std::path::Path;

use anyhow::ensure;
use programs::Programs;

/// A name and a value.
pub(crate) type Setting = (String, String);

/// The secret by which cores know the edges.
const EDGE_TOKEN: &str = "5c4be1d1b5b4f0a6c2f96b0d3a1c7e885c4be1d1b5b4f0a6c2f96b0d3a1c7e88";

/// The same for confirmations that agents hold.
const STATE_KEY: &str = "0d3a1c7e885c4be1d1b5b4f0a6c2f96b0d3a1c7e885c4be1d1b5b4f0a6c2f96b";

/// How many accounts there are, each with an event for which guests register.
const ACCOUNTS: usize = 8;

/// For how many seconds a part that is to end only says so: longer than two probes of the balancer.
const STOP_WAIT_SECONDS: &str = "2";

/// The address that people would see.
const PUBLIC_URL: &str = "http://muster.test";

fn owned<const N: usize>(settings: [(&str, &str); N]) -> Vec<Setting> {
    settings
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// Of each core.
pub(crate) fn of_core(database: &str, folder: &Path, mails: &str) -> Vec<Setting> {
    owned([
        ("MUSTER_DATABASE_URL", database),
        ("MUSTER_DATA_DIR", &folder.display().to_string()),
        ("MUSTER_SMTP_URL", mails),
        ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
        ("MUSTER_PUBLIC_URL", PUBLIC_URL),
        ("MUSTER_STOP_WAIT_SECONDS", STOP_WAIT_SECONDS),
        // All guests come from this machine, to a few events of a few accounts.
        ("MUSTER_LIMIT_PER_ADDRESS", "off"),
        ("MUSTER_LIMIT_PER_EVENT", "off"),
        ("MUSTER_LIMIT_ACCOUNT_READS", "off"),
        ("MUSTER_LIMIT_ACCOUNT_WRITES", "off"),
    ])
}

/// Of each edge.
pub(crate) fn of_edge(cores: &str) -> Vec<Setting> {
    owned([
        ("MUSTER_CORE_URL", cores),
        ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
        ("MUSTER_PUBLIC_URL", PUBLIC_URL),
        ("MUSTER_MCP_HOSTS", "*"),
        ("MUSTER_MCP_STATE_KEY", STATE_KEY),
        ("MUSTER_STOP_WAIT_SECONDS", STOP_WAIT_SECONDS),
    ])
}

/// Migrates the database and opens accounts on the largest plan; answers a key of each.
pub(crate) fn make_accounts(
    programs: &Programs,
    settings: &[Setting],
) -> anyhow::Result<Vec<String>> {
    let admin = |arguments: &[&str]| {
        let mut command = programs.command("core-service", settings);
        let output = command.args(arguments).output()?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {complaint}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    admin(&["migrate"])?;
    let account = |number| {
        let email = format!("owner-{number}@example.org");
        let owner = ["--email", &email, "--name", "Olga Owner"];
        admin(&[&["account", "create", "--plan", "business"], &owner[..]].concat())?;
        admin(&[&["key", "create"], &owner[..]].concat())
    };
    (0..ACCOUNTS).map(account).collect()
}
