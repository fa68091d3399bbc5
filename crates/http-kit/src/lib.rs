//! What every HTTP surface in front of core shares.
//!
//! A [`Surface`] has the settings of one surface and adds the common layers to its routes: size limits, health, security
//! headers, conditional requests, compression, and errors as JSON. A [`Resource`] is one path. [`read_json`] parses a request,
//! and [`Problem`] is an error for clients. No rpc is known by name: [`muster_api::binding::Rpc`] has everything that a call
//! needs.

mod answer;
pub mod body;
mod cached_answer;
mod call_options;
mod challenge;
mod client_address;
mod compress;
mod conditional;
mod credential;
mod health;
mod json;
mod layers;
mod mistakes;
pub mod oauth;
mod problem;
pub mod rate_limit;
mod resource;
mod response_cache;
mod router;
mod settings;
mod surface;

pub use answer::{JSON, document, entity_tag, file, json, moved};
pub use cached_answer::CachedAnswer;
pub use call_options::CallOptions;
pub use challenge::Challenge;
pub use client_address::{ProxySettings, client_address};
pub use credential::{check_credential, require_bearer};
pub use json::{Read, read_json, read_value, write_answer};
pub use mistakes::Mistakes;
pub use problem::Problem;
pub use resource::{Operation, Resource};
pub use response_cache::{CacheCounts, CacheOptions, CacheSettings, ResponseCache};
pub use router::Router;
pub use settings::{EdgeCommand, EdgeSettings, HttpSettings, MakeRouter, run, serve};
pub use surface::{DATA_ONLY, Surface, TEXT};
