//! What facts say of the change: what became of an account, an event, a person and so on.

use crate::{
    ids::{EventId, KeyId},
    names::names,
    person::Position,
    session::Session,
};

/// What became of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookChange {
    /// It was created.
    Created {
        /// Whether the owners get a mail about it: it has a URL, or a member who is no owner, a key or an app created it.
        is_announced: bool,
    },
    /// It changed.
    Updated {
        /// Whether the owners get a mail about it: it posts elsewhere or says more than before, or none of them enabled it after it was
        /// disabled. What is only pulled goes nowhere by itself, so an owner may change that.
        is_announced: bool,
    },
    /// It has a new secret.
    SecretRotated,
    /// It was deleted.
    Deleted,
    /// So many of its messages are sent again.
    Replayed(i32),
    /// Nothing got through for a day.
    Failing,
    /// Its messages wait, since nothing got through for days, the receiver is gone, or the key, the app or the member that set it up may no longer
    /// do so: see [`DisabledReason`](crate::webhook::DisabledReason).
    Disabled,
}

impl WebhookChange {
    /// Its name, as the audit log says it; `None` for what only concerns its owners.
    pub const fn action(self) -> Option<&'static str> {
        match self {
            Self::Created { .. } => Some("webhook.create"),
            Self::Updated { .. } => Some("webhook.update"),
            Self::SecretRotated => Some("webhook.rotate_secret"),
            Self::Deleted => Some("webhook.delete"),
            Self::Replayed(_) => Some("webhook.replay"),
            Self::Disabled => Some("webhook.disable"),
            Self::Failing => None,
        }
    }
}

/// Who changed the details of a registration, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailsChange {
    /// The organizer changed the name, the address or the answers.
    Edited,
    /// The attendee changed their own answers, or made their party smaller.
    AnswersChanged,
    /// The attendee took over the details of a repeated registration.
    TakenOver,
}

impl DetailsChange {
    /// Its name, as the audit log says it.
    pub const fn action(self) -> &'static str {
        match self {
            Self::Edited => "registration.update",
            Self::AnswersChanged => "registration.change_answers",
            Self::TakenOver => "registration.take_over_details",
        }
    }
}

/// What a person chooses about mails. Their registrations stay as they are, and so does every mail about their own requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailChoice {
    /// No mails of the event's account to people whom its organizers added, until the person registers there themselves, and confirms or
    /// changes that.
    NoMailIfAdded,
    /// No reminders of the event.
    NoReminders,
    /// No messages of the event's account.
    NoMessages,
    /// Messages of the event's account again.
    MessagesAgain,
}

impl MailChoice {
    /// Its name, as the audit log says it.
    pub const fn action(self) -> &'static str {
        match self {
            Self::NoMailIfAdded => "registration.refuse_mail",
            Self::NoReminders => "registration.refuse_reminders",
            Self::NoMessages => "registration.stop_messages",
            Self::MessagesAgain => "registration.resume_messages",
        }
    }
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageChange {
    /// It was written.
    Written,
    /// Its author, or another organizer, changed it.
    Edited,
    /// Its time has come: its mails are scheduled.
    Begun {
        /// How many of those whom an organizer added are mailed at most; `None`: all of them.
        max_added: Option<i32>,
    },
    /// Its time has come, and the mails of the day are used up.
    Delayed,
    /// Someone cancelled it.
    Cancelled,
    /// Something else stopped it when its time had come.
    Stopped,
}

impl MessageChange {
    /// Its name, as the audit log says it.
    pub const fn action(self) -> &'static str {
        match self {
            Self::Written => "message.create",
            Self::Edited => "message.update",
            Self::Begun { .. } => "message.send",
            Self::Delayed => "message.delay",
            Self::Cancelled => "message.cancel",
            Self::Stopped => "message.stop",
        }
    }
}

names! {
    /// Why an app acts for a person no longer.
    Disconnection {
        /// The person ended it.
        ByPerson = "by_person",
        /// The app ended it.
        ByApp = "by_app",
        /// The person connected the same app more often than there may be grants.
        Displaced = "displaced",
        /// The person is no member of the account any more.
        NoMember = "no_member",
        /// A refresh token was used that others had exchanged: someone may have stolen it.
        RefreshTokenReused = "refresh_token_reused",
        /// A code was used twice: someone may have stolen it.
        CodeReused = "code_reused",
    }
}

impl Disconnection {
    /// Whether someone may have stolen something, so that the person gets a mail.
    pub const fn is_suspicious(self) -> bool {
        matches!(self, Self::RefreshTokenReused | Self::CodeReused)
    }
}

/// What happened to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonChange<'a> {
    /// They signed in.
    SignedIn {
        /// The new session.
        session: &'a Session,
        /// What the browser is to them.
        browser: KnownAs,
    },
    /// They proved again who they are.
    SteppedUp,
    /// A wrong code was typed for them, perhaps by a stranger.
    WrongCode,
    /// They ended sessions.
    EndedSessions {
        /// How many.
        count: i64,
        /// The browser, if there was one.
        device: Option<&'a str>,
    },
    /// Their address is another one.
    ChangedEmail,
    /// They took back an address that had been changed.
    TookBackEmail,
}

/// What a browser is to the person who signs in with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownAs {
    /// They signed in with it before.
    Known,
    /// They signed in before, but never with it.
    New,
    /// They sign in for the first time ever.
    First,
}

/// What someone took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// The registrations for an event.
    Registrations(EventId),
    /// The activity.
    Activity,
    /// Everything that an account holds.
    Account,
}

/// Why there is a new key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// Someone wanted one.
    Made,
    /// Demo data have one, about which nobody gets a mail.
    Demo,
    /// It replaces this one of the account.
    Replaces(KeyId),
    /// It replaces this one of a member who was removed.
    TakesOver(KeyId),
}

/// How an account changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountChange<'a> {
    /// A member changed its name, its time zone or what its public page says. Nothing of it is recorded, since a name may be a person's.
    Updated,
    /// A member changed its handle, which is not recorded either.
    HandleChanged,
    /// The operator suspended it.
    Suspended(Option<&'a str>),
    /// The operator resumed it.
    Resumed,
    /// The operator holds its mails.
    MailHeld,
    /// The operator released its mails.
    MailReleased,
    /// The operator dropped so many of its queued mails.
    MailDropped(u64),
    /// It is trusted with mails to people who did not register themselves.
    Trusted,
    /// It was removed. This is its name.
    Removed(&'a str),
    /// The name of a person who was erased was removed from it.
    Erased,
}

/// How the members of an account changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange<'a> {
    /// Someone accepted an invitation.
    Joined(Position<'a>),
    /// A member has another role, or is one for other events.
    Moved {
        /// The old position.
        before: Position<'a>,
        /// The new position.
        after: Position<'a>,
    },
    /// A member left.
    Left,
    /// A member was removed.
    Removed,
}

/// The kind of change of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventChange {
    /// Its owner changed fields.
    Updated,
    /// A newer time zone database moved its moments, so that its wall times stay.
    ClocksMoved,
    /// A draft was published.
    Published,
    /// A published event became a draft.
    Unpublished,
    /// It was cancelled.
    Cancelled {
        /// How many of those whom an organizer added are mailed at most; `None`: all of them.
        max_added: Option<i32>,
    },
}

impl EventChange {
    /// Its name, as the audit log says it.
    pub(super) const fn action(self) -> &'static str {
        match self {
            Self::Updated => "event.update",
            Self::ClocksMoved => "event.move_clocks",
            Self::Published => "event.publish",
            Self::Unpublished => "event.unpublish",
            Self::Cancelled { .. } => "event.cancel",
        }
    }
}

/// The kind of change of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationChange {
    /// The organizer approved it.
    Approved,
    /// The attendee confirmed it.
    Confirmed,
    /// The organizer or the attendee cancelled it.
    Cancelled,
    /// The organizer declined it.
    Declined,
    /// The organizer gave it a seat before others on the waitlist.
    Promoted,
    /// The attendee was checked in.
    CheckedIn,
    /// The check-in was undone.
    CheckInUndone,
}

impl RegistrationChange {
    /// Its name, as the audit log says it.
    pub(super) const fn action(self) -> &'static str {
        match self {
            Self::Approved => "registration.approve",
            Self::Confirmed => "registration.confirm",
            Self::Cancelled => "registration.cancel",
            Self::Declined => "registration.decline",
            Self::Promoted => "registration.promote",
            Self::CheckedIn => "registration.check_in",
            Self::CheckInUndone => "registration.undo_check_in",
        }
    }
}
