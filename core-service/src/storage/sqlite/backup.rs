//! Copies of the database.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{Db, Engine, make_private};
use crate::storage::Error;

impl Engine {
    /// Copies the database to a new file: all or nothing. Writers do not wait for it.
    pub(in crate::storage) async fn back_up(&self, file: &Path) -> Result<u64, Error> {
        let refuse = |error: io::Error| {
            Error::Configuration(format!("cannot write {}: {error}", file.display()))
        };
        if file.exists() {
            return Err(refuse(io::ErrorKind::AlreadyExists.into()));
        }
        let unfinished = unfinished(file);
        let copied = self.copy(&unfinished).await;
        let finished = copied.and_then(|()| finish(&unfinished, file).map_err(refuse));
        if finished.is_err() {
            let _none_is_left = fs::remove_file(&unfinished);
        }
        finished
    }

    async fn copy(&self, file: &Path) -> Result<(), Error> {
        // SQLite fills an empty file, so that nobody else can read it from its beginning.
        make_private(file).map_err(|error| {
            Error::Configuration(format!("cannot write {}: {error}", file.display()))
        })?;
        let name = file
            .to_str()
            .ok_or_else(|| Error::Configuration(format!("{} is not UTF-8", file.display())))?;
        let mut reader = self.reader().await?;
        let copied = sqlx::query::<Db>("VACUUM INTO $1").bind(name);
        let copied = copied.execute(&mut *reader).await.map_err(Error::from);
        reader.give_back(copied.as_ref().err()).await;
        copied?;
        Ok(())
    }
}

fn unfinished(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Gives the copy its name once it is on the disk.
fn finish(unfinished: &Path, file: &Path) -> io::Result<u64> {
    let copy = File::open(unfinished)?;
    copy.sync_all()?;
    fs::rename(unfinished, file)?;
    Ok(copy.metadata()?.len())
}
