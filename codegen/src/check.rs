//! What one declaration alone does not show: that every name that is mentioned exists, and that nothing is said twice.

mod scopes;

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};

use crate::{
    errors,
    model::{Answer, Api, Cardinality, Field, Kind, Message, Method},
    openapi,
    options::{Prompt, Resource, Tool},
    parts::Parts,
    route::Route,
    tools,
};

/// The field of a list's answer that holds what it lists.
const ITEMS: &str = "items";

/// Checks the public package.
pub(crate) fn public(api: &Api) -> Result<()> {
    for code in errors::IMPLIED {
        reason(api, code)?;
    }
    scopes::all(&api.scopes)?;
    for prompt in &api.rules.prompts {
        self::prompt(api, prompt).with_context(|| format!("prompt \"{}\"", prompt.name))?;
    }
    for message in &api.messages {
        ensure!(
            !openapi::RESERVED.contains(&message.name.as_str()),
            "message {}: the schema of that name is that of errors",
            message.name
        );
    }
    package(api)?;
    let (mut routes, mut tools) = (HashSet::new(), HashSet::new());
    for one in api.methods() {
        method(api, one, &mut routes, &mut tools).with_context(|| format!("rpc {}", one.name))?;
    }
    Ok(())
}

/// Checks a package that is plain gRPC.
pub(crate) fn internal(api: &Api) -> Result<()> {
    package(api)?;
    for method in api.methods() {
        ensure!(
            method.routes.is_empty() && method.tool.is_none() && method.resource.is_none(),
            "rpc {}: {} is internal, so its rpcs have neither routes nor tools nor resources",
            method.name,
            api.package
        );
    }
    Ok(())
}

/// Checks what holds for every package.
fn package(api: &Api) -> Result<()> {
    for message in &api.messages {
        ensure!(
            !holds(api, message, &message.name, &mut HashSet::new()),
            "message {}: a message that holds itself is not supported",
            message.name
        );
    }
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

/// Whether a message holds that of the name, at any depth.
fn holds<'a>(api: &'a Api, message: &'a Message, name: &str, seen: &mut HashSet<&'a str>) -> bool {
    message.fields.iter().any(|field| match &field.kind {
        Kind::Message(held) if held == name => true,
        Kind::Message(held) if seen.insert(held) => {
            find(api, held).is_some_and(|held| holds(api, held, name, seen))
        }
        _ => false,
    })
}

/// Checks the names that an rpc mentions.
fn references(api: &Api, method: &Method) -> Result<()> {
    for code in &method.errors {
        reason(api, code)?;
    }
    scopes::needed(api, method)?;
    find(api, &method.request)
        .with_context(|| format!("its request {} is of another package", method.request))?;
    match &method.answer {
        Answer::Message(name) => {
            find(api, name).with_context(|| format!("its answer {name} is of another package"))?;
        }
        Answer::File { media_type } => ensure!(
            !media_type.is_empty(),
            "it answers a file, but does not say its media_type"
        ),
    }
    Ok(())
}

fn method<'a>(
    api: &'a Api,
    method: &'a Method,
    routes: &mut HashSet<(&'static str, String)>,
    tools: &mut HashSet<&'a str>,
) -> Result<()> {
    for one in &method.routes {
        route(api, method, one).with_context(|| one.path.clone())?;
        ensure!(
            routes.insert((one.verb.constant(), placeholders(&one.path))),
            "{} {} is bound twice",
            one.verb.constant(),
            one.path
        );
    }
    if let Some(one) = &method.tool {
        tool(api, method, one).with_context(|| format!("tool \"{}\"", one.name))?;
        ensure!(tools.insert(&one.name), "there are two tools {}", one.name);
    }
    if let Some(one) = &method.resource {
        resource(api, method, one).with_context(|| format!("resource {}", one.uri_template))?;
    }
    Ok(())
}

fn route(api: &Api, method: &Method, route: &Route) -> Result<()> {
    ensure!(
        !method.answers.is_empty(),
        "it does not say what it answers"
    );
    let base = &api.rules.base_path;
    ensure!(
        route.below(base).is_some(),
        "the path does not start with {base}/"
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
    for field in &parts.query {
        ensure!(
            !matches!(field.kind, Kind::Message(_) | Kind::FieldMask),
            "field {} can be no query parameter; say body: \"*\"",
            field.name
        );
    }
    if let Some(shown) = &route.response_body {
        let found = match &method.answer {
            Answer::Message(name) => api
                .message(name)
                .fields
                .iter()
                .any(|field| field.name == *shown),
            Answer::File { .. } => false,
        };
        ensure!(found, "response_body {shown} is no field of the answer");
    }
    one_body(api, method, route)
}

/// Ensures that the schema of a message's name can describe the body of each request that the message is.
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

fn tool(api: &Api, method: &Method, tool: &Tool) -> Result<()> {
    ensure!(
        !(tool.name.is_empty() || tool.title.is_empty() || tool.description.is_empty()),
        "it needs a name, a title and a description"
    );
    ensure!(
        !method.routes.is_empty(),
        "only an rpc with a route can be a tool"
    );
    ensure!(
        matches!(method.answer, Answer::Message(_)),
        "a tool can't answer a file"
    );
    let fields = &api.message(&method.request).fields;
    let added = [
        (tools::CONFIRM, tool.confirmation.is_some()),
        (
            tools::CLEAR,
            fields.iter().any(|field| field.kind == Kind::FieldMask),
        ),
    ];
    for (name, is_added) in added {
        ensure!(
            !(is_added && fields.iter().any(|field| field.name == name)),
            "its argument {name} is added by the generator; call the field otherwise"
        );
    }
    let Some(confirmation) = &tool.confirmation else {
        return Ok(());
    };
    let preview = &confirmation.preview_rpc;
    let preview = api
        .methods()
        .find(|other| other.name == *preview)
        .with_context(|| format!("there is no rpc {preview} to preview it"))?;
    for field in &api.message(&preview.request).fields {
        ensure!(
            fields
                .iter()
                .any(|own| own.name == field.name && own.kind == field.kind),
            "its preview {} takes {}, which it does not have",
            preview.name,
            field.name
        );
    }
    for name in asked(&confirmation.question) {
        ensure!(
            answered(api, preview, name).is_some(),
            "its question shows {{{name}}}, which its preview {} does not answer",
            preview.name
        );
    }
    let unless = &confirmation.unless;
    ensure!(
        unless.is_empty()
            || answered(api, preview, unless).is_some_and(|field| field.kind == Kind::Bool),
        "it goes unconfirmed when {unless}, which is no truth value that its preview {} answers",
        preview.name
    );
    Ok(())
}

fn resource(api: &Api, method: &Method, resource: &Resource) -> Result<()> {
    ensure!(
        ![
            &resource.uri_template,
            &resource.name,
            &resource.title,
            &resource.description,
            &resource.media_type,
        ]
        .into_iter()
        .any(String::is_empty),
        "it needs a uri_template, a name, a title, a description and a media_type"
    );
    for name in asked(&resource.uri_template) {
        let mut fields = api.message(&method.request).fields.iter();
        ensure!(
            fields.any(|field| field.name == name && field.kind == Kind::String),
            "its variable {name} is no string of {}",
            method.request
        );
    }
    let text = &resource.text;
    ensure!(
        text.is_empty()
            || answered(api, method, text).is_some_and(|field| field.kind == Kind::String),
        "its text {text} is no string of the answer"
    );
    if resource.list_rpc.is_empty() {
        return Ok(());
    }
    let list = api
        .methods()
        .find(|other| other.name == resource.list_rpc)
        .with_context(|| format!("there is no rpc {} to list it", resource.list_rpc))?;
    let Some(Kind::Message(item)) = answered(api, list, ITEMS).map(|field| &field.kind) else {
        anyhow::bail!("{} answers no {ITEMS}", list.name);
    };
    let shown = [
        &resource.uri_template,
        &resource.name,
        &resource.title,
        &resource.description,
    ];
    for name in shown.into_iter().flat_map(|text| asked(text)) {
        ensure!(
            api.message(item)
                .fields
                .iter()
                .any(|field| field.name == name),
            "it shows {{{name}}}, which no {item} has"
        );
    }
    Ok(())
}

fn prompt(api: &Api, prompt: &Prompt) -> Result<()> {
    ensure!(
        ![
            &prompt.name,
            &prompt.title,
            &prompt.description,
            &prompt.text
        ]
        .into_iter()
        .any(String::is_empty),
        "it needs a name, a title, a description and a text"
    );
    let same = api.rules.prompts.iter();
    ensure!(
        same.filter(|other| other.name == prompt.name).count() == 1,
        "there are two of that name"
    );
    for name in asked(&prompt.text) {
        ensure!(
            prompt
                .arguments
                .iter()
                .any(|argument| argument.name == name),
            "its text shows {{{name}}}, which is no argument of it"
        );
    }
    Ok(())
}

/// The field of that name in an rpc's answer.
fn answered<'a>(api: &'a Api, method: &Method, name: &str) -> Option<&'a Field> {
    match &method.answer {
        Answer::Message(answer) => {
            let mut fields = api.message(answer).fields.iter();
            fields.find(|field| field.name == name)
        }
        Answer::File { .. } => None,
    }
}

/// The names in braces.
fn asked(question: &str) -> impl Iterator<Item = &str> {
    question
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// A path without the names of its variables, which tell no routes apart.
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
