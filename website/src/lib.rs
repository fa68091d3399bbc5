//! Muster's pages, for people and for the programs that find events for them.
//!
//! A request goes through [`http_kit`], which finds the path's operation, to a [`request_context::RequestContext`]: it calls core and answers with a
//! template of `templates/`. Pages work without scripts. `problem_page` shows what was refused as a page, if the client reads
//! HTML. A form that another site sent is refused in one place (`form`), for all of them.

mod assets;
mod browser;
mod calendar_links;
mod caller;
mod concepts;
mod cookies;
mod cover;
mod date;
mod event;
mod field;
mod files;
mod flash;
mod form;
mod images;
mod json_ld;
mod layout;
mod look;
mod markdown;
mod member_events;
mod mistyped;
mod own_site;
mod pages;
mod place;
mod policies;
mod problem_page;
mod registration_times;
mod request_context;
mod return_path;
mod settings;
mod timestamp;
mod unsent;
mod viewer;
mod views;
mod words;
mod zones;

use axum::{
    extract::Request,
    middleware::{Next, from_fn},
};
use futures_util::future::BoxFuture;
use http::Method;
use http_kit::{Resource, Router, Surface};
use muster_api::metadata;
use rpc_client::Core;
use server::Failure;

pub use look::{InvalidLogo, Logo, Look, LookSettings};
pub use settings::{Options, Settings};
pub use views::Views;

/// Prefixes of the media types that are compressed.
const COMPRESSED: &[&str] = &[
    "application/atom+xml",
    "application/json",
    "application/manifest+json",
    "application/xml",
    "image/svg+xml",
    "text/calendar",
    "text/css",
    "text/html",
    "text/javascript",
    "text/markdown",
    "text/plain",
];

const SURFACE: Surface = Surface {
    name: metadata::Surface::Site,
    content_security_policy: policies::CONTENT,
    compressed: COMPRESSED,
    caching: "no-store",
    unknown_path: "nothing is at this path; /docs shows the API, and agents connect to /mcp",
};

/// The site and its health, on one router. Unknown paths get a page, or an error as JSON if the client does not read HTML.
pub fn router(core: Core, options: Options) -> Router {
    let core = SURFACE.core(core);
    let cache = options.calls.cache.clone();
    let public_url = options.public_url.clone();
    let views = options.views.clone();
    views.connect(core.clone());
    let site = request_context::Site::new(core.clone(), options);
    let routes = files::resources(&site)
        .into_iter()
        .chain([images::resource()])
        .chain(pages::resources(&site))
        .fold(axum::Router::new(), |routes, resource: Resource| {
            resource.add_to(routes)
        });
    let routes = SURFACE.router(routes, &core, cache);
    let is_secure = site.is_secure();
    let count =
        move |request: Request, next: Next| views::count(views.clone(), is_secure, request, next);
    let show = move |request: Request, next: Next| problem_page::show(site.clone(), request, next);
    // Around all of it, since cached answers need the policies of their paths, and count, too.
    let routes = axum::Router::new().fallback_service(routes);
    let routes = routes.layer(from_fn(count)).layer(from_fn(show));
    Router::from(routes).at(&public_url)
}

/// The paths of everything on the site that can be read but its static files, as templates.
pub fn paths(core: Core, options: Options) -> Vec<&'static str> {
    let resources = pages::resources(&request_context::Site::new(core, options));
    let read = resources
        .iter()
        .filter(|resource| resource.takes(&Method::GET));
    read.map(Resource::path).collect()
}

/// Runs the website as its own process until the signal to stop, or its command.
///
/// # Errors
/// When it cannot start, or the command fails.
pub fn run(settings: Settings) -> BoxFuture<'static, Result<(), Failure>> {
    Box::pin(async move {
        let look = settings.look.look(&settings.brand)?;
        let views = Views::default();
        let recording = tokio::spawn(views.clone().record_each_minute());
        let counted = views.clone();
        let router = Box::new(|core, cache| {
            let options = settings.options(look, cache);
            Ok(router(
                core,
                Options {
                    views: counted,
                    ..options
                },
            ))
        });
        let public_url = settings.public_url.as_deref();
        let ended = http_kit::run(&settings.edge, public_url, settings.command, router).await;
        recording.abort();
        views.record().await;
        ended
    })
}
