//! Proto files to generate from: Muster's, and the toy with changes.

use std::{fs, path::PathBuf};

use anyhow::Result;
use codegen::{Output, Sources};
use serde_json::Value;

/// This package's folder.
pub(crate) fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What is generated for Muster.
pub(crate) fn muster() -> Vec<Output> {
    let sources = Sources {
        proto_dir: &package().join("../../proto"),
        imports: &[&package().join("../../proto/third_party")],
        public: "muster.v1",
        internal: &["muster.internal.v1"],
        runtime: "crate",
    };
    codegen::generate(&sources).unwrap()
}

/// The files of the toy (`tests/toy`), in the order in which a text is looked for in them.
const TOY: [&str; 3] = [
    "toy/v1/book.proto",
    "toy/internal/v1/desk.proto",
    "toy/v1/thing.proto",
];

/// What is generated for the toy, after each text, where it stands first, is replaced by the one beside it.
pub(crate) fn toy(changes: &[(&str, &str)]) -> Result<Vec<Output>> {
    let folder = tempfile::tempdir()?;
    let mut left: Vec<_> = changes.iter().collect();
    for file in TOY {
        let mut proto = fs::read_to_string(package().join("../../tests/toy/proto").join(file))?;
        left.retain(|(old, new)| {
            let found = proto.contains(old);
            proto = proto.replacen(old, new, 1);
            !found
        });
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap())?;
        fs::write(file, proto)?;
    }
    assert!(left.is_empty(), "the toy has none of {left:?}");
    let muster = package().join("../../proto");
    codegen::generate(&Sources {
        proto_dir: folder.path(),
        imports: &[&muster, &muster.join("third_party")],
        public: "toy.v1",
        internal: &["toy.internal.v1"],
        runtime: "::muster_api",
    })
}

/// The text of one of the public package's outputs; of another package's when the name begins with it.
pub(crate) fn text<'a>(outputs: &'a [Output], name: &str) -> &'a str {
    let mut outputs = outputs.iter();
    let output = outputs.find(|output| {
        output.name == name
            || output.name.ends_with(&format!("/{name}")) && !output.name.contains("internal")
    });
    let output = output.unwrap();
    std::str::from_utf8(&output.content).unwrap()
}

/// One of the outputs that are JSON.
pub(crate) fn json(outputs: &[Output], name: &str) -> Value {
    serde_json::from_str(text(outputs, name)).unwrap()
}
