//! Build-time generator: from the descriptors of `proto/` to messages, validation, bindings, OpenAPI and MCP tools. One package
//! is public. The others have only messages, validation and bindings, and only they may have streams, enums and numbers that
//! JSON lacks.
//!
//! Read in this order: [`descriptors`] compiles the proto files, [`model`] is our own representation of them, [`read`] fills
//! it, [`read`] and [`check`] refuse everything that is not supported, [`parts`] and [`errors`] compute what several outputs
//! share, and each remaining module writes one kind of output.

mod bindings;
mod check;
mod closed_sets;
mod descriptions;
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
mod reference;
mod route;
mod rust;
mod schema;
mod services;
mod tools;
mod validation;

use std::{path::Path, str::FromStr as _};

use anyhow::{Context as _, Result, anyhow};
use proc_macro2::TokenStream;

use crate::{descriptors::Descriptors, model::Api};

/// One generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its path within the output folder, for example `muster.v1/messages.rs`.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// The sources.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The folder with one folder for each package.
    pub proto_dir: &'a Path,
    /// Folders with imported files, including Muster's options.
    pub imports: &'a [&'a Path],
    /// The public package, for example `muster.v1`. All packages share its reasons and scopes.
    pub public: &'a str,
    /// The internal packages, which are plain gRPC between processes of one deployment.
    pub internal: &'a [&'a str],
    /// The path of the runtime crate in generated code: `crate` within `muster-api`, otherwise `::muster_api`.
    pub runtime: &'a str,
}

/// Generates all outputs, each package into the folder of its name.
///
/// # Errors
/// When a file does not compile or contains something that is not supported. The message names the place.
pub fn generate(sources: &Sources) -> Result<Vec<Output>> {
    let runtime = TokenStream::from_str(sources.runtime)
        .map_err(|error| anyhow!("{} is no path: {error}", sources.runtime))?;
    let descriptors = descriptors::compile(sources, sources.public)?;
    let public = read::public(&descriptors.pool, sources.public, &runtime)?;
    let mut outputs = package(&public, &descriptors)?;
    outputs.extend(surfaces(&public)?);
    for internal in sources.internal {
        let descriptors = descriptors::compile(sources, internal)?;
        let api = read::internal(&descriptors.pool, internal, &public)?;
        outputs.extend(package(&api, &descriptors)?);
    }
    outputs.push(Output::new(
        &public,
        "descriptors.bin",
        descriptors.for_reflection,
    ));
    Ok(outputs)
}

/// The outputs of every package.
fn package(api: &Api, descriptors: &Descriptors) -> Result<Vec<Output>> {
    let output = |name: &str, content: String| Output::new(api, name, content);
    Ok(vec![
        output("messages.rs", messages::emit(api, descriptors)?),
        output("validation.rs", rust::file(&validation::emit(api))?),
        output("services.rs", rust::file(&services::emit(api))?),
        output("bindings.rs", rust::file(&bindings::emit(api))?),
    ])
}

/// The additional outputs of the public package.
fn surfaces(api: &Api) -> Result<Vec<Output>> {
    let openapi = openapi::emit(api)?;
    let reference = reference::pages(api)?;
    let mut outputs = vec![
        Output::new(api, "reasons.rs", rust::file(&reasons::emit(api))?),
        Output::new(api, "scopes.rs", rust::file(&closed_sets::scopes(api))?),
        Output::new(
            api,
            "webhook_types.rs",
            rust::file(&closed_sets::webhook_types(api))?,
        ),
        Output::new(api, "openapi.json", json(&openapi)?),
        Output::new(api, "openapi.yaml", serde_saphyr::to_string(&openapi)?),
        Output::new(api, "openapi-3.0.json", json(&openapi::older(&openapi))?),
        Output::new(api, "tools.json", json(&tools::emit(api))?),
        Output::new(api, "mcp.json", json(&mcp::emit(api))?),
        Output::new(
            api,
            "reference.rs",
            rust::file(&reference::index(&reference))?,
        ),
    ];
    outputs.extend(reference.into_iter().map(|page| {
        let name = format!("reference/{}.md", page.slug);
        Output::new(api, &name, page.markdown)
    }));
    Ok(outputs)
}

impl Output {
    fn new(api: &Api, name: &str, content: impl Into<Vec<u8>>) -> Self {
        Self {
            name: format!("{}/{name}", api.package),
            content: content.into(),
        }
    }
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
/// As [`generate`], and when a file cannot be written.
pub fn generate_into(sources: &Sources, folder: &Path) -> Result<()> {
    for output in generate(sources)? {
        let path = folder.join(&output.name);
        if std::fs::read(&path).is_ok_and(|present| present == output.content) {
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, &output.content)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
