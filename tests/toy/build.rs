//! Runs codegen over the toy's proto files, as the root's build script does over Muster's.

use std::{env, path::Path};

use codegen::Sources;

fn main() -> anyhow::Result<()> {
    for folder in ["proto", "../../proto"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    let sources = Sources {
        proto_dir: Path::new("proto"),
        imports: &[
            Path::new("../../proto"),
            Path::new("../../proto/third_party"),
        ],
        public: "toy.v1",
        internal: &["toy.internal.v1"],
        runtime: "::muster_api",
    };
    codegen::generate_into(&sources, Path::new(&env::var("OUT_DIR")?))
}
