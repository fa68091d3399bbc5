//! The page of one operation.

use std::fmt::Write as _;

use anyhow::Result;

use super::{Page, calls, first_sentence, group_slug, literal, slug, tables, title};
use crate::{
    errors, example,
    model::{Api, Field, Method, Response, Service},
    options::Access,
    parts::Parts,
};

pub(super) fn page(api: &Api, service: &Service, method: &Method) -> Result<Page> {
    let mut markdown = format!("# {}\n\n{}\n\n", title(method), method.comment);
    markdown.push_str(&facts(api, service, method));
    markdown.push_str(&request(api, method));
    markdown.push_str("## Call it\n\n");
    markdown.push_str(&calls::examples(api, service, method)?);
    markdown.push_str(&answer(api, method)?);
    markdown.push_str(&failures(api, method));
    Ok(Page {
        slug: slug(method),
        title: title(method),
        summary: first_sentence(&method.comment),
        group: Some(group_slug(service)),
        names: names(api, service, method),
        markdown: markdown.trim_end().to_owned() + "\n",
    })
}

/// Its names over HTTP, gRPC and MCP, and what it needs.
fn facts(api: &Api, service: &Service, method: &Method) -> String {
    let mut rows = String::new();
    for route in &method.routes {
        let verb = route.verb.constant();
        let url = format!("{}{}", api.rules.public_url, route.path);
        let _infallible = writeln!(rows, "- HTTP: `{verb} {url}`");
    }
    let _infallible = writeln!(
        rows,
        "- gRPC: `{}.{}/{}`",
        api.package, service.name, method.name
    );
    if let Some(tool) = &method.rules.tool {
        let _infallible = writeln!(rows, "- MCP tool: `{}`", tool.name);
    }
    let needs = match (method.rules.access, &method.rules.scope) {
        (Access::Public | Access::Unspecified, _) => "no credential".to_owned(),
        (Access::Paid, Some(scope)) => format!("the scope `{scope}`, and a paid plan"),
        (_, Some(scope)) => format!("the scope `{scope}`"),
        (_, None) => "a key or an access token".to_owned(),
    };
    let _infallible = writeln!(rows, "- Needs {needs}");
    if method.rules.idempotency_key {
        rows.push_str("- With an [`Idempotency-Key`](/docs/idempotency), it is done once however often it is sent\n");
    }
    rows + "\n"
}

fn request(api: &Api, method: &Method) -> String {
    let mut text = String::new();
    let mut all: Vec<&Field> = Vec::new();
    let mut part = |heading: &str, fields: Vec<&'_ Field>| {
        if !fields.is_empty() {
            let table = tables::given(&fields);
            let _infallible = writeln!(text, "## {heading}\n\n{table}");
        }
    };
    if let Some(route) = method.routes.first() {
        let parts = Parts::new(api, method, route);
        all.extend(parts.path.iter().chain(&parts.query));
        part("In the path", parts.path);
        part("In the query", parts.query);
        if let Some(body) = parts.body {
            all.extend(&body.fields);
            part("In the body", body.fields);
        }
        if let Some(file) = parts.file {
            part("The body", vec![file]);
        }
    } else {
        all.extend(&api.message(&method.request).fields);
        part("In the request", all.clone());
    }
    for message in tables::nested(api, &all) {
        let fields: Vec<&Field> = message.fields.iter().collect();
        let (name, comment) = (&message.name, &message.comment);
        let table = tables::given(&fields);
        let _infallible = writeln!(text, "### {name}\n\n{comment}\n\n{table}");
    }
    text
}

fn answer(api: &Api, method: &Method) -> Result<String> {
    let mut text = "## Answer\n\n".to_owned();
    if !method.rules.answers.is_empty() {
        let _infallible = writeln!(text, "Status 200. {}\n", method.rules.answers);
    }
    let name = match &method.response {
        Response::File { media_type } => {
            let _infallible = writeln!(text, "A file of the type `{media_type}`.\n");
            return Ok(text);
        }
        Response::Message(name) => name,
    };
    let message = api.message(name);
    // Examples are for those who call it without types.
    if let Some(route) = method.routes.first() {
        let mut fields = message.fields.iter();
        let shown = fields.find(|field| Some(&field.name) == route.response_body.as_ref());
        let example = match shown {
            Some(field) => example::value(api, field)?,
            None => example::object(api, &message.fields)?,
        };
        let _infallible = writeln!(text, "```json\n{}\n```\n", literal::json(&example, 0));
    }
    if !message.fields.is_empty() {
        let _infallible = writeln!(text, "{}", tables::answered(message));
    }
    let fields: Vec<&Field> = message.fields.iter().collect();
    for message in tables::nested(api, &fields) {
        let (name, comment) = (&message.name, &message.comment);
        let table = tables::answered(message);
        let _infallible = writeln!(text, "### {name}\n\n{comment}\n\n{table}");
    }
    Ok(text)
}

/// Every error that it can be answered with, and what to do about it.
fn failures(api: &Api, method: &Method) -> String {
    let mut text =
        "## Errors\n\n| Status | Code | When | What to do |\n|---|---|---|---|\n".to_owned();
    let mut reasons = match method.routes.first() {
        Some(route) => errors::of_route(api, method, route),
        None => errors::of_rpc(api, method),
    };
    reasons.sort_by_key(|reason| reason.http_status);
    for reason in reasons {
        let (when, cure) = (
            tables::cell(&reason.description),
            tables::cell(&reason.remedy),
        );
        let (status, code) = (reason.http_status, &reason.code);
        let _infallible = writeln!(text, "| {status} | `{code}` | {when} | {cure} |");
    }
    text + "\n[All errors](/docs/errors) have the same body.\n"
}

fn names(api: &Api, service: &Service, method: &Method) -> Vec<String> {
    let mut names = vec![
        method.name.clone(),
        format!("{}.{}/{}", api.package, service.name, method.name),
    ];
    for route in &method.routes {
        names.push(format!("{} {}", route.verb.constant(), route.path));
    }
    names.extend(method.rules.tool.as_ref().map(|tool| tool.name.clone()));
    names.extend(method.rules.scope.clone());
    let mut fields: Vec<&Field> = api.message(&method.request).fields.iter().collect();
    if let Response::Message(name) = &method.response {
        fields.extend(&api.message(name).fields);
    }
    let nested = tables::nested(api, &fields);
    fields.extend(nested.into_iter().flat_map(|message| &message.fields));
    names.extend(fields.into_iter().map(|field| field.name.clone()));
    names.extend(method.rules.errors.iter().cloned());
    names.sort_unstable();
    names.dedup();
    names
}
