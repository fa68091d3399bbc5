//! What the site says to programs about itself: `robots.txt`, `llms.txt` and `security.txt`.

use std::{
    fmt::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use http_kit::{Problem, document};
use muster_api::{
    Reason,
    v1::{
        ListGuidesRequest, ListUseCasesRequest, StaticItem,
        bindings::{ListGuides, ListUseCases},
    },
};

use crate::{SURFACE, layout::PageResult, request_context::RequestContext};

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
Disallow: /oauth/
Disallow: /api/
Allow: /api/v1/events/*/cover
";

/// Where those who found a weakness look for whom to tell (RFC 9116).
pub(in crate::pages) const SECURITY: &str = "/.well-known/security.txt";

/// For how many days after today it may be believed; the RFC wants less than a year.
const BELIEVED_DAYS: u64 = 90;

const DAY_SECONDS: u64 = 86_400;

/// Not found unless the operator has set a contact.
#[expect(
    clippy::disallowed_methods,
    reason = "readers compare it with their own clocks, not with core's"
)]
pub(in crate::pages) async fn security(context: RequestContext) -> PageResult {
    let links = context.site.links();
    let Some(contact) = &links.security_contact else {
        return Err(Problem::new(Reason::NotFound, SURFACE.unknown_path));
    };
    let today = SystemTime::now().duration_since(UNIX_EPOCH);
    let today = today.map_or(0, |since| since.as_secs() / DAY_SECONDS);
    let expires = (today + BELIEVED_DAYS) * DAY_SECONDS;
    let expires = jiff::Timestamp::from_second(expires.cast_signed()).unwrap_or_default();
    let here = context.site.url(SECURITY);
    let text = format!("Contact: {contact}\nExpires: {expires}\nCanonical: {here}\n");
    Ok(document(text, TEXT, AN_HOUR))
}

pub(in crate::pages) async fn robots(context: RequestContext) -> PageResult {
    let sitemap = context.site.url("/sitemap.xml");
    let text = format!("{ROBOTS}\nSitemap: {sitemap}\n");
    Ok(document(text, TEXT, AN_HOUR))
}

/// What a language model should read to use the site, in the form of llmstxt.org.
pub(in crate::pages) async fn llms(context: RequestContext) -> PageResult {
    let (guides, use_cases) = tokio::try_join!(
        context.ask::<ListGuides>(ListGuidesRequest {}),
        context.ask::<ListUseCases>(ListUseCasesRequest {}),
    )?;
    let base = context.site.url("");
    let mut text = format!(
        "# Muster\n\n\
         > Muster holds events and the people who register for them. It has a public catalogue, and an API for organizers over \
         HTTP, gRPC and MCP.\n\n\
         Reading the catalogue and registering need no credentials. Agents should use MCP; its tools say what they need.\n\n\
         ## Interfaces\n\n\
         - [Catalogue as JSON]({base}/api/v1/events): upcoming public events, earliest first\n\
         - [OpenAPI document]({base}/api/v1/openapi.json): every operation over HTTP\n\
         - [MCP endpoint]({base}/mcp): the Model Context Protocol, over streamable HTTP; give a client this address alone, and its person \
         signs in (OAuth)\n"
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
