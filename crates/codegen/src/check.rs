//! Checks across declarations: every name exists, and nothing is declared twice.

mod guidance;
mod links;
mod messages;
mod routes;
mod scopes;
mod tools;
mod webhooks;

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};

use crate::{
    errors,
    model::{Api, Field, Message, Method, Response},
    options::Access,
};

/// Checks the public package.
pub(crate) fn public(api: &Api) -> Result<()> {
    for code in errors::IMPLIED {
        reason(api, code)?;
    }
    scopes::all(&api.scopes)?;
    ensure!(
        api.rules.public_url.contains("://"),
        "the option muster.options.v1.api has no public_url"
    );
    for prompt in &api.rules.prompts {
        guidance::prompt(api, prompt).with_context(|| format!("prompt \"{}\"", prompt.name))?;
    }
    messages::are_shown_apart_from_errors(api)?;
    package(api)?;
    if let Some(webhooks) = &api.webhooks {
        webhooks::all(api, webhooks).context("webhook messages")?;
    }
    let (mut routes, mut tools) = (HashSet::new(), HashSet::new());
    for method in api.methods() {
        ensure!(
            method.rules.access != Access::Session,
            "rpc {}: only internal rpcs may be for sessions alone",
            method.name
        );
        surfaces(api, method, &mut routes, &mut tools)
            .with_context(|| format!("rpc {}", method.name))?;
    }
    Ok(())
}

/// Checks a package that is plain gRPC.
pub(crate) fn internal(api: &Api) -> Result<()> {
    package(api)?;
    for method in api.methods() {
        ensure!(
            method.routes.is_empty()
                && method.rules.tool.is_none()
                && method.rules.resource.is_none(),
            "rpc {}: {} is internal, so its rpcs have neither routes nor tools nor resources",
            method.name,
            api.package
        );
    }
    Ok(())
}

/// The checks for every package.
fn package(api: &Api) -> Result<()> {
    messages::are_outermost(api)?;
    for method in api.methods() {
        references(api, method).with_context(|| format!("rpc {}", method.name))?;
    }
    Ok(())
}

fn reason(api: &Api, code: &str) -> Result<()> {
    ensure!(
        api.reasons.iter().any(|reason| reason.code == code),
        "the enum ErrorReason has no {code}"
    );
    Ok(())
}

fn find<'a>(api: &'a Api, message: &str) -> Option<&'a Message> {
    api.messages.iter().find(|one| one.name == message)
}

/// Checks the names in an rpc.
fn references(api: &Api, method: &Method) -> Result<()> {
    for code in &method.rules.errors {
        reason(api, code)?;
    }
    scopes::needed(api, method)?;
    find(api, &method.request)
        .with_context(|| format!("its request {} is of another package", method.request))?;
    match &method.response {
        Response::Message(name) => {
            find(api, name).with_context(|| format!("its answer {name} is of another package"))?;
        }
        Response::File { media_type } => ensure!(
            !media_type.is_empty(),
            "it answers a file, but does not say its media_type"
        ),
    }
    Ok(())
}

/// Checks an rpc's routes and tool against those of earlier rpcs.
fn surfaces<'a>(
    api: &'a Api,
    method: &'a Method,
    routes: &mut HashSet<(&'static str, String)>,
    tools: &mut HashSet<&'a str>,
) -> Result<()> {
    routes::of_method(api, method, routes)?;
    for link in &method.rules.links {
        links::one(api, method, link)?;
    }
    if let Some(tool) = &method.rules.tool {
        tools::one(api, method, tool).with_context(|| format!("tool \"{}\"", tool.name))?;
        ensure!(
            tools.insert(&tool.name),
            "there are two tools {}",
            tool.name
        );
    }
    if let Some(resource) = &method.rules.resource {
        guidance::resource(api, method, resource)
            .with_context(|| format!("resource {}", resource.uri_template))?;
    }
    Ok(())
}

/// The field of this name in an rpc's answer.
fn answered<'a>(api: &'a Api, method: &Method, name: &str) -> Option<&'a Field> {
    match &method.response {
        Response::Message(answer) => {
            let mut fields = api.message(answer).fields.iter();
            fields.find(|field| field.name == name)
        }
        Response::File { .. } => None,
    }
}

/// The names in braces.
fn braced(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
}
