//! What JSON over HTTP can get wrong before a rule is asked, and what it answers then.

mod bodies;
mod credentials;
mod errors;
mod files;
mod methods;
mod nulls;
mod pages;
mod queries;
mod reading;
mod sizes;
mod unknown_fields;
mod wrong_types;
