//! Compiles proto files to descriptors with protox, so that protoc is not needed.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, ensure};
use prost_reflect::DescriptorPool;
use prost_types::FileDescriptorSet;

use crate::Sources;

/// The compiled files with their imports.
pub(crate) struct Descriptors {
    /// With options and comments, for the model.
    pub(crate) pool: DescriptorPool,
    /// For server reflection: with custom options, without comments and positions.
    pub(crate) for_reflection: Vec<u8>,
}

/// Compiles the files of `package`, which stand below the folder of its name.
pub(crate) fn compile(sources: &Sources, package: &str) -> Result<Descriptors> {
    let folder = sources.proto_dir.join(package.replace('.', "/"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "proto")
    });
    files.sort();
    ensure!(!files.is_empty(), "no proto files in {}", folder.display());

    let roots = [&[sources.proto_dir], sources.imports].concat();
    let mut compiler = protox::Compiler::new(roots)?;
    compiler.include_imports(true).include_source_info(false);
    // `Debug` shows the line, `Display` only the error.
    compiler
        .open_files(&files)
        .map_err(|error| anyhow!("{error:?}"))?;
    // protox encodes them, since prost-types would drop custom options.
    Ok(Descriptors {
        pool: compiler.descriptor_pool(),
        for_reflection: compiler.encode_file_descriptor_set(),
    })
}

impl Descriptors {
    /// The files that messages and services are generated from: those of `package`, and what prost has to know of.
    pub(crate) fn files_of(&self, package: &str) -> FileDescriptorSet {
        let known = [package, "google.protobuf", "google.api"];
        let file = self
            .pool
            .files()
            .filter(|file| known.contains(&file.package_name()));
        FileDescriptorSet {
            file: file
                .map(|file| file.file_descriptor_proto().clone())
                .collect(),
        }
    }
}
