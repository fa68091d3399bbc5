//! Reminders: mails to people with a spot, some hours before an event starts (rule 46 of docs/rules.md).

mod changes;
mod lateness;
mod refusing;
mod series;
mod setting;

use std::{sync::Arc, time::Duration};

use domain::{instant::Instant, job::JobKind, plan::Plan};
use muster_api::v1::bindings::{GetAccount, ListActivity, RegisterAttendee, UpdateEvent};
use serde_json::{Value, json};
use tests::{Account, Client, Created, Mail, Surface, TestApp};

/// When the event of these tests starts, if nothing else is said: five days and six hours after the tests do.
const START: &str = "2027-01-20T18:00:00Z";

/// An event to come, and its organizer.
struct Scene {
    app: Arc<TestApp>,
    account: Account,
    owner: Client,
    event: Created,
}

impl Scene {
    /// A published event with these fields, which starts at [`START`], and these guests.
    async fn set(app: Arc<TestApp>, mut fields: Value, guests: &[&str]) -> Self {
        let account = app.account(Plan::Pro).await;
        let owner = app.over(Surface::Http).as_owner(&account);
        if fields.get("start_date").is_none() {
            fields["start_date"] = json!(START);
        }
        let event = owner.publish_new(fields).await;
        let scene = Self {
            app,
            account,
            owner,
            event,
        };
        for guest in guests {
            scene.register(guest).await;
        }
        scene.app.drain_jobs().await;
        scene
    }

    async fn register(&self, name: &str) {
        let email = format!("{name}@example.org");
        let guest = json!({"slug": self.event.slug, "name": name, "email": email});
        let anyone = self.app.over(Surface::Http).anyone();
        anyone.ok::<RegisterAttendee>(guest).await;
    }

    async fn change(&self, mut fields: Value) -> Value {
        fields["id"] = json!(self.event.id);
        self.owner.ok::<UpdateEvent>(fields).await
    }

    /// Lets time pass until this moment.
    fn pass_until(&self, moment: &str) {
        let moment = Instant::from_utc(moment.trim_end_matches('Z').parse().unwrap());
        let seconds = (moment.micros() - self.app.clock.now().micros()) / 1_000_000;
        self.app
            .advance(Duration::from_secs(seconds.try_into().unwrap()));
    }

    /// Does what is due; returns all reminders so far, by recipient.
    async fn reminders(&self) -> Vec<Mail> {
        self.app.drain_jobs().await;
        let mut mails = self.app.mails();
        mails.retain(|mail| mail.id.starts_with("reminder_mail."));
        mails.sort_by(|one, other| one.to.cmp(&other.to));
        mails
    }

    /// Does what is due; returns who was reminded so far.
    async fn reminded(&self) -> Vec<String> {
        let names = self.reminders().await.into_iter();
        names
            .map(|mail| mail.to.replace("@example.org", ""))
            .collect()
    }

    /// When the reminders that wait are due.
    async fn waiting(&self) -> Vec<String> {
        let jobs = self.app.store.list_jobs(JobKind::EventReminder, 100).await;
        let mut due: Vec<Instant> = jobs.unwrap().into_iter().map(|job| job.due_at).collect();
        due.sort();
        due.iter().map(ToString::to_string).collect()
    }

    /// Holds the mails of the account, so that what is scheduled is not sent yet.
    async fn hold_mails(&self) {
        let mails = &self.app.core.use_cases().mails;
        mails.hold(self.account.id).await.unwrap();
    }

    async fn release_mails(&self) {
        let mails = &self.app.core.use_cases().mails;
        mails.release(self.account.id).await.unwrap();
    }

    /// How many mails of reminders are scheduled and not sent.
    async fn scheduled(&self) -> usize {
        self.app.drain_jobs().await;
        let jobs = self.app.store.list_jobs(JobKind::ReminderMail, 100).await;
        jobs.unwrap().len()
    }

    /// How many mails of the day are left to the account.
    async fn daily_mails_left(&self) -> Value {
        let account = self.owner.ok::<GetAccount>(json!({})).await;
        account["daily_mails_left"].clone()
    }

    /// What happened on the account, in words.
    async fn activity(&self) -> Vec<String> {
        let listed = self.owner.ok::<ListActivity>(json!({"limit": 100})).await;
        let items = listed["items"].as_array().unwrap().iter();
        let sentence = |item: &Value| item["text"].as_str().unwrap().to_owned();
        items.map(sentence).collect()
    }
}
