//! Taking back an address that was changed: whoever reads the mail of the old one is the person again.

use std::sync::Arc;

use domain::{
    audit::Actor,
    budget::Budget,
    email_change::EmailChange,
    fact::{Fact, PersonChange},
    person::Person,
    sign_in_code::{Holder, Purpose},
};

use super::{
    Authenticator, Browser, Commands, Context, Error, NewSession,
    codes::{self, AskedBy},
    credentials::Credentials,
    limits::Limiters,
    members::end_invitations_since,
    power, sign_in,
};

/// Use cases of people whose address was changed without them.
#[derive(Debug, Clone)]
pub struct TakeBack {
    commands: Commands,
    credentials: Arc<Credentials>,
    limiters: Arc<Limiters>,
}

impl TakeBack {
    pub(super) fn new(
        commands: Commands,
        authenticator: &Authenticator,
        limiters: Arc<Limiters>,
    ) -> Self {
        Self {
            commands,
            credentials: authenticator.credentials(),
            limiters,
        }
    }

    /// Mails a code to an address that was changed. The answer is the same for every address: whether the mail is sent is decided when it
    /// is due.
    pub async fn start(&self, address: &str, browser: &Browser) -> Result<(), Error> {
        self.limiters.count_address(browser.client)?;
        let decide = async |context: &mut Context| {
            let asker = codes::asker(context, &browser.hash, address, browser.client).await?;
            codes::spend_all(context, &Budget::sign_in_mails(address, &asker)).await?;
            let holder = Holder::browser(browser.hash);
            codes::mail(
                context,
                Purpose::TakeBack,
                holder,
                address,
                AskedBy::of(&asker),
            )
            .await
        };
        self.commands.run(Actor::System, decide).await
    }

    /// Takes the address back with the code, and signs in. All sessions end, and the apps and keys that were made since the change.
    pub async fn finish(&self, typed: &str, browser: &Browser) -> Result<NewSession, Error> {
        self.limiters.count_address(browser.client)?;
        let decide = async |context: &mut Context| {
            let holder = Holder::browser(browser.hash);
            let client = browser.client;
            let checked = codes::check_from(context, Purpose::TakeBack, holder, typed, client);
            let checked = checked.await?;
            let code = match checked.right() {
                Ok(code) => code,
                // The try was written and has to be committed.
                Err(refusal) => return Ok(Err(refusal)),
            };
            let change = context
                .tx
                .find_email_change(&code.email, context.now)
                .await?;
            let change = change.ok_or_else(over)?;
            let ended = take_back(context, &change).await?;
            let person = change.person_id;
            let session = sign_in::open(context, person, browser, false).await?;
            Ok(Ok((session, ended)))
        };
        let (session, ended) = self.commands.run(Actor::System, decide).await??;
        for hash in &ended {
            self.credentials.evict(hash);
        }
        Ok(session)
    }
}

async fn take_back(context: &mut Context, change: &EmailChange) -> Result<power::Ended, Error> {
    if !change.can_be_taken_back() {
        let text = "an owner of the account changed this address: ask them, or the operator";
        return Err(Error::Conflict(text.to_owned()));
    }
    let taken = context.tx.find_person_by_email(&change.email).await?;
    if taken.is_some() {
        let text = "someone else signs in with this address by now";
        return Err(Error::Conflict(text.to_owned()));
    }
    let (person, since) = (change.person_id, change.changed_at);
    let before = context.tx.find_person(person).await?.ok_or_else(over)?;
    let after = Person {
        email: change.email.clone(),
        ..before.clone()
    };
    context.tx.update_person(&after).await?;
    context.tx.delete_email_changes_of(person).await?;
    let mut ended = power::end_sessions(context, person, None).await?;
    context.tx.delete_browsers_since(person, since).await?;
    ended.extend(power::disconnect_apps(context, person, Some(since)).await?);
    ended.extend(power::revoke_keys_since(context, person, since).await?);
    end_invitations_since(context, person, since).await?;
    codes::notice(context, &before.email).await?;
    let fact = Fact::PersonChanged {
        person,
        change: PersonChange::TookBackEmail,
    };
    context.record_by(Actor::Person(person), fact).await?;
    Ok(ended)
}

fn over() -> Error {
    Error::Conflict("this address can no longer be taken back".to_owned())
}
