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
    for (name, content) in outputs.iter().filter_map(reviewed) {
        let file = package().join("tests/golden").join(name);
        if fs::read(&file).is_ok_and(|golden| golden == content) {
            continue;
        }
        if env::var_os(UPDATE).is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, content).unwrap();
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

/// What people review of an output: descriptors are bytes, and of messages, which prost writes, only how serde is told to read and
/// write those of the toy is ours.
fn reviewed(output: &Output) -> Option<(&str, &[u8])> {
    let (name, content) = (output.name.as_str(), output.content.as_slice());
    let (package, file) = name.split_once('/').unwrap();
    match file {
        "descriptors.bin" => None,
        // The toy's pages show what is written; Muster's say what the proto says.
        page if page.starts_with("reference") && package != "toy.v1" => None,
        "messages.rs" if package != "toy.v1" => None,
        "messages.rs" => {
            let text = std::str::from_utf8(content).unwrap();
            let (messages, _services) = text.split_once("/// Generated client").unwrap();
            Some((name, messages.as_bytes()))
        }
        _ => Some((name, content)),
    }
}
