//! Every statement, on both engines.

mod accounts;
mod catalogue;
mod engines;
mod events;
mod search;
mod totals;
