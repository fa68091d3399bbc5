//! What every surface in front of core shares.
//!
//! [`call`] makes calls to core: [`Core`] makes them, [`Context`] says for whom and by when. [`Problem`] is what a client is told
//! when one fails. [`read_json`] reads requests that come as JSON. [`http`] is what HTTP surfaces do alike, and each of them says
//! by a [`http::Surface`] how it differs. Nothing here knows an rpc by name: [`muster_api::binding::Rpc`] says all that a call
//! needs.

pub mod call;
mod check;
pub mod http;
mod json;
mod problem;

pub use call::{Context, Core, CoreSettings, File, Messages};
pub use check::{CheckCredential, check_credential};
pub use json::{read_json, read_value};
pub use problem::Problem;
