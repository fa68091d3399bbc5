//! Signing in and signing up.

use std::{net::IpAddr, sync::Arc};

use domain::{
    account::Account,
    audit::Actor,
    budget::{BrowserHash, Budget},
    fact::{Fact, KnownAs, PersonChange},
    ids::{AccountId, PersonId, SessionId},
    instant::Instant,
    person::Person,
    plan::Plan,
    private_link::LinkToken,
    session::{MAX_SECONDS, MAX_SESSIONS, Session, SessionToken},
    sign_in_code::{Holder, Purpose},
};
use server::networks;
use sha2::{Digest as _, Sha256};

use super::{
    Commands, Context, Error, LimitSettings, accounts,
    codes::{self, AskedBy},
    limits::Limiters,
};

/// For how long a link of an operator is valid.
const LINK_SECONDS: i64 = 15 * 60;

const NO_LINK: Error = Error::NotFound {
    what: "link to sign in",
};

/// Who may sign up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignUp {
    /// Whether everyone may; otherwise only known people and those who are invited get codes.
    pub is_open: bool,
    /// The plan of the accounts of people who sign up.
    pub plan: Plan,
}

impl Default for SignUp {
    fn default() -> Self {
        Self {
            is_open: true,
            plan: Plan::Free,
        }
    }
}

/// A browser that signs in.
#[derive(Debug, Clone)]
pub struct Browser {
    pub(super) hash: BrowserHash,
    /// The client's address, which is not always known.
    pub(super) client: Option<IpAddr>,
    /// What the person recognizes it by.
    device: String,
    /// The time zone of its clock, if it says a known one.
    timezone: Option<String>,
}

impl Browser {
    /// The browser with this secret.
    pub fn new(secret: &str, client: Option<IpAddr>, device: &str) -> Self {
        Self {
            hash: Sha256::digest(secret).into(),
            client,
            device: device.to_owned(),
            timezone: None,
        }
    }

    /// The same browser, whose clock has this time zone.
    #[must_use]
    pub fn in_timezone(self, name: &str) -> Self {
        Self {
            timezone: accounts::known_zone(name),
            ..self
        }
    }
}

/// A new session.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its token, which is not stored and shown only once.
    pub token: SessionToken,
    /// The stored session.
    pub session: Session,
    /// Whether nobody knew the person before.
    pub is_new_person: bool,
}

/// Use cases of people who are not signed in.
#[derive(Debug, Clone)]
pub struct SignIn {
    commands: Commands,
    limiters: Arc<Limiters>,
    sign_up: SignUp,
}

impl SignIn {
    pub(super) const fn new(commands: Commands, limiters: Arc<Limiters>, sign_up: SignUp) -> Self {
        Self {
            commands,
            limiters,
            sign_up,
        }
    }

    /// The same for administrators, who make links.
    pub fn for_operators(commands: Commands) -> Self {
        let limiters = Arc::new(Limiters::new(LimitSettings::OFF, commands.clock()));
        Self::new(commands, limiters, SignUp::default())
    }

    /// Who may sign up.
    pub const fn sign_up(&self) -> SignUp {
        self.sign_up
    }

    /// Makes a code for an address and its mail. It does the same for every address: whether the mail is sent is decided when
    /// it is due, so that neither the answer nor its time tells who is known.
    pub async fn start(&self, address: &str, browser: &Browser) -> Result<(), Error> {
        self.limiters.count_address(browser.client)?;
        let decide = async |context: &mut Context| {
            let asker = codes::asker(context, &browser.hash, address, browser.client).await?;
            codes::spend_all(context, &Budget::sign_in_mails(address, &asker)).await?;
            let holder = Holder::browser(browser.hash);
            let by = AskedBy::of(&asker);
            codes::mail_again(context, Purpose::SignIn, holder, address, by).await
        };
        self.commands.run(Actor::System, decide).await
    }

    /// Signs in with a code.
    pub async fn finish(&self, typed: &str, browser: &Browser) -> Result<NewSession, Error> {
        self.limiters.count_address(browser.client)?;
        let decide = async |context: &mut Context| {
            let holder = Holder::browser(browser.hash);
            let client = browser.client;
            let checked = codes::check_from(context, Purpose::SignIn, holder, typed, client);
            let checked = checked.await?;
            let code = match checked.right() {
                Ok(code) => code,
                // The try was written and has to be committed.
                Err(refusal) => return Ok(Err(refusal)),
            };
            let (person, is_new) = self.person(context, &code.email, browser).await?;
            Ok(Ok(open(context, person, browser, is_new).await?))
        };
        self.commands.run(Actor::System, decide).await?
    }

    /// Signs in with a link of an operator, once.
    pub async fn use_link(&self, token: &str, browser: &Browser) -> Result<NewSession, Error> {
        self.limiters.count_address(browser.client)?;
        let token = LinkToken::parse(token).ok_or(NO_LINK)?;
        let decide = async |context: &mut Context| {
            let person = context
                .tx
                .use_sign_in_link(&token.hash(), context.now)
                .await?;
            open(context, person.ok_or(NO_LINK)?, browser, false).await
        };
        self.commands.run(Actor::System, decide).await
    }

    /// Makes a link with which the person with this address signs in, for an administrator.
    pub async fn new_link(&self, address: &str) -> Result<LinkToken, Error> {
        let token = LinkToken::generate(self.commands.entropy());
        let decide = async |context: &mut Context| {
            let person = context.tx.find_person_by_email(address).await?;
            let person = person.ok_or(Error::NotFound { what: "person" })?;
            let until = context.now.plus_seconds(LINK_SECONDS);
            context
                .tx
                .insert_sign_in_link(&token.hash(), person.id, until)
                .await?;
            context.note_write();
            Ok(token)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// The person with this address, and whether they are new. A new one has an account of their own, unless someone invited them.
    async fn person(
        &self,
        context: &mut Context,
        address: &str,
        browser: &Browser,
    ) -> Result<(PersonId, bool), Error> {
        if let Some(person) = context.tx.lock_person_by_email(address).await? {
            return Ok((person.id, false));
        }
        if context
            .tx
            .find_email_change(address, context.now)
            .await?
            .is_some()
        {
            let text = "the address with which this person signs in was changed: take it back at /sign-in/take-back, or sign in with the new one";
            return Err(Error::Conflict(text.to_owned()));
        }
        let is_invited = context.tx.is_invited(address, context.now).await?;
        if is_invited || !self.sign_up.is_open {
            let person = Person::new(PersonId::new(context.new_id()), address, context.now);
            context.tx.insert_person(&person).await?;
            let person = context.tx.lock_person_by_email(address).await?;
            let person = person.ok_or(Error::NotFound { what: "person" })?;
            return Ok((person.id, true));
        }
        let account = Account {
            id: AccountId::new(context.new_id()),
            email: address.to_owned(),
            name: Person::first_name(address).to_owned(),
            plan: self.sign_up.plan,
            timezone: browser.timezone.clone(),
            is_suspended: false,
            is_trusted: false,
            handle: None,
            about: None,
            website: None,
            created_at: context.now,
        };
        let owner = accounts::add_account(context, &account, &account.name).await?;
        Ok((owner, true))
    }
}

/// Whether a code is sent to an address at all.
pub(crate) async fn may_sign_in(
    store: &storage::Store,
    sign_up: SignUp,
    address: &str,
    now: Instant,
) -> Result<bool, storage::Error> {
    Ok(sign_up.is_open
        || store.find_person_by_email(address).await?.is_some()
        || store.is_invited(address, now).await?)
}

/// A new session of a person, whose browser is known from now on.
pub(super) async fn open(
    context: &mut Context,
    person: PersonId,
    browser: &Browser,
    is_new_person: bool,
) -> Result<NewSession, Error> {
    let known_as = known_as(context, person, &browser.hash).await?;
    let token = SessionToken::generate(context.entropy());
    let session = Session {
        id: SessionId::new(context.new_id()),
        person_id: person,
        hash: token.hash(),
        account_id: context.tx.first_account_of(person).await?,
        device: browser.device.clone(),
        network: browser.client.map_or_else(String::new, networks::coarse),
        created_at: context.now,
        last_used_at: context.now,
        stepped_up_at: context.now,
        expires_at: context.now.plus_seconds(MAX_SECONDS),
    };
    context.tx.insert_session(&session).await?;
    context.tx.delete_sessions_of(person, MAX_SESSIONS).await?;
    context
        .tx
        .put_known_browser(&browser.hash, person, context.now)
        .await?;
    let change = PersonChange::SignedIn {
        session: &session,
        browser: known_as,
    };
    context
        .record_by(
            Actor::Person(person),
            Fact::PersonChanged { person, change },
        )
        .await?;
    Ok(NewSession {
        token,
        session,
        is_new_person,
    })
}

/// What a browser is to a person who signs in with it.
async fn known_as(
    context: &mut Context,
    person: PersonId,
    browser: &BrowserHash,
) -> Result<KnownAs, Error> {
    if context.tx.note_first_sign_in(person, context.now).await? {
        return Ok(KnownAs::First);
    }
    let is_known = context.tx.knows_browser_of(browser, person).await?;
    Ok(if is_known {
        KnownAs::Known
    } else {
        KnownAs::New
    })
}
