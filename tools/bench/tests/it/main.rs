//! The benchmark with small numbers: that every measurement works, never how fast anything is.

use std::{env, fs, path::Path, process::Command};

/// Measures and engines of the table, of which none may be lost.
const GOLDEN: &str = "tests/golden/rows.txt";

#[test]
fn every_measurement_works_and_the_table_has_all_rows() {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
    // So that the last lines say what failed, of which a log may keep no others.
    bench.env("RUST_LIB_BACKTRACE", "0");
    let output = bench.args(["--quick", "--built"]).output();
    let output = output.expect("the benchmark can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{said}\n.ci/programs builds the programs that the benchmark starts"
    );
    let table = String::from_utf8(output.stdout).expect("the table is text");
    let rows: String = table.lines().filter_map(row).skip(1).collect();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &rows).expect("the golden file can be written");
    }
    let expected = fs::read_to_string(golden).expect("there is a golden file");
    let has_postgres = rows.contains("| PostgreSQL");
    let expected: String = expected
        .split_inclusive('\n')
        .filter(|row| has_postgres || !row.contains("| PostgreSQL"))
        .collect();
    assert_eq!(rows, expected, "UPDATE_GOLDEN=1 writes {GOLDEN}");
}

#[test]
fn programs_are_started_with_what_the_images_set_for_the_c_library() {
    const TUNABLES: &str = "GLIBC_TUNABLES";
    let dockerfile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/Dockerfile");
    let dockerfile = fs::read_to_string(dockerfile).expect("there is one");
    let of_images = dockerfile.lines().find_map(|line| {
        let (name, value) = line.strip_prefix("ENV ")?.split_once('=')?;
        (name == TUNABLES).then_some(value)
    });
    let programs = programs::Programs::beside().expect("this test has a file");
    let command = programs.command::<&str, &str>("muster", &[]);
    let set = command.get_envs().find(|(name, _)| *name == TUNABLES);
    let set = set.and_then(|(_, value)| value?.to_str());
    assert!(set.is_some());
    assert_eq!(set, of_images);
}

/// Measure and engine of a line of the table.
fn row(line: &str) -> Option<String> {
    let mut cells = line.strip_prefix("| ")?.split(" | ");
    Some(format!("{} | {}\n", cells.next()?, cells.next()?))
}
