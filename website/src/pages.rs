//! The pages, each with what it asks core.

mod articles;
mod catalogue;
mod event;
mod private;
mod robots;

use edge::http::Resource;

use crate::visit::Site;

/// Every path of the site but its static files.
pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = Vec::new();
    resources.extend(catalogue::resources(site));
    resources.extend(event::resources(site));
    resources.extend(articles::resources(site));
    resources.extend(private::resources(site));
    resources.extend(robots::resources(site));
    resources
}
