//! Accounts, for their owners and for administrators.

mod operated;

use domain::{
    account::{self, Account},
    audit::Actor,
    email::Email,
    fact::Fact,
    ids::{AccountId, PersonId},
    person::{Person, Role},
    plan::{Plan, Plans, Quotas},
    violation::Violations,
    zone::Zone,
};

use super::{Commands, Context, Error, Principal, catalogue::saturated, events::MAX_COUNTED};

pub(super) use operated::owned_by;
pub use operated::{AccountView, CalledOff};

/// An account and the use of its quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountOverview {
    /// The account.
    pub account: Account,
    /// Events that are neither cancelled nor ended, including drafts.
    pub active_events: i32,
    /// The quota; `None` if there is no limit.
    pub active_events_limit: Option<i32>,
    /// Mails of the current day that count against the daily quota.
    pub daily_mails: i32,
    /// The daily quota; `None` if there is no limit.
    pub daily_mails_limit: Option<i32>,
}

impl AccountOverview {
    /// How many more events may become active; `None` if there is no limit.
    pub fn active_events_left(&self) -> Option<i32> {
        left(self.active_events_limit, self.active_events)
    }

    /// How many more of the daily mails are left today; `None` if there is no limit.
    pub fn daily_mails_left(&self) -> Option<i32> {
        left(self.daily_mails_limit, self.daily_mails)
    }
}

/// Adds an account with its first owner: the person with its address, who is new and has this name if nobody knows them.
///
/// # Errors
/// [`Error::Conflict`] if they own an account.
pub(crate) async fn add_account(
    context: &mut Context,
    account: &Account,
    owner_name: &str,
) -> Result<PersonId, Error> {
    let person = Person {
        // As those have whose accounts are older than people.
        id: PersonId::new(account.id.uuid()),
        email: account.email.clone(),
        name: owner_name.to_owned(),
        created_at: account.created_at,
    };
    context.tx.insert_person(&person).await?;
    let owner = context.tx.lock_person_by_email(&account.email).await?;
    let owner = owner.ok_or(Error::NotFound { what: "person" })?.id;
    let existing = context.tx.find_account_by_email(&account.email).await?;
    if existing.is_some() {
        let email = &account.email;
        return Err(Error::Conflict(format!(
            "there is already an account with the address {email}"
        )));
    }
    context.tx.insert_account(account).await?;
    let since = account.created_at;
    context
        .tx
        .put_membership(account.id, owner, Role::Owner, since)
        .await?;
    context.record(Fact::AccountCreated { account }).await?;
    Ok(owner)
}

/// After a change to a smaller plan there may be more than the quota.
fn left(limit: Option<i32>, used: i32) -> Option<i32> {
    limit.map(|limit| limit.saturating_sub(used).max(0))
}

/// A request to create an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The owner's email address.
    pub email: String,
    /// The owner's name.
    pub name: String,
    /// The plan.
    pub plan: Plan,
    /// IANA time zone of new events that name none.
    pub timezone: Option<String>,
}

/// Use cases about accounts.
#[derive(Debug, Clone)]
pub struct Accounts {
    pub(super) commands: Commands,
    plans: Plans,
}

impl Accounts {
    /// Accounts with these quotas.
    pub const fn new(commands: Commands, plans: Plans) -> Self {
        Self { commands, plans }
    }

    /// The caller's account.
    pub async fn get(&self, caller: &Principal) -> Result<AccountOverview, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let account = store.find_account(caller.account).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        // As far as a list counts, and far enough to say how many are left.
        let quota = self
            .plans
            .active_events
            .of(account.plan)
            .map_or(0, i64::from);
        let max = MAX_COUNTED.max(quota);
        let active = store.count_active_events(account.id, now, max).await?;
        let mails = store.find_mail_count(account.id).await?;
        let limit = |quotas: Quotas| quotas.of(account.plan).map(|limit| saturated(limit.into()));
        Ok(AccountOverview {
            active_events: saturated(active),
            active_events_limit: limit(self.plans.active_events),
            daily_mails: mails.map_or(0, |mails| mails.today(now).mails),
            daily_mails_limit: limit(self.plans.daily_mails),
            account,
        })
    }

    /// Creates an account, for an administrator.
    pub async fn create(&self, new: NewAccount) -> Result<Account, Error> {
        let mut violations = Violations::default();
        let email = violations.check("email", new.email.parse::<Email>());
        account::check_name("name", &new.name, &mut violations);
        let zone = new.timezone.as_deref().map(Zone::find).transpose();
        let zone = violations.check("timezone", zone);
        let (email, zone) = violations
            .unless_any(email.zip(zone))
            .map_err(Error::Invalid)?;

        let decide = async |context: &mut Context| {
            let account = Account {
                id: AccountId::new(context.new_id()),
                email: email.to_string(),
                name: new.name,
                plan: new.plan,
                timezone: zone.map(|zone| zone.name().to_owned()),
                is_suspended: false,
                is_trusted: true,
                handle: None,
                about: None,
                website: None,
                created_at: context.now,
            };
            add_account(context, &account, &account.name).await?;
            Ok(account)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Changes an account's plan, for an administrator. Events beyond a smaller quota stay as they are.
    pub async fn set_plan(&self, id: AccountId, plan: Plan) -> Result<Account, Error> {
        let decide = async |context: &mut Context| {
            let before = context.tx.lock_account(id).await?;
            let before = before.ok_or(Error::NotFound { what: "account" })?;
            if before.plan != plan {
                context.tx.set_plan(id, plan).await?;
                let fact = Fact::PlanSet {
                    account: id,
                    before: before.plan,
                    after: plan,
                };
                context.record(fact).await?;
            }
            Ok(Account { plan, ..before })
        };
        self.commands.run(Actor::Admin, decide).await
    }
}

/// The name of a time zone that a browser says, if it is known here: browsers have other versions of the database.
pub(super) fn known_zone(name: &str) -> Option<String> {
    Some(Zone::find(name).ok()?.name().to_owned())
}
