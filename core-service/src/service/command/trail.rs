//! What follows from a fact for the people concerned: entries on all their accounts, and security mails.

use domain::{
    audit::AuditEntry,
    fact::{Audience, Notice},
    ids::PersonId,
    job::{Job, Task},
    person::Role,
};
use server::traces;
use tracing::Span;

use super::Context;

/// Accounts of one person, and recipients of one notice: as many as an account has members.
const MAX_CONCERNED: i64 = 200;

impl Context {
    /// Adds the entry about a person to the activity of all their accounts, where owners see it.
    pub(super) async fn add_to_accounts(
        &mut self,
        person: PersonId,
        entry: &AuditEntry,
    ) -> Result<(), storage::Error> {
        let accounts = self.tx.list_account_ids_of(person, MAX_CONCERNED).await?;
        for account in accounts {
            let id = self.new_id();
            self.consequences.audit.push(entry.clone().on(id, account));
        }
        Ok(())
    }

    /// Schedules a security mail to each of its recipients. The current rows say who they are.
    pub(super) async fn notify(
        &mut self,
        span: &Span,
        notice: Notice,
    ) -> Result<(), storage::Error> {
        for person in self.recipients(notice.to).await? {
            let task = Task::SecurityMail {
                person,
                at: self.now.micros(),
                notice: notice.what.clone(),
            };
            let job = Job {
                trace_parent: traces::named(span),
                ..Job::person_mail(task, self.new_id())
            };
            self.consequences.jobs.push(job);
        }
        Ok(())
    }

    async fn recipients(&mut self, to: Audience) -> Result<Vec<PersonId>, storage::Error> {
        let (account, role, also) = match to {
            Audience::Organizers(account, event) => {
                let organizers = self.tx.list_organizer_ids(account, event, MAX_CONCERNED);
                return organizers.await;
            }
            Audience::Person(person) => return Ok(vec![person]),
            Audience::Owners(account, person) => (account, Some(Role::Owner), person),
            Audience::Members(account) => (account, None, None),
        };
        let members = self.tx.list_member_ids(account, role, MAX_CONCERNED);
        let mut recipients = members.await?;
        recipients.extend(also.filter(|person| !recipients.contains(person)));
        Ok(recipients)
    }
}
