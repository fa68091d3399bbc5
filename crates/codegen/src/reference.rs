//! The reference that people read: one page of Markdown for each group of operations, for each operation and for each type of webhook
//! messages, with an index in Rust. In it, the public URL of the API options stands for the instance that serves it.

mod calls;
mod literal;
mod operation;
mod tables;
mod webhook;

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::{Api, Method, Service},
    rust::kebab,
};

/// A page.
pub(crate) struct Page {
    /// Its name in paths: `create-event`.
    pub(crate) slug: String,
    title: String,
    /// One sentence.
    summary: String,
    /// The group, for a page of an operation or of a type of messages.
    group: Option<String>,
    /// What people look for: names of the operation in every surface, and of its fields.
    names: Vec<String>,
    /// The page as Markdown.
    pub(crate) markdown: String,
}

/// Every page: each group, followed by its operations, and webhook messages in the end.
pub(crate) fn pages(api: &Api) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for service in in_order(api) {
        let mut operations = Vec::new();
        for method in by_route(service) {
            let page = operation::page(api, service, method)
                .with_context(|| format!("the reference of rpc {}", method.name))?;
            operations.push(page);
        }
        pages.push(group(api, service, &operations));
        pages.extend(operations);
    }
    if let Some(webhooks) = &api.webhooks {
        pages.extend(webhook::pages(api, webhooks)?);
    }
    let mut slugs = HashSet::new();
    for page in &pages {
        ensure!(
            slugs.insert(&page.slug),
            "two pages are called {}",
            page.slug
        );
    }
    Ok(pages)
}

/// The services in the order in which people need them, which the proto says.
fn in_order(api: &Api) -> Vec<&Service> {
    let order = &api.rules.reading_order;
    let mut services: Vec<&Service> = api.services.iter().collect();
    services.sort_by_key(|service| {
        let index = order.iter().position(|name| *name == service.name);
        index.unwrap_or(order.len())
    });
    services
}

/// `EventService` as `Events`.
fn group_title(service: &Service) -> String {
    let name = service.name.strip_suffix("Service");
    match name.unwrap_or(&service.name) {
        countable @ ("Event" | "Cover" | "Registration" | "Message" | "Webhook") => {
            format!("{countable}s")
        }
        name => name.to_owned(),
    }
}

fn group_slug(service: &Service) -> String {
    kebab(&group_title(service))
}

fn slug(method: &Method) -> String {
    kebab(&method.name)
}

/// The title of an operation: its summary, or the words of its name.
fn title(method: &Method) -> String {
    if !method.summary.is_empty() {
        return method.summary.clone();
    }
    let words = kebab(&method.name).replace('-', " ");
    let (first, rest) = words.split_at(1);
    format!("{}{rest}", first.to_ascii_uppercase())
}

/// What it does, in one sentence.
fn first_sentence(comment: &str) -> String {
    let text = comment.split("\n\n").next().unwrap_or_default();
    let text = text.replace('\n', " ");
    match text.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => text,
    }
}

/// The operations of a group, those over HTTP first.
fn by_route(service: &Service) -> Vec<&Method> {
    let mut methods: Vec<&Method> = service.methods.iter().collect();
    methods.sort_by_key(|method| method.routes.is_empty());
    methods
}

fn group(api: &Api, service: &Service, operations: &[Page]) -> Page {
    let title = group_title(service);
    let mut markdown = format!(
        "# {title}\n\n{}\n\n| Operation | Over HTTP | What it does |\n|---|---|---|\n",
        service.comment
    );
    for (method, page) in by_route(service).into_iter().zip(operations) {
        let route = method.routes.first().map_or_else(
            || "gRPC only".to_owned(),
            |route| {
                let path = route.below(&api.rules.base_path).unwrap_or(&route.path);
                format!("`{} {path}`", route.verb.constant())
            },
        );
        let row = format!(
            "| [{}](/docs/{}) | {route} | {} |\n",
            page.title,
            page.slug,
            tables::cell(&page.summary)
        );
        markdown.push_str(&row);
    }
    Page {
        slug: group_slug(service),
        summary: first_sentence(&service.comment),
        group: None,
        names: vec![format!("{}.{}", api.package, service.name)],
        title,
        markdown,
    }
}

/// The index, which includes the pages from the folder `reference` beside it.
pub(crate) fn index(pages: &[Page]) -> TokenStream {
    let rows = pages.iter().map(|page| {
        let Page {
            slug,
            title,
            summary,
            names,
            ..
        } = page;
        let none = || quote! { None };
        let group = page.group.as_ref();
        let group = group.map_or_else(none, |group| quote! { Some(#group) });
        let file = format!("reference/{slug}.md");
        quote! {
            ReferencePage {
                slug: #slug,
                title: #title,
                summary: #summary,
                group: #group,
                names: &[#(#names),*],
                markdown: include_str!(#file),
            }
        }
    });
    quote! {
        /// The pages of the reference: each group, followed by its operations or messages.
        pub const PAGES: &[ReferencePage] = &[#(#rows),*];
    }
}
