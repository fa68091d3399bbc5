//! What a language model should read to use the site, in the form of llmstxt.org: `llms.txt` lists it, `llms-full.txt` is all of it.

use std::fmt::Write as _;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use http_kit::{Problem, document};
use muster_api::v1::{
    GetGuideRequest, GetUseCaseRequest, StaticItem,
    bindings::{GetGuide, GetUseCase},
};

use super::{
    articles::{list_guides, list_use_cases},
    docs,
    robots::{AN_HOUR, TEXT},
};
use crate::{layout::PageResult, request_context::RequestContext};

/// Articles that are read at a time.
const AT_A_TIME: usize = 4;

pub(in crate::pages) async fn index(context: RequestContext) -> PageResult {
    let (guides, use_cases) = tokio::try_join!(list_guides(&context), list_use_cases(&context))?;
    let mut text = beginning(&context);
    text.push_str("\n## Reference and concepts\n\n");
    docs::list(&mut text, &context.site);
    list(&mut text, "Guides", &guides);
    list(&mut text, "Use cases", &use_cases);
    Ok(document(text, TEXT, AN_HOUR))
}

pub(in crate::pages) async fn full(context: RequestContext) -> PageResult {
    let (guides, use_cases) = tokio::try_join!(list_guides(&context), list_use_cases(&context))?;
    let mut text = beginning(&context);
    for page in docs::all() {
        let _infallible = write!(text, "\n{}", docs::markdown(page, &context.site));
    }
    let guides = stream::iter(guides).map(|item| guide(&context, item.slug));
    let use_cases = stream::iter(use_cases).map(|item| use_case(&context, item.slug));
    let guides: Vec<String> = guides.buffered(AT_A_TIME).try_collect().await?;
    let use_cases: Vec<String> = use_cases.buffered(AT_A_TIME).try_collect().await?;
    for article in guides.iter().chain(&use_cases) {
        let _infallible = write!(text, "\n{}", docs::absolute(article, &context.site));
    }
    Ok(document(text, TEXT, AN_HOUR))
}

async fn guide(context: &RequestContext, slug: String) -> Result<String, Problem> {
    let article = context.ask::<GetGuide>(GetGuideRequest { slug });
    Ok(article.await?.markdown)
}

async fn use_case(context: &RequestContext, slug: String) -> Result<String, Problem> {
    let article = context.ask::<GetUseCase>(GetUseCaseRequest { slug });
    Ok(article.await?.markdown)
}

fn beginning(context: &RequestContext) -> String {
    let (base, name) = (context.site.public_url(), context.site.name());
    format!(
        "# {name}\n\n\
         > {name} holds events and the people who register for them. It has a public catalogue, and an API for organizers over \
         HTTP, gRPC and MCP.\n\n\
         Reading the catalogue and registering need no credentials. Agents should use MCP; its tools say what they need.\n\n\
         ## Interfaces\n\n\
         - [Catalogue as JSON]({base}/api/v1/events): upcoming public events, earliest first\n\
         - [OpenAPI document]({base}/api/v1/openapi.json): every operation over HTTP\n\
         - [MCP endpoint]({base}/mcp): the Model Context Protocol, over streamable HTTP; give a client this address alone, and its person \
         signs in (OAuth)\n\
         - [gRPC and gRPC-web]({base}/guides/call-it-over-grpc.md): the same operations as HTTP, with reflection\n\
         - [Webhooks]({base}/docs/webhook-messages.md): signed messages about what changes, as Standard Webhooks\n\
         - [OAuth metadata]({base}/.well-known/oauth-authorization-server): how a program gets a token in a person's name\n\
         - [Reference for people]({base}/docs): every operation with lines to copy\n\
         - [Atom]({base}/events.atom) and [iCalendar]({base}/events.ics): upcoming public events as feeds\n\
         - [All of this in one text]({base}/llms-full.txt)\n"
    )
}

fn list(text: &mut String, heading: &str, items: &[StaticItem]) {
    let _infallible = writeln!(text, "\n## {heading}\n");
    for item in items {
        let _infallible = writeln!(text, "- [{}]({}.md)", item.title, item.url);
    }
}
