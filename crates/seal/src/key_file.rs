//! The file that stores a key, for instances that are not given one.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

use crate::{InvalidKey, SecretKey, key};

/// The bytes of the largest file that is read: a key and blanks around it.
const MAX_FILE_BYTES: u64 = 1_024;

/// Makes the names of unfinished files different from each other.
const SUFFIX_BYTES: usize = 8;

/// Others may neither read nor write the file. Its group may: Kubernetes gives the group of a pod both (`fsGroup`).
#[cfg(unix)]
const MODE_OF_OTHERS: u32 = 0o007;

/// Why there is no key from a file.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// It is there and cannot be read.
    #[error("cannot read the key {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// It is not there and cannot be created.
    #[error("cannot create the key {}: {cause}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// Every user of the machine can read or change it.
    #[error(
        "other users of this machine can read or change the key {path}: run `chmod 600 '{path}'`, and consider whether someone has read it",
        path = path.display()
    )]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// Its content is no key.
    #[error("the key in {} {cause}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is right.
        #[source]
        cause: InvalidKey,
    },
}

impl SecretKey {
    /// Reads the key in a file; `None` if there is no file.
    ///
    /// # Errors
    /// [`KeyFileError`].
    pub fn read(path: &Path) -> Result<Option<Self>, KeyFileError> {
        let failed = |cause| KeyFileError::Read {
            path: path.to_owned(),
            cause,
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // Of the open file, which nobody can exchange.
        if is_exposed(&file).map_err(failed)? {
            let path = path.to_owned();
            return Err(KeyFileError::Exposed { path });
        }
        let mut text = Zeroizing::new(Vec::new());
        let mut limited = file.take(MAX_FILE_BYTES);
        limited.read_to_end(&mut text).map_err(failed)?;
        let text = std::str::from_utf8(&text).unwrap_or_default().trim();
        let key = text.parse().map_err(|cause| KeyFileError::Invalid {
            path: path.to_owned(),
            cause,
        })?;
        Ok(Some(key))
    }

    /// The key in a file. If there is no file, it is created with a new key, readable by its owner only. Processes that start at the same
    /// time get the same key. The folder must exist.
    ///
    /// # Errors
    /// [`KeyFileError`]. A file that is there is never changed.
    pub fn read_or_create(path: &Path) -> Result<Self, KeyFileError> {
        match Self::read(path)? {
            Some(key) => Ok(key),
            // Unlike a rename, a link fails where there is a file.
            None => create(path, |new, path| fs::hard_link(new, path)),
        }
    }
}

/// Writes a new key next to the file, whole, and publishes it under its name unless another process was first.
fn create(
    path: &Path,
    publish: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> Result<SecretKey, KeyFileError> {
    let key = SecretKey::generate();
    let new = unfinished(path);
    let published = write(&new, &key).and_then(|()| publish(&new, path));
    // If it stays, it holds a key that nobody uses.
    let _ = fs::remove_file(&new);
    let published = published.and_then(|()| sync_folder(path));
    match published {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let first = SecretKey::read(path)?;
            // For example a link to a file that is gone.
            first.ok_or_else(|| KeyFileError::Read {
                path: path.to_owned(),
                cause: ErrorKind::NotFound.into(),
            })
        }
        Err(cause) => Err(KeyFileError::Create {
            path: path.to_owned(),
            cause,
        }),
    }
}

fn unfinished(path: &Path) -> PathBuf {
    let mut suffix = [0; SUFFIX_BYTES];
    key::fill(&mut suffix);
    let suffix = u64::from_be_bytes(suffix);
    let mut name = OsString::from(path);
    name.push(format!(".{suffix:016x}.new"));
    name.into()
}

fn write(path: &Path, key: &SecretKey) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{}", &*key.text())?;
    file.sync_all()
}

/// Makes the name last as well: a key that is gone after a power cut opens nothing that was sealed before.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_exposed(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode() & MODE_OF_OTHERS != 0)
}

#[cfg(not(unix))]
fn is_exposed(_: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests;
