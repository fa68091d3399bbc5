//! The system as its users see it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answers;
mod audit;
mod cancelling;
mod catalogue;
mod changing;
mod concurrency;
mod confirming;
mod contract;
mod core_port;
mod creating;
mod custom_fields;
mod dates;
mod dependencies;
mod hostile_text;
mod idempotency;
mod ids;
mod limits;
mod mail;
mod mcp;
mod model;
mod my_events;
mod outage;
mod overload;
mod publishing;
mod quotas;
mod registering;
mod registering_again;
mod registrations;
mod rest;
mod searching;
mod short_refusals;
mod site;
mod slugs;
mod zones;
