//! Build-time generator: from the descriptors of `proto/` to messages, validation, bindings, OpenAPI and MCP tools.
//!
//! Read in this order: [`descriptors`] compiles the proto files, [`model`] holds what they say in our own words,
//! [`read`] fills it, [`read`] and [`check`] refuse what is not supported, [`parts`] and [`errors`] draw the conclusions that
//! several outputs share, and each remaining module writes one kind of output.

mod bindings;
mod check;
mod descriptors;
mod errors;
mod example;
mod mcp;
mod messages;
mod model;
mod openapi;
mod options;
mod parts;
mod read;
mod reasons;
mod route;
mod rust;
mod schema;
mod scopes;
mod services;
mod tools;
mod validation;

use std::path::Path;

use anyhow::{Context as _, Result};

/// One generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its name within the output folder.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// Generates everything that the proto files below `proto_dir` in `package` (for example `muster.v1`) describe.
///
/// # Errors
/// When a file does not compile or says something that the generator does not support; the text names the place.
pub fn generate(proto_dir: &Path, package: &str) -> Result<Vec<Output>> {
    let descriptors = descriptors::compile(proto_dir, package)?;
    let api = read::api(&descriptors.pool, package)?;
    Ok(vec![
        Output {
            name: "messages.rs".into(),
            content: messages::emit(&api, &descriptors)?.into(),
        },
        Output {
            name: "validation.rs".into(),
            content: rust::file(&validation::emit(&api))?.into(),
        },
        Output {
            name: "services.rs".into(),
            content: rust::file(&services::emit(&api))?.into(),
        },
        Output {
            name: "reasons.rs".into(),
            content: rust::file(&reasons::emit(&api))?.into(),
        },
        Output {
            name: "scopes.rs".into(),
            content: rust::file(&scopes::emit(&api))?.into(),
        },
        Output {
            name: "bindings.rs".into(),
            content: rust::file(&bindings::emit(&api))?.into(),
        },
        Output {
            name: "openapi.json".into(),
            content: json(&openapi::emit(&api)?)?,
        },
        Output {
            name: "tools.json".into(),
            content: json(&tools::emit(&api))?,
        },
        Output {
            name: "mcp.json".into(),
            content: json(&mcp::emit(&api))?,
        },
        Output {
            name: "descriptors.bin".into(),
            content: descriptors.for_reflection,
        },
    ])
}

/// A document that people can read.
fn json(document: &serde_json::Value) -> Result<Vec<u8>> {
    let mut content = serde_json::to_vec_pretty(document)?;
    content.push(b'\n');
    Ok(content)
}

/// Generates into a folder, writing only files that changed.
///
/// # Errors
/// As [`generate`], and when a file can't be written.
pub fn generate_into(proto_dir: &Path, package: &str, folder: &Path) -> Result<()> {
    for output in generate(proto_dir, package)? {
        let path = folder.join(&output.name);
        if std::fs::read(&path).is_ok_and(|present| present == output.content) {
            continue;
        }
        std::fs::write(&path, &output.content)
            .with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}
