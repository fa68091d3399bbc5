//! OAuth: apps and agents that act for a person by their consent.
//!
//! Reading order: `redirect`, `client`, `place` and `pkce` judge what a client sends, `request` all of it, `grant` is what a person agreed
//! to, `rotation` decides on refresh tokens.

pub mod client;
pub mod grant;
pub mod pkce;
pub mod place;
pub mod redirect;
pub mod refusal;
pub mod request;
pub mod rotation;
pub mod secret;

pub use client::{Client, ClientMetadata};
pub use grant::{AccessToken, Authorization, AuthorizationCode, Connection, Grant, RefreshToken};
pub use place::{Audience, Place};
pub use redirect::{PrivateSchemes, RedirectUri};
pub use refusal::{Code, Refusal};
pub use secret::{Kind, Secret};

/// SHA-256 of a secret, by which it is stored.
pub type Hash = [u8; 32];
