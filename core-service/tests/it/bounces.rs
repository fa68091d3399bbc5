//! What became of mails: what is recorded of each, reports of servers, and mailboxes that get no more messages and reminders.

mod events;
mod failing;
mod pipe;
mod reports;

use std::sync::{Arc, Mutex};

use core_service::{
    email::read_report,
    jobs::Runner,
    service::{EventMails, NewRegistration, Principal, Taken},
};
use domain::{
    email::mailbox_hash,
    event::{Event, NewEvent},
    ids::RegistrationId,
    job::{JobKey, JobKind},
};
use test_postgres::Database;
use test_smtp::{Reaction, Server, Step};

use crate::{
    delivery::{mailer, runner},
    service::{Instance, guests::guest, guests::seats},
};

/// A core whose mails have tokens in their envelopes.
pub(crate) struct Outbox {
    pub(crate) instance: Instance,
    pub(crate) olga: Principal,
    pub(crate) event: Event,
    server: Server,
    runner: Runner,
    /// Of each mail that was begun, the sender in its envelope.
    senders: Arc<Mutex<Vec<String>>>,
}

impl Outbox {
    pub(crate) async fn open(database: &Database) -> Self {
        let (instance, server) = (Instance::open(database).await, Server::start());
        let bounces = "bounces@muster.example".parse().unwrap();
        let mailer = mailer(&server).with_bounces(Some(bounces));
        let runner = runner(&instance, &mailer);
        let olga = instance.olga().await;
        let event = instance.create(&olga, far_off()).await;
        let outbox = Self {
            instance,
            olga,
            event,
            server,
            runner,
            senders: Arc::default(),
        };
        outbox.refuse(None);
        outbox
    }

    /// Lets the server refuse mails to this address.
    fn refuse(&self, address: Option<&'static str>) {
        let senders = Arc::clone(&self.senders);
        self.server.script(move |step| match step {
            Step::Sender(sender) => {
                senders.lock().unwrap().push(sender.to_owned());
                Reaction::Go
            }
            Step::Recipient(recipient) if Some(recipient) == address => Reaction::Answer(550),
            _ => Reaction::Go,
        });
    }

    /// Adds a guest, whose mail is handed over or refused; returns them and the sender in its envelope.
    pub(crate) async fn mail(&self, address: &str) -> (RegistrationId, String) {
        self.mail_about(&self.event, address).await
    }

    async fn mail_about(&self, event: &Event, address: &str) -> (RegistrationId, String) {
        let new = NewRegistration {
            email: address.to_owned(),
            ..guest("ada")
        };
        let registrations = &self.instance.registrations;
        let added = registrations.add(&self.olga, event.id, new).await.unwrap();
        self.runner.drain().await.unwrap();
        let sender = self.senders.lock().unwrap().last().unwrap().clone();
        (added.id, sender)
    }

    /// The mails about the event.
    async fn mails(&self) -> EventMails {
        let registrations = &self.instance.registrations;
        let mails = registrations.mails(&self.olga, self.event.id, 50, None);
        mails.await.unwrap()
    }

    /// The numbers of mails about the event.
    async fn numbers(&self) -> Vec<(String, i64)> {
        let numbers = self.mails().await.numbers.into_iter();
        numbers.map(|(_, state, number)| (state, number)).collect()
    }

    /// Reports that a mail came back, in the words of a server.
    async fn report(&self, server: &str, sender: &str, recipient: &str) -> Taken {
        let report = read_report(report(server, sender, recipient).as_bytes(), None).unwrap();
        self.instance.mail_reports.take(&[report]).await.unwrap()[0]
    }

    /// Whether an address gets no messages and reminders.
    async fn is_stopped(&self, address: &str) -> bool {
        let store = &self.instance.store;
        let stopped = store.find_mail_stops(&[mailbox_hash(address)]).await;
        !stopped.unwrap().is_empty()
    }
}

/// An event that is still to come when weeks have passed.
pub(crate) fn far_off() -> NewEvent {
    NewEvent {
        start_date: "2040-01-01T12:00:00Z".to_owned(),
        end_date: None,
        ..seats(50)
    }
}

/// The key of the mail that says that someone has a seat.
pub(crate) const fn registered(id: RegistrationId) -> JobKey {
    JobKey {
        kind: JobKind::RegisteredMail,
        subject_id: id.uuid(),
        occasion: 0,
    }
}

/// The report of a server.
pub(crate) fn report(server: &str, bounces: &str, recipient: &str) -> String {
    let path = format!("{}/tests/reports/{server}.eml", env!("CARGO_MANIFEST_DIR"));
    let template = std::fs::read_to_string(path).unwrap();
    let text = template.replace("BOUNCES", bounces);
    text.replace("RECIPIENT", recipient).replace('\n', "\r\n")
}
