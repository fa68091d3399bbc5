//! Several surfaces on one port, each under its own paths.

use axum::{Router, extract::Request};
use tower::ServiceExt;

/// A router that passes each request to the surface with the longest matching path prefix, and all others to `rest`. Surfaces
/// see the whole path, as on their own ports.
pub fn mount(surfaces: &[(&[&'static str], &Router)], rest: &Router) -> Router {
    let mut mounts: Vec<(&'static str, Router)> = surfaces
        .iter()
        .flat_map(|(paths, router)| paths.iter().map(|path| (*path, (*router).clone())))
        .collect();
    mounts.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    let rest = rest.clone();
    let answer = move |request: Request| {
        let path = request.uri().path();
        let found = mounts.iter().find(|(mount, _)| is_below(mount, path));
        let router = found.map_or(&rest, |(_, router)| router).clone();
        async move { router.oneshot(request).await }
    };
    // So that the handler becomes a service once, and not with every request.
    Router::new().fallback(answer).with_state(())
}

fn is_below(mount: &str, path: &str) -> bool {
    let rest = path.strip_prefix(mount);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
