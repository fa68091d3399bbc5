//! Checks of HTTP routes: each field has a place, each path is bound once, and one schema describes every body of a message.

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};

use crate::{
    model::{Api, Cardinality, Kind, Method, Response},
    parts::Parts,
    route::{Route, RouteBody, Verb},
};

/// Longer ones are cut in lists of operations.
const MAX_SUMMARY_LENGTH: usize = 40;

/// Checks the routes of an rpc, and that none was bound before.
pub(super) fn of_method(
    api: &Api,
    method: &Method,
    seen: &mut HashSet<(&'static str, String)>,
) -> Result<()> {
    for one in &method.routes {
        route(api, method, one).with_context(|| one.path.clone())?;
        let verb = one.verb.constant();
        ensure!(
            seen.insert((verb, placeholders(&one.path))),
            "{verb} {} is bound twice",
            one.path
        );
    }
    Ok(())
}

fn route(api: &Api, method: &Method, route: &Route) -> Result<()> {
    ensure!(
        !method.rules.answers.is_empty(),
        "it does not say what it answers"
    );
    ensure!(
        !method.summary.is_empty() && method.summary.len() <= MAX_SUMMARY_LENGTH,
        "it needs a summary of up to {MAX_SUMMARY_LENGTH} characters, or a tool with such a title"
    );
    let base = &api.rules.base_path;
    ensure!(
        route.below(base).is_some(),
        "the path does not start with {base}/"
    );
    ensure!(
        method.rules.caching.is_none() || route.verb == Verb::Get,
        "caches keep answers to GET only"
    );
    let parts = Parts::new(api, method, route);
    for name in &route.path_fields {
        let found = parts.path.iter().any(|field| {
            field.name == *name
                && field.cardinality == Cardinality::One
                && field.kind == Kind::String
        });
        ensure!(
            found,
            "path variable {name} is no plain string field of {}",
            method.request
        );
    }
    if let RouteBody::File(name) = &route.body {
        let file = parts.file.filter(|file| file.kind == Kind::File);
        ensure!(file.is_some(), "body \"{name}\" is no file; say \"*\"");
    }
    for field in &parts.query {
        ensure!(
            !matches!(field.kind, Kind::Message(_) | Kind::FieldMask | Kind::File),
            "field {} can be no query parameter; say body: \"*\", or name the file",
            field.name
        );
    }
    let in_body = parts.body.iter().flat_map(|body| &body.fields);
    for field in in_body {
        ensure!(
            field.kind != Kind::File,
            "the file {} is a whole body: say body: \"{}\"",
            field.name,
            field.name
        );
    }
    if let Some(shown) = &route.response_body {
        let found = match &method.response {
            Response::Message(name) => api
                .message(name)
                .fields
                .iter()
                .any(|field| field.name == *shown),
            Response::File { .. } => false,
        };
        ensure!(found, "response_body {shown} is no field of the answer");
    }
    one_body(api, method, route)
}

/// Ensures that one schema can describe all bodies with this message.
fn one_body(api: &Api, method: &Method, route: &Route) -> Result<()> {
    let names = |method: &Method, route: &Route| {
        let body = Parts::new(api, method, route).body?;
        Some(
            body.fields
                .iter()
                .map(|field| field.name.clone())
                .collect::<Vec<_>>(),
        )
    };
    let Some(body) = names(method, route) else {
        return Ok(());
    };
    let same = |other: &Method| {
        let mut others = other.routes.iter().filter_map(|route| names(other, route));
        other.request != method.request || others.all(|other| other == body)
    };
    ensure!(
        api.methods().all(same),
        "another path of {} leaves other fields to the body, but one schema has to describe both",
        method.request
    );
    let whole = body.len() == api.message(&method.request).fields.len();
    let held = api
        .messages
        .iter()
        .flat_map(|message| &message.fields)
        .any(|field| field.kind == Kind::Message(method.request.clone()));
    ensure!(
        whole || !held,
        "{} is held by another message with all its fields, but its body lacks some",
        method.request
    );
    Ok(())
}

/// A path without the names of its variables, which do not distinguish routes.
fn placeholders(path: &str) -> String {
    path.split('/')
        .map(|segment| {
            if segment.starts_with('{') {
                "{}"
            } else {
                segment
            }
        })
        .collect::<Vec<_>>()
        .join("/")
}
