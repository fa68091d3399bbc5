//! Who comes to an event: registering, and what the organizer and the attendee do afterwards.

mod batch;
mod export;
mod list;
mod manage;
mod own;
mod promote;
mod register;

pub use export::Export;
pub use list::Registrations;
pub use own::OwnRegistration;
pub use register::{Added, NewRegistration};

pub(super) use batch::Batchers;
pub(super) use promote::promote;
