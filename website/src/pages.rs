//! The pages, each with what it asks core.

mod articles;
mod catalogue;
mod dashboard;
mod embed;
mod event;
mod feeds;
mod oauth;
mod private;
mod register;
mod robots;
mod sign_in;
mod sitemaps;
mod status;
mod ticket;

use edge::http::Resource;

use crate::visit::Site;

/// Every path of the site but its static files.
pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = Vec::new();
    resources.extend(catalogue::resources(site));
    resources.extend(event::resources(site));
    resources.extend(articles::resources(site));
    resources.extend(embed::resources(site));
    resources.extend(feeds::resources(site));
    resources.extend(register::resources(site));
    resources.extend(private::resources(site));
    resources.extend(ticket::resources(site));
    resources.extend(robots::resources(site));
    resources.extend(sitemaps::resources(site));
    resources.extend(sign_in::resources(site));
    resources.extend(oauth::resources(site));
    resources.extend(dashboard::resources(site));
    resources
}
