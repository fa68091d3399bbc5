//! The system as its users see it.

mod dependencies;
mod smoke;
