//! Every statement, on both engines.

mod accounts;
mod cancelled;
mod catalogue;
mod connections;
mod engines;
mod events;
mod expanding;
mod my_events;
mod pooler;
mod portable;
mod reminders;
pub(crate) mod search;
mod several_servers;
mod totals;
mod waiting_deliveries;
mod webhook_answers;
