//! Seats: the service against a model of a waitlist, and very many registrants at once.

mod beside;
mod crowd;
mod model;
mod play;
