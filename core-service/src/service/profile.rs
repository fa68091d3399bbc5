//! A person's name and address.

use domain::{
    account,
    audit::Actor,
    budget::Budget,
    email,
    person::Person,
    sign_in_code::{Holder, Purpose},
    violation::Violations,
};

use super::{
    Commands, Context, Error, SignedIn,
    codes::{self, AskedBy},
};

/// Use cases of people about themselves.
#[derive(Debug, Clone)]
pub struct Profile {
    commands: Commands,
}

impl Profile {
    /// People's own names and addresses.
    pub const fn new(commands: Commands) -> Self {
        Self { commands }
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

    /// Mails a code to a new address.
    pub async fn start_email_change(&self, by: &SignedIn, address: &str) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            codes::spend(context, &Budget::email_change_mails(address)).await?;
            let holder = Holder::session(by.session);
            codes::mail(
                context,
                Purpose::EmailChange,
                holder,
                address,
                AskedBy::Anybody,
            )
            .await
        };
        self.commands.run(Actor::Person(by.person), decide).await
    }

    /// Changes the address to the one to which the code went, and mails a notice to the one before.
    pub async fn finish_email_change(&self, by: &SignedIn, typed: &str) -> Result<Person, Error> {
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
                let text = "somebody else signs in with this address";
                return Err(Error::Conflict(text.to_owned()));
            }
            let before = context.tx.find_person(by.person).await?;
            let before = before.ok_or(Error::Unauthorized)?;
            let after = Person {
                email: code.email,
                ..before.clone()
            };
            context.tx.update_person(&after).await?;
            if email::normalised(&before.email) != email::normalised(&after.email) {
                codes::notice(context, &before.email).await?;
            }
            context.note_write();
            Ok(Ok(after))
        };
        self.commands.run(Actor::Person(by.person), decide).await?
    }
}
