//! What the generator does not support stops the build, with a message that names the place.

mod mcp;
mod messages;
mod routes;
mod rpcs;

use crate::sources::toy;

/// Changes the toy and expects a refusal that says all these things.
#[track_caller]
fn refused(changes: &[(&str, &str)], said: &[&str]) {
    let error = toy(changes).expect_err("it was accepted");
    let error = format!("{error:#}");
    for text in said {
        assert!(error.contains(text), "no {text:?} in: {error}");
    }
}
