use std::{collections::BTreeSet, sync::Barrier, thread};
#[cfg(unix)]
use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

use tempfile::TempDir;

use super::*;

const THREADS: usize = 8;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_key_is_created_once_and_read_again() {
    let folder = folder();
    let path = folder.path().join("secret.key");
    let key = SecretKey::read_or_create(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("{}\n", &*key.text()));
    let again = SecretKey::read_or_create(&path).unwrap();
    assert_eq!(again.bytes(), key.bytes());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// What each of several processes gets that start at the same time.
fn keys_of_a_start(publish: fn(&Path, &Path) -> io::Result<()>) -> BTreeSet<String> {
    let folder = folder();
    let path = folder.path().join("secret.key");
    let start = Barrier::new(THREADS);
    let keys = thread::scope(|scope| {
        let one = || {
            scope.spawn(|| {
                start.wait();
                let found = SecretKey::read(&path).unwrap();
                let key = found.unwrap_or_else(|| create(&path, publish).unwrap());
                key.fingerprint()
            })
        };
        let threads: Vec<_> = (0..THREADS).map(|_| one()).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    keys
}

#[test]
fn processes_that_start_at_once_get_the_same_key() {
    for _ in 0..50 {
        assert_eq!(
            keys_of_a_start(|new, path| fs::hard_link(new, path)).len(),
            1
        );
    }
}

/// The negative control: with a rename, the last one takes the key away from the others.
#[test]
fn a_rename_would_give_them_different_keys() {
    let mut starts = (0..1_000).map(|_| keys_of_a_start(|new, path| fs::rename(new, path)));
    assert!(starts.any(|keys| keys.len() > 1));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused_with_the_command_that_helps() {
    let folder = folder();
    let path = folder.path().join("secret.key");
    SecretKey::read_or_create(&path).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The group of a pod has 0660.
    for mode in [0o400, 0o640, 0o660] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        SecretKey::read_or_create(&path).unwrap();
    }
    for mode in [0o644, 0o604, 0o602, 0o666] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let refused = SecretKey::read_or_create(&path).unwrap_err().to_string();
        let command = format!("`chmod 600 '{}'`", path.display());
        assert!(refused.contains(&command), "{refused}");
    }
}

#[test]
fn a_file_without_a_key_is_refused_and_left() {
    let folder = folder();
    let path = folder.path().join("secret.key");
    let key = SecretKey::generate();
    for content in [
        String::new(),
        "hunter2hunter2".to_owned(),
        format!("{0}\n{0}", &*key.text()),
        " ".repeat(10_000) + &key.text(),
    ] {
        fs::write(&path, &content).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let refused = SecretKey::read_or_create(&path).unwrap_err();
        assert!(matches!(refused, KeyFileError::Invalid { .. }));
        let refused = refused.to_string();
        assert!(refused.contains("openssl rand") && !refused.contains("hunter2"));
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    // As an editor or a tool leaves it.
    fs::write(&path, format!("\n{}\r\n", &*key.text())).unwrap();
    let read = SecretKey::read_or_create(&path).unwrap();
    assert_eq!(read.bytes(), key.bytes());
}

#[test]
fn a_folder_that_is_missing_and_a_link_to_nothing_are_named() {
    let folder = folder();
    let missing = folder.path().join("missing").join("secret.key");
    let refused = SecretKey::read_or_create(&missing).unwrap_err();
    assert!(matches!(refused, KeyFileError::Create { .. }), "{refused}");
    assert!(refused.to_string().contains("secret.key"));
    let refused = SecretKey::read_or_create(folder.path()).unwrap_err();
    assert!(matches!(
        refused,
        KeyFileError::Read { .. } | KeyFileError::Exposed { .. }
    ));
    #[cfg(unix)]
    {
        let link = folder.path().join("link.key");
        std::os::unix::fs::symlink(&missing, &link).unwrap();
        let refused = SecretKey::read_or_create(&link).unwrap_err();
        assert!(matches!(refused, KeyFileError::Read { .. }), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
