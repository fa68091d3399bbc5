//! Proto files to generate from: Muster's, and the toy with changes.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use anyhow::Result;
use codegen::Output;
use serde_json::Value;

/// This package's folder.
pub(crate) fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What is generated for Muster.
pub(crate) fn muster() -> Vec<Output> {
    codegen::generate(&package().join("../proto"), "muster.v1").unwrap()
}

/// What is generated for the toy, after each text in it is replaced by the one beside it.
pub(crate) fn toy(changes: &[(&str, &str)]) -> Result<Vec<Output>> {
    let mut proto = fs::read_to_string(package().join("tests/toy/toy.proto"))?;
    for (old, new) in changes {
        assert!(proto.contains(old), "the toy has no {old}");
        proto = proto.replacen(old, new, 1);
    }
    let folder = tempfile::tempdir()?;
    for shared in ["muster", "third_party"] {
        symlink(
            package().join("../proto").join(shared),
            folder.path().join(shared),
        )?;
    }
    fs::create_dir_all(folder.path().join("toy/v1"))?;
    fs::write(folder.path().join("toy/v1/toy.proto"), proto)?;
    codegen::generate(folder.path(), "toy.v1")
}

/// The text of one of the outputs.
pub(crate) fn text<'a>(outputs: &'a [Output], name: &str) -> &'a str {
    let output = outputs.iter().find(|output| output.name == name).unwrap();
    std::str::from_utf8(&output.content).unwrap()
}

/// One of the outputs that are JSON.
pub(crate) fn json(outputs: &[Output], name: &str) -> Value {
    serde_json::from_str(text(outputs, name)).unwrap()
}
