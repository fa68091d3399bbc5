//! Every statement, on both engines.

mod accounts;
mod catalogue;
mod events;
