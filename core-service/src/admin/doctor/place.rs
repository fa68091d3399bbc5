//! Folders, files and the way to the database.

use std::{fs, io, path::Path};

use crate::{
    settings::DataSettings,
    storage::{Access, Store},
};

/// What is written to see whether a folder can be written into, and removed at once.
const PROBE: &str = ".muster-doctor";

pub(super) fn data_folder_is_writable(data: &DataSettings) -> Result<String, String> {
    let folder = &data.data_dir;
    if !folder.exists() {
        return Ok(format!("{} is made by the first start", folder.display()));
    }
    match is_writable(folder) {
        Ok(()) => Ok(format!("{} is writable", folder.display())),
        Err(error) => Err(format!(
            "cannot write into {}: {error}; give its user the right to, or give another --data-dir",
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
        .options(Access::Administer)
        .map_err(|failure| failure.to_string())?;
    let store = Store::open(&options).await.map_err(|error| {
        format!("{error}; look at --database-url (MUSTER_DATABASE_URL) and at whether it runs")
    })?;
    store.ping().await.map_err(|error| error.to_string())?;
    Ok(store)
}

fn sqlite_file_is_usable(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if !path.exists() {
        return Err(format!(
            "there is no file {shown} yet: start muster or run the command migrate, or give another --data-dir"
        ));
    }
    match fs::OpenOptions::new().append(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "cannot write {shown}: {error}; give its user the right to, or give another --data-dir"
        )),
    }
}
