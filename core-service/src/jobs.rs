//! Background work: jobs, and periodic maintenance.
//!
//! A job is done at least once, by whichever core claims it. A claim is a lease that is committed before the work begins; its
//! number (`attempt`) is part of every later write, so that a runner whose lease has ended cannot overwrite the work of the
//! next one.
//!
//! Each job goes to a destination (the mail server, the provider of photographs). `runner` finds the destinations with due jobs
//! and opens a `lane` for each. A lane has slots of its own, and a `pause` of its own while the destination does not work.

mod backoff;
mod event_announcement;
mod event_reminder;
mod handler;
mod lane;
mod limits;
mod maintenance;
mod measuring;
mod messages;
mod organizer_mail;
mod pause;
mod person_mail;
mod post;
mod registration_mail;
mod runner;
mod security_mail;
mod stock_cover;
mod webhook_delivery;

pub use event_announcement::EventAnnouncement;
pub use event_reminder::EventReminder;
pub use handler::{Attempt, AttemptError, Delivery, Done, GivingUp, Handler};
pub use limits::{LaneLimits, Limits};
pub use maintenance::{Maintenance, Round};
pub use measuring::measure;
pub use messages::MessageJobs;
pub use organizer_mail::OrganizerMail;
pub use person_mail::PersonMail;
pub use post::Post;
pub use registration_mail::RegistrationMail;
pub use runner::Runner;
pub use stock_cover::StockCovers;
pub use webhook_delivery::WebhookDelivery;
