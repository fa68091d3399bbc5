//! Starts that fail: one clear line each, and the exit code that programs go by.

use std::{net::TcpListener, path::Path};

use test_postgres::Database;

use super::{Running, core, output};
use crate::fixtures::migrate;

/// What is in the way outside of Muster.
const ENVIRONMENT: i32 = 1;
/// `EX_USAGE`.
const SETTINGS: i32 = 64;

/// Starts the binary, which must fail, and answers the lines that it wrote.
#[track_caller]
fn failing(arguments: &[&str], code: i32) -> Vec<String> {
    let output = output(core(arguments));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(output.stdout.is_empty());
    text.lines().map(str::to_owned).collect()
}

/// As [`failing`], with one line that begins so.
#[track_caller]
fn fails_with_one_line(arguments: &[&str], code: i32, expected: &str) {
    let lines = failing(arguments, code);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with(expected), "{lines:?}");
}

/// A SQLite database that is ready to serve, in a folder that goes with it.
async fn sqlite() -> Database {
    Database::sqlite(migrate).await
}

#[tokio::test]
async fn a_port_in_use_is_reported_with_the_setting_to_change() {
    let database = sqlite().await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails_with_one_line(
        &["--grpc-addr", &address, "--database-url", database.url()],
        ENVIRONMENT,
        &format!(
            "error: cannot listen on {address} for gRPC: another program uses it; choose another address with --grpc-addr"
        ),
    );
}

#[test]
fn a_folder_that_cannot_be_made_is_reported_with_the_setting_to_change() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    // /proc takes no folders, whoever asks: permissions would not stop a test that runs as root.
    for data_dir in [file.join("data"), "/proc/muster".into()] {
        let data_dir = data_dir.display().to_string();
        let lines = failing(
            &["--grpc-addr", "127.0.0.1:0", "--data-dir", &data_dir],
            ENVIRONMENT,
        );
        assert_eq!(lines.len(), 1, "{lines:?}");
        let line = &lines[0];
        assert!(
            line.starts_with(&format!("error: cannot create the folder {data_dir}: ")),
            "{line}"
        );
        assert!(line.ends_with("; choose another with --data-dir"), "{line}");
    }
}

#[test]
fn covers_without_their_key_are_reported_with_the_setting_to_give() {
    fails_with_one_line(
        &["--covers", "unsplash"],
        SETTINGS,
        "error: --covers unsplash needs a key: set --covers-key",
    );
}

#[test]
fn an_unreachable_database_is_reported_without_its_password() {
    let arguments = [
        "--grpc-addr",
        "127.0.0.1:0",
        "--database-url",
        "postgres://muster:s3cret@127.0.0.1:1/muster",
        "--database-wait-seconds",
        "0",
    ];
    let lines = failing(&arguments, ENVIRONMENT);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with(
            "error: the database is unavailable: cannot reach postgres://127.0.0.1:1/muster: "
        ),
        "{lines:?}"
    );
    assert!(!lines[0].contains("s3cret"), "{lines:?}");
}

#[test]
fn the_doctor_tells_what_others_can_reach() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().display().to_string();
    let doctor = |public_url: &str, address: &str| {
        let place = ["--public-url", public_url, "--grpc-addr", address];
        let arguments = [&place[..], &["--data-dir", &data_dir, "doctor"]].concat();
        String::from_utf8(output(core(&arguments)).stdout).unwrap()
    };
    let open = doctor("http://muster.invalid", "0.0.0.0:50051");
    for words in [
        "the public URL http://muster.invalid is plain http",
        "the gRPC port 0.0.0.0:50051 is open to other machines",
        "http://muster.invalid/healthz does not answer from here",
    ] {
        assert!(open.contains(words), "{open}");
    }
    let local = doctor("http://127.0.0.1:8080", "127.0.0.1:50051");
    assert!(local.contains("as it should be"), "{local}");
}

/// It has names, addresses and keys.
#[test]
fn a_data_folder_that_it_makes_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("some").join("data");
    let data_dir = data.display().to_string();
    failing(
        &["--grpc-addr", "127.0.0.1:0", "--data-dir", &data_dir],
        ENVIRONMENT,
    );
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    let files = std::fs::read_dir(&data).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert!(files.iter().any(|file| file.ends_with("muster.db.lock")));
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_database_without_migrations_is_reported_with_the_command_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().display().to_string();
    let arguments = ["--grpc-addr", "127.0.0.1:0", "--data-dir", &data_dir];
    let lines = failing(&arguments, ENVIRONMENT);
    let [line] = &*lines else {
        panic!("{lines:?}");
    };
    assert!(line.starts_with("error: the database lacks "), "{line}");
    assert!(line.contains(" migrations, 0001_initial to "), "{line}");
    let command = format!(" migrate --data-dir {data_dir}` first");
    assert!(line.ends_with(&command), "{line}");
}

#[test]
fn invalid_settings_are_reported_all_at_once() {
    let lines = failing(
        &[
            "--grpc-addr",
            "50051",
            "--default-timezone",
            "Mars/Base",
            "--plans",
            "gold=3",
            "--database-connections",
            "1",
            "--public-url",
            "https://muster.example/events",
            "--database-url",
            "postgres://ada:12/secret@localhost/muster",
        ],
        SETTINGS,
    );
    for flag in [
        "--grpc-addr (MUSTER_GRPC_ADDR)",
        "--default-timezone (MUSTER_DEFAULT_TIMEZONE)",
        "--plans (MUSTER_PLANS)",
        "--database-connections (MUSTER_DATABASE_CONNECTIONS)",
        "--public-url (MUSTER_PUBLIC_URL)",
        "--database-url (MUSTER_DATABASE_URL)",
    ] {
        let of_flag = |line: &&String| line.starts_with(&format!("error: {flag}: "));
        assert_eq!(lines.iter().filter(of_flag).count(), 1, "{flag}: {lines:?}");
    }
    assert_eq!(lines.len(), 6, "{lines:?}");
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(
        has("must have no path") && has("percent-encode it"),
        "{lines:?}"
    );
    assert!(!has("secret"), "{lines:?}");
    assert_eq!(failing(&["--no-such-flag"], SETTINGS).len(), 1);
}

#[test]
fn a_variable_is_as_good_as_a_flag() {
    let mut command = core(&[]);
    command.env("MUSTER_GRPC_ADDR", "50051");
    let output = output(command);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(SETTINGS));
    assert!(
        text.starts_with("error: --grpc-addr (MUSTER_GRPC_ADDR): "),
        "{text}"
    );
}

#[tokio::test]
async fn unusable_tls_files_end_the_start() {
    let database = sqlite().await;
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.pem");
    std::fs::write(&broken, "no certificate").unwrap();
    let broken = broken.display().to_string();
    let with = |certificate: &str| {
        let arguments = [
            "--grpc-addr",
            "127.0.0.1:0",
            "--database-url",
            database.url(),
            "--tls-cert",
            certificate,
            "--tls-key",
            &broken,
        ];
        failing(&arguments, SETTINGS)
    };
    let missing = with("/nowhere/muster.pem");
    assert_eq!(
        missing,
        ["error: cannot read /nowhere/muster.pem: No such file or directory (os error 2)"]
    );
    let unusable = with(&broken);
    assert_eq!(unusable.len(), 1, "{unusable:?}");
    assert!(
        unusable[0].starts_with("error: cannot read a certificate from "),
        "{unusable:?}"
    );
}

#[tokio::test]
async fn a_second_core_on_the_same_sqlite_file_is_refused() {
    let database = sqlite().await;
    let running = Running::start(database.url()).await;
    let lines = failing(
        &[
            "--grpc-addr",
            "127.0.0.1:0",
            "--database-url",
            database.url(),
        ],
        ENVIRONMENT,
    );
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("already serves"), "{lines:?}");

    // The lock goes with its holder, however that ends.
    running.kill();
    Running::start(database.url()).await;
}

#[tokio::test]
async fn a_socket_in_use_is_refused_and_a_dead_one_replaced() {
    let (database, other) = (sqlite().await, sqlite().await);
    let running = Running::start(database.url()).await;
    let address = format!("unix://{}", super::socket(running.folder.path()).display());
    fails_with_one_line(
        &["--grpc-addr", &address, "--database-url", other.url()],
        ENVIRONMENT,
        &format!("error: cannot listen on {address} for gRPC: another program uses it"),
    );
    let folder = running.kill();
    let again = Running::start_in(folder, database.url(), &[]);
    again.channel().await;
}
