//! The rules, as pure code: no database, no network, no clock, no other module.

pub mod account;
pub mod api_key;
pub mod audit;
pub mod change;
pub mod clock;
pub mod date_time;
pub mod email;
pub mod entropy;
pub mod event;
pub mod expiry;
pub mod fact;
pub mod ids;
pub mod image_credit;
pub mod instant;
pub mod job;
pub mod keyed_call;
pub mod plan;
pub mod private_link;
pub mod rate;
pub mod registration;
pub mod retention;
pub mod schedule;
pub mod scope;
pub mod slug;
pub mod violation;
pub mod zone;
