//! Accounts.

use sqlx::Row as _;

use super::{Connection, Db, Row, ids::ids};
use crate::{
    domain::{
        account::Account,
        email,
        ids::{AccountId, EventId},
        instant::Instant,
        mail_quota::MailCount,
        plan::Plan,
    },
    storage::{Error, values},
};

/// The names have a prefix, since look-ups of keys join both tables. The first owner is the one who has been it for longest.
macro_rules! account_columns {
    () => {
        "a.id AS account_id, COALESCE((SELECT p.email FROM memberships m JOIN people p ON p.id = m.person_id \
         WHERE m.account_id = a.id AND m.role = 'owner' ORDER BY m.created_at, m.person_id LIMIT 1), '') AS account_email, a.name AS account_name, a.plan AS account_plan, \
         a.timezone AS account_timezone, a.created_at AS account_created_at, \
         a.suspended_at IS NOT NULL AS account_is_suspended"
    };
}
pub(super) use account_columns;

/// The address is the owner's. Both columns for it say nothing: SQLite cannot drop a unique one.
pub(in crate::storage) async fn insert_account(
    connection: &mut Connection,
    account: &Account,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO accounts (id, email, email_norm, name, plan, timezone, created_at) VALUES ($1, '', $2, $3, $4, $5, $6)",
    )
    .bind(account.id.uuid())
    .bind(account.id.uuid().simple().to_string())
    .bind(&account.name)
    .bind(account.plan.name())
    .bind(&account.timezone)
    .bind(account.created_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn has_accounts(connection: &mut Connection) -> Result<bool, Error> {
    let row = sqlx::query::<Db>("SELECT EXISTS (SELECT 1 FROM accounts) AS found")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get("found")?)
}

pub(in crate::storage) async fn set_plan(
    connection: &mut Connection,
    account: AccountId,
    plan: Plan,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>("UPDATE accounts SET plan = $2 WHERE id = $1")
        .bind(account.uuid())
        .bind(plan.name())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// It reads all events, which a rare command may: an index would serve nothing else.
pub(in crate::storage) async fn list_events_with_contact(
    connection: &mut Connection,
    account: Option<AccountId>,
    email_norm: &str,
    limit: i64,
) -> Result<Vec<EventId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT id FROM events WHERE (organizer_name IS NOT NULL OR contact_email IS NOT NULL) \
         AND (account_id = $1 OR lower(contact_email) = $2) LIMIT $3",
    )
    .bind(account.map(AccountId::uuid))
    .bind(email_norm)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, EventId::new)
}

pub(in crate::storage) async fn lock_account(
    connection: &mut Connection,
    account: AccountId,
) -> Result<Option<Account>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL",
        for_update!()
    ))
    .bind(account.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

/// Whether the slug is taken may change at once; asked here, it costs no way to the server of its own.
pub(in crate::storage) async fn lock_account_for_slug(
    connection: &mut Connection,
    account: AccountId,
    slug: &str,
    shared: &[Plan],
) -> Result<Option<(Account, bool)>, Error> {
    let shared: Vec<&str> = shared.iter().map(|plan| plan.name()).collect();
    let found = sqlx::query::<Db>(concat!(
        "WITH alone AS (SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL AND ",
        position!(),
        "($3, ',' || a.plan || ',') = 0",
        for_update!(),
        "), shared AS (SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL AND ",
        position!(),
        "($3, ',' || a.plan || ',') > 0",
        for_share!(),
        ") SELECT locked.*, EXISTS (SELECT 1 FROM events e WHERE e.slug = $2) AS slug_is_taken \
         FROM (SELECT * FROM alone UNION ALL SELECT * FROM shared) locked"
    ))
    .bind(account.uuid())
    .bind(slug)
    .bind(format!(",{},", shared.join(",")))
    .fetch_optional(&mut *connection)
    .await?;
    match found {
        Some(row) => Ok(Some((read(&row)?, row.try_get("slug_is_taken")?))),
        // There is none, or its plan has changed while this waited.
        None => Ok(lock_account(connection, account)
            .await?
            .map(|account| (account, false))),
    }
}

pub(in crate::storage) async fn find_account(
    connection: &mut Connection,
    account: AccountId,
) -> Result<Option<Account>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL"
    ))
    .bind(account.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn find_account_by_email(
    connection: &mut Connection,
    email: &str,
) -> Result<Option<Account>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a JOIN memberships o ON o.account_id = a.id AND o.role = 'owner' \
         JOIN people e ON e.id = o.person_id WHERE e.email_norm = $1 ORDER BY o.created_at, a.id LIMIT 1"
    ))
    .bind(email::normalised(email))
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn find_mail_count(
    connection: &mut Connection,
    account: AccountId,
) -> Result<Option<MailCount>, Error> {
    sqlx::query::<Db>("SELECT mail_day, mails FROM accounts WHERE id = $1")
        .bind(account.uuid())
        .fetch_optional(connection)
        .await?
        .map(|row| {
            Ok(MailCount {
                day: row.try_get("mail_day")?,
                mails: row.try_get("mails")?,
            })
        })
        .transpose()
}

pub(in crate::storage) async fn set_mail_count(
    connection: &mut Connection,
    account: AccountId,
    count: MailCount,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>("UPDATE accounts SET mail_day = $2, mails = $3 WHERE id = $1")
        .bind(account.uuid())
        .bind(count.day)
        .bind(count.mails)
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("account")),
    }
}

/// Reads `account_columns!`.
pub(super) fn read(row: &Row) -> Result<Account, Error> {
    Ok(Account {
        id: AccountId::new(row.try_get("account_id")?),
        email: row.try_get("account_email")?,
        name: row.try_get("account_name")?,
        plan: values::named("plan", row.try_get("account_plan")?)?,
        timezone: row.try_get("account_timezone")?,
        is_suspended: row.try_get("account_is_suspended")?,
        created_at: Instant::from_micros(row.try_get("account_created_at")?),
    })
}
