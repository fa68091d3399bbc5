//! What the site says to programs about itself: `robots.txt` and `security.txt`.

use http_kit::{Problem, document};
use muster_api::Reason;

use crate::{SURFACE, date::now, layout::PageResult, request_context::RequestContext};

pub(in crate::pages) const TEXT: &str = "text/plain; charset=utf-8";

/// It changes with a release.
pub(in crate::pages) const AN_HOUR: &str = "public, max-age=3600";

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
const BELIEVED_DAYS: i64 = 90;

const DAY_SECONDS: i64 = 86_400;

/// Not found unless the operator has set a contact.
pub(in crate::pages) async fn security(context: RequestContext) -> PageResult {
    let links = context.site.links();
    let Some(contact) = &links.security_contact else {
        return Err(Problem::new(Reason::NotFound, SURFACE.unknown_path));
    };
    let today = now().as_second() / DAY_SECONDS;
    let expires = (today + BELIEVED_DAYS) * DAY_SECONDS;
    let expires = jiff::Timestamp::from_second(expires).unwrap_or_default();
    let here = context.site.url(SECURITY);
    let text = format!("Contact: {contact}\nExpires: {expires}\nCanonical: {here}\n");
    Ok(document(text, TEXT, AN_HOUR))
}

pub(in crate::pages) async fn robots(context: RequestContext) -> PageResult {
    let sitemap = context.site.url("/sitemap.xml");
    let text = format!("{ROBOTS}\nSitemap: {sitemap}\n");
    Ok(document(text, TEXT, AN_HOUR))
}
