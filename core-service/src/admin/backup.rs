//! `backup`: a copy of the SQLite database.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use serde_json::json;
use server::Failure;

use super::{Format, Output, open, storage_failure};
use crate::settings::DataSettings;

/// The arguments of `backup`.
#[derive(Debug, Clone, Args)]
pub struct BackupCommand {
    /// The file to write, which must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl BackupCommand {
    /// The database may lack migrations: before an upgrade is when it matters most.
    pub(super) async fn run(&self, data: &DataSettings) -> Result<Output, Failure> {
        let database = data.sqlite_path();
        let database = database.ok_or_else(|| {
            Failure::setting(
                "backup copies SQLite only: for PostgreSQL use pg_dump, see docs/operations.md",
            )
        })?;
        if !database.exists() {
            let text = format!("there is no database at {}", database.display());
            return Err(Failure::Environment(text));
        }
        let store = open(data, Duration::ZERO).await?;
        let bytes = store.back_up(&self.file).await.map_err(storage_failure)?;
        let json = json!({ "file": self.file, "bytes": bytes });
        Ok(Output::new(summary(&self.file, bytes), json))
    }
}

fn summary(file: &Path, bytes: u64) -> String {
    format!("copied the database to {}: {bytes} bytes", file.display())
}
