//! The pages of webhook messages: one for each type, and one for all of them.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use super::{Page, first_sentence, literal, tables};
use crate::{
    example,
    model::{Api, Field, WebhookType, Webhooks},
};

const TITLE: &str = "Webhook messages";
const SLUG: &str = "webhook-messages";

/// The pages, that of all types first.
pub(super) fn pages(api: &Api, webhooks: &Webhooks) -> Result<Vec<Page>> {
    let mut pages = vec![all(webhooks)];
    for one in &webhooks.types {
        let page = page(api, webhooks, one);
        pages.push(page.with_context(|| format!("the reference of webhook {}", one.name))?);
    }
    Ok(pages)
}

fn all(webhooks: &Webhooks) -> Page {
    let mut markdown = format!(
        "# {TITLE}\n\n{} The guide [Receive webhooks](/guides/receive-webhooks) says how to verify and handle them.\n\n\
         | Type | When |\n|---|---|\n",
        webhooks.comment
    );
    for one in &webhooks.types {
        let (name, slug, when) = (&one.name, slug(one), tables::cell(&one.comment));
        let _infallible = writeln!(markdown, "| [{name}](/docs/{slug}) | {when} |");
    }
    Page {
        slug: SLUG.to_owned(),
        title: TITLE.to_owned(),
        summary: first_sentence(&webhooks.comment),
        group: None,
        names: vec![webhooks.body.clone()],
        markdown,
    }
}

fn page(api: &Api, webhooks: &Webhooks, one: &WebhookType) -> Result<Page> {
    let body = api.message(&webhooks.body);
    let mut markdown = format!("# {}\n\n{}\n\n", one.name, one.comment);
    markdown.push_str(
        "Muster posts it with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. Verify the signature, answer with any status \
         of 2xx, and work afterwards: [Receive webhooks](/guides/receive-webhooks).\n\n",
    );
    let [thin, full] = example::webhook(api, webhooks, one)?;
    let mut section = |heading: &str, body: &_| {
        let body = literal::json(body, 0);
        let _infallible = writeln!(markdown, "## {heading}\n\n```json\n{body}\n```\n");
    };
    if full == thin {
        section("Example", &thin);
    } else {
        section("Example with thin content", &thin);
        section("Example with full content", &full);
    }
    let _infallible = writeln!(markdown, "## Fields\n\n{}", tables::answered(body));
    let fields: Vec<&Field> = body.fields.iter().collect();
    let nested = tables::nested(api, &fields);
    for message in &nested {
        let (name, comment) = (&message.name, &message.comment);
        let table = tables::answered(message);
        let _infallible = writeln!(markdown, "### {name}\n\n{comment}\n\n{table}");
    }
    Ok(Page {
        slug: slug(one),
        title: one.name.clone(),
        summary: first_sentence(&one.comment),
        group: Some(SLUG.to_owned()),
        names: vec![one.name.clone(), webhooks.body.clone()],
        markdown: markdown.trim_end().to_owned() + "\n",
    })
}

/// `event.check_in_undone` as `event-check-in-undone`.
fn slug(one: &WebhookType) -> String {
    one.name.replace(['.', '_'], "-")
}
