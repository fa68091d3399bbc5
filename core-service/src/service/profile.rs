//! A person's name and address.

use std::sync::Arc;

use domain::{
    account,
    audit::Actor,
    budget::Budget,
    email,
    email_change::{EmailChange, TAKE_BACK_SECONDS},
    fact::{Fact, PersonChange},
    person::Person,
    sign_in_code::{Holder, Purpose},
    violation::{FieldViolation, Violations},
};

use super::{
    Authenticator, Commands, Context, Error, SignedIn,
    codes::{self, AskedBy},
    credentials::Credentials,
    erase::{LastOwner, erase_person, solely_owned},
    power::{self, Ended},
};

/// Use cases of people about themselves.
#[derive(Debug, Clone)]
pub struct Profile {
    commands: Commands,
    credentials: Arc<Credentials>,
}

impl Profile {
    /// People's own names and addresses.
    pub fn new(commands: Commands, authenticator: &Authenticator) -> Self {
        Self {
            commands,
            credentials: authenticator.credentials(),
        }
    }

    /// Changes the person's name.
    pub async fn rename(&self, by: &SignedIn, name: String) -> Result<Person, Error> {
        let mut violations = Violations::default();
        account::check_name("name", &name, &mut violations);
        violations.unless_any(Some(())).map_err(Error::Invalid)?;
        let decide = async |context: &mut Context| {
            let before = context.tx.find_person(by.person).await?;
            let after = Person {
                name,
                ..before.ok_or(Error::Unauthorized)?
            };
            context.tx.update_person(&after).await?;
            context.note_write();
            Ok(after)
        };
        self.commands.run(Actor::Person(by.person), decide).await
    }

    /// Removes the person, who has typed their address.
    pub async fn remove(&self, by: &SignedIn, typed: &str) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let person = context.tx.find_person(by.person).await?;
            let email = person.ok_or(Error::Unauthorized)?.email;
            let email_norm = email::normalised(&email);
            if email::normalised(typed.trim()) != email_norm {
                return Err(Error::Invalid(vec![FieldViolation {
                    field: "email".to_owned(),
                    message: "must be your email address".to_owned(),
                }]));
            }
            context.tx.lock_person_by_email(&email).await?;
            let now = context.now;
            if context
                .tx
                .find_email_change_of(by.person, now)
                .await?
                .is_some()
            {
                let text = "your address was changed in the last 7 days, and until then the old one can take that back: try again later";
                return Err(Error::Conflict(text.to_owned()));
            }
            if let Some(one) = solely_owned(context, by.person).await?.first() {
                return Err(Error::Conflict(format!(
                    "nobody else owns the account \"{}\": make someone else an owner, or remove the account first",
                    one.account_name
                )));
            }
            erase_person(context, &email_norm, &LastOwner::Refuse).await?;
            Ok(())
        };
        self.commands.run(Actor::Person(by.person), decide).await?;
        self.credentials.evict(&by.hash);
        Ok(())
    }

    /// Mails a code to a new address.
    pub async fn start_email_change(&self, by: &SignedIn, address: &str) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            codes::spend(context, &Budget::email_change_mails(address)).await?;
            codes::spend(context, &Budget::email_change_mails_of(by.person)).await?;
            let holder = Holder::session(by.session);
            codes::mail(
                context,
                Purpose::EmailChange,
                holder,
                address,
                AskedBy::Member,
            )
            .await
        };
        self.commands.run(Actor::Person(by.person), decide).await
    }

    /// Changes the address to the one to which the code went, and mails a notice to the one before. The person's other sessions end, and
    /// their apps, if those are to be disconnected.
    pub async fn finish_email_change(
        &self,
        by: &SignedIn,
        typed: &str,
        disconnects_apps: bool,
    ) -> Result<Person, Error> {
        let decide = async |context: &mut Context| {
            let holder = Holder::session(by.session);
            let checked = codes::check(context, Purpose::EmailChange, holder, typed).await?;
            let code = match checked.right() {
                Ok(code) => code,
                // The try was written and has to be committed.
                Err(refusal) => return Ok(Err(refusal)),
            };
            let taken = context.tx.find_person_by_email(&code.email).await?;
            if taken.is_some_and(|other| other.id != by.person) {
                let text = "someone else signs in with this address";
                return Err(Error::Conflict(text.to_owned()));
            }
            let before = context.tx.find_person(by.person).await?;
            let before = before.ok_or(Error::Unauthorized)?;
            let after = Person {
                email: code.email,
                ..before.clone()
            };
            context.tx.update_person(&after).await?;
            let mut ended = Ended::new();
            if email::normalised(&before.email) != email::normalised(&after.email) {
                ended = changed(context, by, (&before, &after), disconnects_apps).await?;
                let person = by.person;
                let change = PersonChange::ChangedEmail;
                context
                    .record(Fact::PersonChanged { person, change })
                    .await?;
            }
            context.note_write();
            Ok(Ok((after, ended)))
        };
        let changed = self.commands.run(Actor::Person(by.person), decide).await?;
        let (person, ended) = changed?;
        for hash in &ended {
            self.credentials.evict(hash);
        }
        Ok(person)
    }
}

/// Ends what others may have begun by the old address, which can be taken back for a while. Of several changes it is the first address that
/// can: who changed it once could otherwise change it twice and so keep its owner out.
async fn changed(
    context: &mut Context,
    by: &SignedIn,
    (before, after): (&Person, &Person),
    disconnects_apps: bool,
) -> Result<Ended, Error> {
    let open = context.tx.find_email_change_of(by.person, context.now);
    match open.await? {
        Some(open) if email::normalised(&open.email) == email::normalised(&after.email) => {
            context.tx.delete_email_changes_of(by.person).await?;
        }
        Some(_) => {}
        None => {
            let change = EmailChange {
                id: context.new_id(),
                person_id: by.person,
                email: before.email.clone(),
                changed_by: by.person,
                changed_at: context.now,
                expires_at: context.now.plus_seconds(TAKE_BACK_SECONDS),
            };
            context.tx.insert_email_change(&change).await?;
        }
    }
    codes::notice(context, &before.email).await?;
    let mut ended = power::end_sessions(context, by.person, Some(by.session)).await?;
    if disconnects_apps {
        ended.extend(power::disconnect_apps(context, by.person, None).await?);
    }
    Ok(ended)
}
