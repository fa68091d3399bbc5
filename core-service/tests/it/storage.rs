//! Every statement, on both engines.

mod accounts;
mod catalogue;
mod concurrency;
mod engines;
mod events;
mod totals;
