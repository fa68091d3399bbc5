//! Runs codegen over proto/.

use std::{env, path::Path};

fn main() -> anyhow::Result<()> {
    println!("cargo:rerun-if-changed=proto");
    codegen::generate_into(
        Path::new("proto"),
        "muster.v1",
        Path::new(&env::var("OUT_DIR")?),
    )
}
