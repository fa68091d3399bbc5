//! What the site says to programs about itself: `robots.txt` and `llms.txt`.

use std::fmt::Write as _;

use axum::response::Response;
use edge::{
    Problem,
    http::{Resource, document},
};
use muster_api::v1::{
    ListGuidesRequest, ListUseCasesRequest, StaticItem,
    bindings::{ListGuides, ListUseCases},
};

use crate::visit::{Site, Visit};

const TEXT: &str = "text/plain; charset=utf-8";

/// It changes with a release.
const AN_HOUR: &str = "public, max-age=3600";

/// Private pages, and answers of the API that pages show anyway. Previews need the covers.
const ROBOTS: &str = "\
User-agent: *
Disallow: /registrations/
Disallow: /check-in/
Disallow: /dashboard
Disallow: /invitations/
Disallow: /sign-in
Disallow: /api/
Allow: /api/v1/events/*/cover
";

pub(crate) fn resources(site: &Site) -> [Resource; 2] {
    [
        site.page("/robots.txt", robots),
        site.page("/llms.txt", llms),
    ]
}

async fn robots(visit: Visit) -> Result<Response, Problem> {
    let sitemap = visit.site.url("/sitemap.xml");
    let text = format!("{ROBOTS}\nSitemap: {sitemap}\n");
    Ok(document(text, TEXT, AN_HOUR))
}

/// What a language model should read to use the site, in the form of llmstxt.org.
async fn llms(visit: Visit) -> Result<Response, Problem> {
    let (guides, use_cases) = tokio::try_join!(
        visit.ask::<ListGuides>(ListGuidesRequest {}),
        visit.ask::<ListUseCases>(ListUseCasesRequest {}),
    )?;
    let base = visit.site.url("");
    let mut text = format!(
        "# Muster\n\n\
         > Muster holds events and the people who register for them. It has a public catalogue, and an API for organizers over \
         HTTP, gRPC and MCP.\n\n\
         Reading the catalogue and registering need no credentials. Agents should use MCP; its tools say what they need.\n\n\
         ## Interfaces\n\n\
         - [Catalogue as JSON]({base}/api/v1/events): upcoming public events, earliest first\n\
         - [OpenAPI document]({base}/api/v1/openapi.json): every operation over HTTP\n\
         - [MCP endpoint]({base}/mcp): the Model Context Protocol, over streamable HTTP\n"
    );
    list(&mut text, "Guides", &guides.items);
    list(&mut text, "Use cases", &use_cases.items);
    Ok(document(text, TEXT, AN_HOUR))
}

fn list(text: &mut String, heading: &str, items: &[StaticItem]) {
    let _infallible = writeln!(text, "\n## {heading}\n");
    for item in items {
        let _infallible = writeln!(text, "- [{}]({})", item.title, item.url);
    }
}
