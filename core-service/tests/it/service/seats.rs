//! Seats: who gets one and who waits, against a model of a waitlist, and very many registrants at once.

mod again;
mod beside;
mod crowd;
mod model;
mod play;
mod waitlist;
