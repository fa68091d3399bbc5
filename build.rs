//! Runs codegen over proto/.

use std::{env, path::Path};

use codegen::Sources;

fn main() -> anyhow::Result<()> {
    println!("cargo:rerun-if-changed=proto");
    let sources = Sources {
        proto_dir: Path::new("proto"),
        imports: &[Path::new("proto/third_party")],
        public: "muster.v1",
        internal: &["muster.internal.v1"],
        runtime: "crate",
    };
    codegen::generate_into(&sources, Path::new(&env::var("OUT_DIR")?))
}
