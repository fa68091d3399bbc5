//! Checks of folders, files and the database.

use std::{fs, io, path::Path};

use server::command_line;
use storage::{Purpose, Store};

use crate::settings::DataSettings;

/// A file that is written and removed to check that a folder is writable.
const PROBE: &str = ".muster-doctor";

pub(super) fn data_folder_is_writable(data: &DataSettings) -> Result<String, String> {
    let folder = &data.data_dir;
    if !folder.exists() {
        return Ok(format!(
            "{} does not exist yet; the first start creates it",
            folder.display()
        ));
    }
    match is_writable(folder) {
        Ok(()) => Ok(format!("{} is writable", folder.display())),
        Err(error) => Err(format!(
            "cannot write to {}: {error}; give this user write access, or choose another --data-dir",
            folder.display()
        )),
    }
}

pub(super) fn is_writable(folder: &Path) -> io::Result<()> {
    let probe = folder.join(PROBE);
    fs::write(&probe, "doctor was here")?;
    fs::remove_file(probe)
}

pub(super) async fn reach_database(data: &DataSettings) -> Result<Store, String> {
    if let Some(path) = data.sqlite_path() {
        sqlite_file_is_usable(&path)?;
    }
    let options = data
        .options(Purpose::Administer)
        .map_err(|failure| failure.to_string())?;
    let store = Store::open(&options).await.map_err(|error| {
        format!("{error}; check --database-url (MUSTER_DATABASE_URL) and that the database runs")
    })?;
    store.ping().await.map_err(|error| error.to_string())?;
    Ok(store)
}

fn sqlite_file_is_usable(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if !path.exists() {
        return Err(format!(
            "the file {shown} does not exist; start muster, run `{}`, or choose another --data-dir",
            command_line("migrate")
        ));
    }
    match fs::OpenOptions::new().append(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "cannot write {shown}: {error}; give this user write access, or choose another --data-dir"
        )),
    }
}
