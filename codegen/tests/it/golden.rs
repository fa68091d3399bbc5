//! What is generated, kept beside the tests, so that a change to it shows in review.

use std::{env, fs};

use codegen::Output;

use crate::sources::{self, package};

/// Set to anything, it rewrites the files instead of comparing them.
const UPDATE: &str = "UPDATE_GOLDEN";

#[test]
fn what_is_generated_for_muster_is_as_it_was_reviewed() {
    compare(&sources::muster());
}

#[test]
fn what_is_generated_for_the_toy_is_as_it_was_reviewed() {
    compare(&sources::toy(&[]).unwrap());
}

fn compare(outputs: &[Output]) {
    let mut stale = Vec::new();
    // Descriptors are bytes that only programs read.
    for output in outputs
        .iter()
        .filter(|output| !output.name.ends_with("/descriptors.bin"))
    {
        let file = package().join("tests/golden").join(&output.name);
        if fs::read(&file).is_ok_and(|golden| golden == output.content) {
            continue;
        }
        if env::var_os(UPDATE).is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &output.content).unwrap();
        } else {
            stale.push(file.display().to_string());
        }
    }
    assert!(
        stale.is_empty(),
        "these differ from what is generated now; if that is meant, run `{UPDATE}=1 cargo test -p codegen` and review the \
         difference:\n{}",
        stale.join("\n")
    );
}
