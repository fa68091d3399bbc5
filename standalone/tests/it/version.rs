//! What `muster --version` says.

use std::process::{Command, Stdio};

fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    let output = command
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then(|| text.trim().to_owned())
}

#[test]
fn the_version_says_which_commit_it_is() {
    let version = printed(env!("CARGO_BIN_EXE_muster"), &["--version"]).unwrap();
    let release = format!("muster {}", env!("CARGO_PKG_VERSION"));
    if printed("git", &["rev-parse", "HEAD"]).is_none() {
        assert_eq!(version, release);
        return;
    }
    // It was HEAD when this was compiled.
    let commit = version.strip_prefix(&format!("{release} (")).unwrap();
    let commit = commit.strip_suffix(')').unwrap();
    assert!(printed("git", &["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_some());
}
