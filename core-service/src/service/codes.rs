//! Codes by mail: making one, and checking what was typed.

use std::{net::IpAddr, time::Duration};

use domain::{
    audit::Actor,
    budget::{Asker, BrowserHash, Budget, Cause},
    email,
    fact::{Fact, PersonChange},
    ids::CodeId,
    sign_in_code::{Code, Digits, Holder, Purpose, TRIES, VALID_SECONDS},
    violation::FieldViolation,
};

use super::{Context, Error, mailboxes};

/// For how long a notice is worth sending.
const NOTICE_SECONDS: i64 = 86_400;

/// What became of a typed code. Both are committed, so that each try counts.
#[derive(Debug)]
pub(super) enum Checked {
    /// It is the one that was mailed. It is used up.
    Right(Code),
    /// It is another one, and may be typed again so many times.
    Wrong(i32),
}

impl Checked {
    /// The code.
    ///
    /// # Errors
    /// When another one was typed.
    pub(super) fn right(self) -> Result<Code, Error> {
        match self {
            Self::Right(code) => Ok(code),
            Self::Wrong(0) => Err(no_code()),
            Self::Wrong(left) => Err(wrong(&format!(
                "is not the one in the email; you can try {left} more times"
            ))),
        }
    }
}

/// Takes one of what each of several budgets allows.
///
/// # Errors
/// When one is used up.
pub(super) async fn spend_all(context: &mut Context, budgets: &[Budget]) -> Result<(), Error> {
    for budget in budgets {
        spend(context, budget).await?;
    }
    Ok(())
}

/// Takes one of what a budget allows.
///
/// # Errors
/// When it is used up.
pub(super) async fn spend(context: &mut Context, budget: &Budget) -> Result<(), Error> {
    let (used, resets_at) = context.tx.use_budget(budget, context.now).await?;
    context.note_write();
    if used <= budget.limit() {
        return Ok(());
    }
    let micros = resets_at.micros().saturating_sub(context.now.micros());
    Err(Error::RateLimited {
        wait: Duration::from_micros(u64::try_from(micros).unwrap_or(0)),
        allowance: None,
    })
}

/// Who asks for a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedBy {
    /// The owner of the mailbox, as far as that is sure: the budget of the mailbox, which strangers can use up, does not apply.
    Owner,
    /// Anyone.
    Anyone,
    /// Someone who is signed in, for an address that may be a stranger's.
    Member,
}

impl AskedBy {
    /// A known browser is its owner's.
    pub(super) const fn of(asker: &Asker) -> Self {
        match asker {
            Asker::Known(_) => Self::Owner,
            Asker::Network(_) => Self::Anyone,
        }
    }

    /// Takes one mail from the budget of the mailbox.
    async fn spend(self, context: &mut Context, address: &str) -> Result<(), Error> {
        match self {
            Self::Owner => Ok(mailboxes::count(context, Cause::Recipient, address).await?),
            Self::Anyone => mailboxes::spend(context, Cause::Recipient, address).await,
            Self::Member => mailboxes::spend(context, Cause::Organizer, address).await,
        }
    }
}

/// Mails a holder's code for an address again, if it may still be tried, and a new one otherwise. The tries of before count, and it is
/// valid as long as a new one.
pub(super) async fn mail_again(
    context: &mut Context,
    purpose: Purpose,
    holder: Holder,
    address: &str,
    by: AskedBy,
) -> Result<(), Error> {
    let found = context
        .tx
        .find_code_of(purpose, &holder, context.now)
        .await?;
    let same = email::normalised(address);
    let Some(found) = found.filter(|one| email::normalised(&one.email) == same) else {
        return mail(context, purpose, holder, address, by).await;
    };
    by.spend(context, address).await?;
    // Mail programs show a mail with a known identifier once.
    let code = Code {
        id: CodeId::new(context.new_id()),
        email: address.to_owned(),
        expires_at: context.now.plus_seconds(VALID_SECONDS),
        ..found
    };
    context.tx.put_code(&code).await?;
    context.record(Fact::CodeMade { code: code.id }).await?;
    // Someone waits for it.
    context.wake_runner();
    Ok(())
}

/// Makes a code and its mail, in place of an earlier one of the same holder.
///
/// # Errors
/// [`Error::RateLimited`] when the mailbox gets no more mails.
pub(super) async fn mail(
    context: &mut Context,
    purpose: Purpose,
    holder: Holder,
    address: &str,
    by: AskedBy,
) -> Result<(), Error> {
    by.spend(context, address).await?;
    let code = Code {
        id: CodeId::new(context.new_id()),
        purpose,
        holder,
        email: address.to_owned(),
        digits: Digits::generate(context.entropy()),
        tries: 0,
        expires_at: context.now.plus_seconds(VALID_SECONDS),
    };
    context.tx.put_code(&code).await?;
    context.record(Fact::CodeMade { code: code.id }).await?;
    // Someone waits for it.
    context.wake_runner();
    Ok(())
}

/// Makes the mail which tells an address that its owner has changed to another one. It may be sent for a day.
pub(super) async fn notice(context: &mut Context, address: &str) -> Result<(), Error> {
    let id = CodeId::new(context.new_id());
    let code = Code {
        id,
        purpose: Purpose::EmailChanged,
        holder: Holder::nobody(id),
        email: address.to_owned(),
        digits: Digits::generate(context.entropy()),
        tries: TRIES,
        expires_at: context.now.plus_seconds(NOTICE_SECONDS),
    };
    context.tx.put_code(&code).await?;
    context.record(Fact::CodeMade { code: id }).await?;
    context.wake_runner();
    Ok(())
}

/// Checks a typed code. Each try takes from the code's and the address's budget; a right one gives back what it took.
///
/// # Errors
/// [`Error::Conflict`] if there is nothing to try, [`Error::RateLimited`] if too many were wrong for the address.
pub(super) async fn check(
    context: &mut Context,
    purpose: Purpose,
    holder: Holder,
    typed: &str,
) -> Result<Checked, Error> {
    check_from(context, purpose, holder, typed, None).await
}

/// The same for a browser at this address, which is not always known.
///
/// # Errors
/// As [`check`].
pub(super) async fn check_from(
    context: &mut Context,
    purpose: Purpose,
    holder: Holder,
    typed: &str,
    client: Option<IpAddr>,
) -> Result<Checked, Error> {
    let Some(typed) = Digits::typed(typed) else {
        return Err(wrong("must be the 8 digits in the email"));
    };
    let code = context.tx.try_code(purpose, &holder, context.now).await?;
    let code = code.ok_or_else(no_code)?;
    let asker = match purpose {
        Purpose::SignIn | Purpose::TakeBack => {
            asker(context, holder.bytes(), &code.email, client).await?
        }
        // Whoever is signed in has the session alone.
        Purpose::StepUp | Purpose::EmailChange | Purpose::EmailChanged | Purpose::Contact => {
            Asker::Known(*holder.bytes())
        }
    };
    let budgets = Budget::wrong_codes(&code.email, &asker);
    spend_all(context, &budgets).await?;
    if !code.digits.matches(&typed) {
        note_wrong(context, purpose, &code.email).await?;
        return Ok(Checked::Wrong(TRIES - code.tries));
    }
    for budget in &budgets {
        context.tx.give_back(budget).await?;
    }
    context.tx.delete_code(code.id).await?;
    Ok(Checked::Right(code))
}

/// Records a wrong code for the person with the address, so that they see when someone tries. A new address is nobody's yet.
async fn note_wrong(context: &mut Context, purpose: Purpose, address: &str) -> Result<(), Error> {
    if !matches!(purpose, Purpose::SignIn | Purpose::StepUp) {
        return Ok(());
    }
    if let Some(person) = context.tx.find_person_by_email(address).await? {
        let fact = Fact::PersonChanged {
            person: person.id,
            change: PersonChange::WrongCode,
        };
        // Perhaps it was a stranger.
        context.record_by(Actor::System, fact).await?;
    }
    Ok(())
}

/// Whose budgets a browser has: its own, if someone signed in by this address in it before.
pub(super) async fn asker(
    context: &mut Context,
    browser: &BrowserHash,
    address: &str,
    client: Option<IpAddr>,
) -> Result<Asker, Error> {
    let address = email::normalised(address);
    let is_known = context.tx.knows_browser(browser, &address).await?;
    Ok(if is_known {
        Asker::Known(*browser)
    } else {
        Asker::at(client)
    })
}

fn wrong(message: &str) -> Error {
    Error::Invalid(vec![FieldViolation {
        field: "code".to_owned(),
        message: message.to_owned(),
    }])
}

fn no_code() -> Error {
    Error::Conflict("this code is no longer valid: ask for a new one".to_owned())
}
