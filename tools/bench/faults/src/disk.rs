//! A small disk, in memory, that can be filled.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, ensure};

/// A new database has 40 MB, and its log some more. A run adds less than 20 MB.
pub(crate) const POSTGRES_MEGABYTES: usize = 200;

/// A new database of SQLite has 2 MB.
pub(crate) const SQLITE_MEGABYTES: usize = 60;

/// The disk, unmounted when dropped.
pub(crate) struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// # Errors
    /// Where mounting is not allowed.
    pub(crate) fn mount(megabytes: usize) -> anyhow::Result<Self> {
        // A short path: a socket will be on it, whose path has at most 107 bytes.
        let folder = PathBuf::from(format!("/tmp/muster-disk-{}", std::process::id()));
        fs::create_dir(&folder)?;
        let options = format!("size={megabytes}m,mode=0755");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "muster-faults"]);
        let mounted = run(mount.arg(&folder));
        if mounted.is_err() {
            fs::remove_dir(&folder)?;
        }
        mounted.map(|()| Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Fills it to the last page.
    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        let mut ballast = File::create(self.ballast())?;
        for size in [1 << 20, 4 << 10] {
            let zeros = vec![0; size];
            while ballast.write_all(&zeros).is_ok() {}
        }
        Ok(())
    }

    pub(crate) fn make_room(&self) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.ballast())?)
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = run(Command::new("umount").arg(&self.folder));
        let removed = unmounted.and_then(|()| Ok(fs::remove_dir(&self.folder)?));
        if let Err(error) = removed {
            eprintln!("{} is left behind: {error:#}", self.folder.display());
        }
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let done = command.output().context("it cannot be started")?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{}", complaint.trim());
    Ok(())
}
