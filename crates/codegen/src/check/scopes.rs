//! Checks of scopes: each has a valid, unique name and a description, and rpcs need only these.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};

use crate::{
    model::{Api, Method},
    options::{Access, ScopeRule},
};

/// Checks the list.
pub(super) fn all(scopes: &[ScopeRule]) -> Result<()> {
    let mut names = HashSet::new();
    for scope in scopes {
        let name = &scope.name;
        ensure!(
            is_name(name),
            "scope \"{name}\": a name is like events:read, two words of a to z and _"
        );
        ensure!(
            !scope.description.is_empty(),
            "scope \"{name}\": it does not say what it allows"
        );
        ensure!(names.insert(name), "scope \"{name}\": there are two");
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    name.split_once(':')
        .is_some_and(|(about, action)| is_word(about) && is_word(action))
}

/// Checks that the scope which an rpc needs is in the list.
pub(super) fn needed(api: &Api, method: &Method) -> Result<()> {
    let Some(needed) = &method.rules.scope else {
        return Ok(());
    };
    let found = api.scopes.iter().find(|scope| scope.name == *needed);
    let Some(scope) = found else {
        bail!("it needs the scope {needed}, which is not one of the API's");
    };
    ensure!(
        !scope.session_only || method.rules.access == Access::Session,
        "it needs the scope {needed}, which only sessions have, so its access must be ACCESS_SESSION"
    );
    Ok(())
}
