//! Checks of links: the rpcs that follow exist, and their paths get all their variables.

use anyhow::{Context as _, Result, ensure};

use super::answered;
use crate::{
    model::{Api, Kind, Method},
    options::Link,
};

/// Checks a link of an rpc.
pub(super) fn one(api: &Api, method: &Method, link: &Link) -> Result<()> {
    let own = method
        .routes
        .first()
        .context("only an rpc with a route has links")?;
    let from = answered(api, method, &link.from);
    ensure!(
        from.is_some_and(|field| field.kind == Kind::String),
        "a link takes {}, which is no text of the answer",
        link.from
    );
    for name in &link.rpcs {
        let target = api.methods().find(|other| other.name == *name);
        let route = target
            .and_then(|target| target.routes.first())
            .with_context(|| format!("a link leads to {name}, which is no rpc with a route"))?;
        ensure!(
            route.path_fields.contains(&link.variable),
            "a link gives {}, which is no variable of the path of {name}",
            link.variable
        );
        for field in &route.path_fields {
            ensure!(
                *field == link.variable || own.path_fields.contains(field),
                "a link leads to {name}, but does not say the {field} in its path"
            );
        }
    }
    Ok(())
}
