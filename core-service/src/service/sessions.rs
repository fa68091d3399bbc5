//! Sessions, for the people who are signed in.

use std::sync::Arc;

use domain::{
    activity::Activity,
    audit::Actor,
    budget::Budget,
    fact::{Fact, PersonChange},
    ids::{AccountId, SessionId},
    instant::Instant,
    invitation::SentInvitation,
    person::{Membership, Person},
    session::{MAX_SESSIONS, STEP_UP_SECONDS, Session, SessionToken},
    sign_in_code::{Holder, Purpose},
};
use storage::Store;

use super::{
    Authenticator, Commands, Context, Error, SignedIn,
    codes::{self, AskedBy},
    credentials::Credentials,
    power,
};

/// How many memberships and invitations of one person are shown.
const MAX_SHOWN: i64 = 200;

/// How many entries of a person's own trail are shown.
const MAX_TRAIL: i64 = 50;

const NO_SESSION: Error = Error::NotFound { what: "session" };

/// A session, its person and their accounts.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The session.
    pub session: Session,
    /// Who is signed in.
    pub person: Person,
    /// The accounts of the person, by name.
    pub memberships: Vec<Membership>,
    /// The invitations that wait for the person, the newest first.
    pub invitations: Vec<SentInvitation>,
    /// Until when calls that need a step-up are accepted, if they are.
    pub stepped_up_until: Option<Instant>,
}

/// A session after a step-up.
#[derive(Debug, Clone)]
pub struct SteppedUp {
    /// Its new token.
    pub token: SessionToken,
    /// Until when calls that need a step-up are accepted.
    pub until: Instant,
}

/// Use cases of people who are signed in, about their sessions.
#[derive(Debug, Clone)]
pub struct Sessions {
    commands: Commands,
    credentials: Arc<Credentials>,
}

impl Sessions {
    /// Sessions. Ended ones are evicted from the cache of `authenticator`.
    pub fn new(commands: Commands, authenticator: &Authenticator) -> Self {
        Self {
            commands,
            credentials: authenticator.credentials(),
        }
    }

    fn store(&self) -> &Store {
        self.commands.store()
    }

    /// The caller's session.
    pub async fn get(&self, caller: &SignedIn) -> Result<SessionView, Error> {
        let now = self.commands.now();
        let session = self.store().find_session(caller.session).await?;
        let session = session.ok_or(Error::Unauthorized)?;
        let person = self.store().find_person(caller.person).await?;
        let person = person.ok_or(Error::Unauthorized)?;
        let memberships = self
            .store()
            .list_memberships_of(caller.person, MAX_SHOWN)
            .await?;
        let invitations = self
            .store()
            .list_invitations_to(&person.email, now, MAX_SHOWN)
            .await?;
        let until = session.stepped_up_until();
        Ok(SessionView {
            session,
            person,
            memberships,
            invitations,
            stepped_up_until: (now < until).then_some(until),
        })
    }

    /// The person's sessions, the last used first.
    pub async fn list(&self, caller: &SignedIn) -> Result<Vec<Session>, Error> {
        let now = self.commands.now();
        let listed = self.store().list_sessions(caller.person, now, MAX_SESSIONS);
        Ok(listed.await?)
    }

    /// What happened to the person themselves, the latest first.
    pub async fn trail(&self, caller: &SignedIn) -> Result<Vec<Activity>, Error> {
        let listed = self
            .store()
            .list_activity_of_person(caller.person, MAX_TRAIL);
        Ok(listed.await?)
    }

    /// Makes the session about another account of the person; returns its new token.
    pub async fn switch(
        &self,
        caller: &SignedIn,
        account: AccountId,
    ) -> Result<SessionToken, Error> {
        let decide = async |context: &mut Context| {
            let rights = context.tx.find_rights(account, caller.person).await?;
            rights.ok_or(Error::NotFound { what: "account" })?;
            context
                .tx
                .set_account_of_session(caller.session, account)
                .await?;
            renew(context, caller).await
        };
        let by = Actor::Person(caller.person);
        let token = self.commands.run(by, decide).await?;
        self.credentials.evict(&caller.hash);
        Ok(token)
    }

    /// Ends one of the person's sessions: at once here, within [`super::credentials::TRUST_SECONDS`] on other cores.
    pub async fn end(&self, caller: &SignedIn, session: SessionId) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let found = context.tx.find_session(session).await?;
            let found = found.filter(|found| found.person_id == caller.person);
            let found = found.ok_or(NO_SESSION)?;
            context.tx.delete_session(caller.person, session).await?;
            power::note_ended(context, caller.person, 1, Some(&found.device)).await?;
            Ok(found.hash)
        };
        let by = Actor::Person(caller.person);
        let hash = self.commands.run(by, decide).await?;
        self.credentials.evict(&hash);
        Ok(())
    }

    /// Ends all sessions of the person, and their apps, if those are to be disconnected; returns the number of sessions.
    pub async fn end_all(&self, caller: &SignedIn, disconnects_apps: bool) -> Result<u64, Error> {
        let person = caller.person;
        let decide = async |context: &mut Context| {
            let mut ended = power::end_sessions(context, person, None).await?;
            let sessions = ended.len() as u64;
            if disconnects_apps {
                ended.extend(power::disconnect_apps(context, person, None).await?);
            }
            Ok((sessions, ended))
        };
        let (sessions, ended) = self.commands.run(Actor::Person(person), decide).await?;
        for hash in &ended {
            self.credentials.evict(hash);
        }
        Ok(sessions)
    }

    /// Mails a code for a step-up; returns the address that it goes to.
    pub async fn start_step_up(&self, caller: &SignedIn) -> Result<String, Error> {
        let decide = async |context: &mut Context| {
            let person = context.tx.find_person(caller.person).await?;
            let email = person.ok_or(Error::Unauthorized)?.email;
            codes::spend(context, &Budget::step_up_mails(&email)).await?;
            let holder = Holder::session(caller.session);
            codes::mail(context, Purpose::StepUp, holder, &email, AskedBy::Owner).await?;
            Ok(email)
        };
        self.commands
            .run(Actor::Person(caller.person), decide)
            .await
    }

    /// Ends a step-up: the session has a new token.
    pub async fn finish_step_up(&self, caller: &SignedIn, typed: &str) -> Result<SteppedUp, Error> {
        let decide = async |context: &mut Context| {
            let holder = Holder::session(caller.session);
            let checked = codes::check(context, Purpose::StepUp, holder, typed).await?;
            if let Err(refusal) = checked.right() {
                return Ok(Err(refusal));
            }
            context
                .tx
                .step_up_session(caller.session, context.now)
                .await?;
            let person = caller.person;
            let change = PersonChange::SteppedUp;
            context
                .record(Fact::PersonChanged { person, change })
                .await?;
            Ok(Ok(SteppedUp {
                until: context.now.plus_seconds(STEP_UP_SECONDS),
                token: renew(context, caller).await?,
            }))
        };
        let by = Actor::Person(caller.person);
        let stepped_up = self.commands.run(by, decide).await??;
        self.credentials.evict(&caller.hash);
        Ok(stepped_up)
    }
}

/// Gives the caller's session a new token, in the transaction that changes what the session is worth. No core knows the new one, so
/// each looks the session up again, and what others remember by the old one does not count.
///
/// # Errors
/// [`Error::Unauthorized`] if the caller's token is not the session's any more: of two calls at the same time one gets a token.
pub(super) async fn renew(context: &mut Context, caller: &SignedIn) -> Result<SessionToken, Error> {
    let token = SessionToken::generate(context.entropy());
    let is_renewed = context
        .tx
        .replace_session_hash(caller.session, &caller.hash, &token.hash())
        .await?;
    context.note_write();
    is_renewed.then_some(token).ok_or(Error::Unauthorized)
}
