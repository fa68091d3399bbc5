//! The file that stores the demo key, readable by its owner only.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use domain::api_key::PlainKey;
use server::Failure;

/// The key in the file; `None` if there is no file or no key in it.
pub(super) fn read(path: &Path) -> Result<Option<PlainKey>, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(std::str::from_utf8(&bytes)
            .ok()
            .and_then(|text| PlainKey::parse(text.trim()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failure("read", path, &error)),
    }
}

/// Writes the key to the file. At any time the file holds a whole key.
pub(super) fn write(path: &Path, key: &PlainKey) -> Result<(), Failure> {
    let written = path.with_extension("key.new");
    fill(&written, key)
        .and_then(|()| fs::rename(&written, path))
        .map_err(|error| failure("write", path, &error))
}

fn fill(path: &Path, key: &PlainKey) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    // An interrupted start may have left it. It is created again, since an existing file keeps its permissions.
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = create_private(path)?;
    writeln!(file, "{}", key.expose())?;
    file.sync_all()
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn failure(action: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Environment(format!(
        "cannot {action} the demo key {}: {error}; choose another folder with --data-dir",
        path.display()
    ))
}
