//! Facts: what has happened. A use case records its decisions as facts. All consequences are derived from them: rows of the
//! audit log ([`Fact::audit`]), jobs ([`Fact::job`], [`Fact::mailing`]).

mod audit;
mod messages;
mod notice;
mod outgoing;
mod work;

use uuid::Uuid;

use super::{
    account::{Account, ApiKey},
    announcement::Announcement,
    event::{Event, Reminder},
    ids::{AccountId, CodeId, EventId, InvitationId, KeyId, PersonId, RegistrationId},
    invitation::Invitation,
    job::JobKey,
    message::Message,
    oauth::Grant,
    organizer_mail::OrganizerMail,
    person::Position,
    plan::Plan,
    registration::{Registration, Status, Waiting},
    session::Session,
    webhook::Webhook,
};

pub use messages::MessageEffect;
pub use notice::{Audience, Notice};
pub use outgoing::Outgoing;
pub use work::Mailing;

/// One thing that happened, with the data that the consequences need.
#[derive(Debug, Clone, Copy)]
pub enum Fact<'a> {
    /// An event was created.
    EventCreated {
        /// The event.
        event: &'a Event,
        /// Whether it is a copy of another.
        is_copy: bool,
    },
    /// A draft was deleted.
    EventDeleted {
        /// The event, as it was.
        event: &'a Event,
    },
    /// An event changed.
    EventChanged {
        /// The kind of change.
        change: EventChange,
        /// Before.
        before: &'a Event,
        /// After.
        after: &'a Event,
    },
    /// An event has a new time or place, which registrants may have to be told.
    EventMoved {
        /// Before.
        before: &'a Event,
        /// After.
        after: &'a Event,
        /// When they are told; `None` if nobody can be.
        announcement: Option<Announcement>,
    },
    /// The time has come to tell registrants of an event's time and place.
    EventAnnounced {
        /// The event.
        event: &'a Event,
    },
    /// By a newer time zone database clocks skip a time of an event, which stays as it is.
    ClocksSkipped {
        /// The event.
        event: &'a Event,
    },
    /// A photograph became an event's cover.
    CoverStored {
        /// The event.
        event: &'a Event,
    },
    /// The organizer sent a picture for an event's cover, or removed it.
    OwnCover {
        /// The event, as it is now.
        event: &'a Event,
    },
    /// Registrations on the waitlist get seats.
    WaitlistPromoted {
        /// The event.
        event: &'a Event,
        /// Which.
        promoted: &'a [Waiting],
    },
    /// A registration was made.
    RegistrationMade {
        /// The event's owner.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration.
        registration: RegistrationId,
        /// Its first status.
        status: Status,
        /// Whether it awaits the attendee's confirmation.
        awaits_confirmation: bool,
        /// Whether the attendee gets a mail about it.
        is_mailed: bool,
    },
    /// An attendee registered again.
    RegistrationRepeated {
        /// The event's owner.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The existing registration.
        registration: RegistrationId,
    },
    /// A registration changed.
    RegistrationChanged {
        /// The kind of change.
        change: RegistrationChange,
        /// The event's owner.
        account: AccountId,
        /// Before.
        before: &'a Registration,
        /// After.
        after: &'a Registration,
    },
    /// The organizer sent the mail about a registration again.
    MailSentAgain {
        /// The event's owner.
        account: AccountId,
        /// The registration.
        registration: &'a Registration,
    },
    /// A registration has another address than the one that its mails went to, which is told.
    AddressLeft {
        /// The registration.
        registration: RegistrationId,
        /// The address that it had.
        address: &'a str,
    },
    /// The organizer changed the name, the address or the answers of a registration.
    RegistrationEdited {
        /// The event's owner.
        account: AccountId,
        /// Before.
        before: &'a Registration,
        /// After.
        after: &'a Registration,
    },
    /// An attendee changed their own answers, or made their party smaller.
    AnswersChanged {
        /// The event's owner.
        account: AccountId,
        /// Before.
        before: &'a Registration,
        /// After.
        after: &'a Registration,
    },
    /// An attendee took over the details of a repeated registration.
    DetailsTakenOver {
        /// The event's owner.
        account: AccountId,
        /// Before.
        before: &'a Registration,
        /// After.
        after: &'a Registration,
    },
    /// Seats that unconfirmed registrations held have become free.
    SeatsReleased {
        /// The event.
        event: &'a Event,
        /// How many.
        count: i32,
    },
    /// Registrations that were not confirmed have lapsed. The attendees get no mail: perhaps it was not they who registered.
    RegistrationsLapsed {
        /// The event.
        event: &'a Event,
        /// Which.
        registrations: &'a [RegistrationId],
    },
    /// A registration was erased. The person is not recorded.
    RegistrationErased {
        /// The event's owner.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration.
        registration: RegistrationId,
    },
    /// An account was created.
    AccountCreated {
        /// The account.
        account: &'a Account,
    },
    /// An account's plan was changed.
    PlanSet {
        /// The account.
        account: AccountId,
        /// The old plan.
        before: Plan,
        /// The new plan.
        after: Plan,
    },
    /// An account changed.
    AccountChanged {
        /// The account.
        account: AccountId,
        /// How.
        change: AccountChange<'a>,
    },
    /// The operator took an event down, or shows it again.
    EventTakenDown {
        /// The event, as it is now.
        event: &'a Event,
        /// Why.
        reason: Option<&'a str>,
    },
    /// The public sees an event no longer or again, since its account is suspended or resumed.
    EventWithdrawn {
        /// The event.
        event: &'a Event,
    },
    /// An API key was created.
    KeyCreated {
        /// The key.
        key: &'a ApiKey,
        /// Why there is a new one.
        origin: KeyOrigin,
    },
    /// A key was revoked.
    KeyRevoked {
        /// The key's account.
        account: AccountId,
        /// The key.
        key: KeyId,
    },
    /// Someone was invited to an account. The address is not recorded.
    MemberInvited {
        /// The invitation.
        invitation: &'a Invitation,
        /// The events that it is for; absent for all.
        events: Option<&'a [EventId]>,
    },
    /// An invitation was withdrawn or declined.
    InvitationEnded {
        /// The account.
        account: AccountId,
        /// The invitation.
        invitation: InvitationId,
    },
    /// The members of an account changed.
    MemberChanged {
        /// The account.
        account: AccountId,
        /// The member.
        person: PersonId,
        /// How.
        change: MemberChange<'a>,
    },
    /// A person agreed that an app acts for them.
    AppConnected {
        /// What they agreed to.
        grant: &'a Grant,
    },
    /// An app acts for a person no longer.
    AppDisconnected {
        /// What they had agreed to.
        grant: &'a Grant,
        /// Why.
        why: Disconnection,
    },
    /// Something happened to a person, whichever accounts they are a member of.
    PersonChanged {
        /// The person.
        person: PersonId,
        /// What.
        change: PersonChange<'a>,
    },
    /// Someone took data away.
    Exported {
        /// Whose.
        account: AccountId,
        /// What.
        what: Export,
    },
    /// A code was made for a person who signs in.
    CodeMade {
        /// The code.
        code: CodeId,
    },
    /// A member of an account is due to be mailed about new registrations.
    OrganizerMailDue {
        /// An identifier of the mail.
        id: Uuid,
        /// The mail.
        mail: OrganizerMail,
    },
    /// A failed mail will be sent again.
    MailRetried {
        /// The account of the event; unknown once the registration is erased.
        account: Option<AccountId>,
        /// The mail.
        job: &'a JobKey,
    },
    /// Someone whom an organizer added wants no more mails of the account.
    MailRefused {
        /// The event's account.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration; `None` if it is someone else's by now: its address was corrected.
        registration: Option<RegistrationId>,
    },
    /// The time has come to remind those who hold a seat.
    ReminderDue {
        /// The event.
        event: &'a Event,
        /// Which of its reminders.
        reminder: Reminder,
        /// How many people.
        count: i32,
    },
    /// A reminder was not sent, since nobody was able to in time.
    ReminderMissed {
        /// The event.
        event: &'a Event,
        /// Which of its reminders.
        reminder: Reminder,
    },
    /// Someone wants no reminders of an event.
    RemindersRefused {
        /// The event's account.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration.
        registration: RegistrationId,
    },
    /// A message to the people who registered for an event was written, or something became of it.
    MessageChanged {
        /// The event's account.
        account: AccountId,
        /// The message, as it is now.
        message: &'a Message,
        /// What.
        change: MessageChange,
    },
    /// Someone wants to see a message as it will look.
    MessageTested {
        /// An identifier of the mail.
        id: Uuid,
        /// The event's account.
        account: AccountId,
        /// Who gets it.
        person: PersonId,
        /// The message.
        message: &'a Message,
    },
    /// A webhook was created, or something became of it.
    WebhookChanged {
        /// The webhook, as it is now.
        webhook: &'a Webhook,
        /// What.
        change: WebhookChange,
    },
    /// Someone who registered wants no more messages of the account, or wants them again.
    MessagesRefused {
        /// The event's account.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration; `None` if it is someone else's by now: its address was corrected.
        registration: Option<RegistrationId>,
        /// Whether they want them again.
        again: bool,
    },
}

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

/// Why an app acts for a person no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disconnection {
    /// The person ended it.
    ByPerson,
    /// The app ended it.
    ByApp,
    /// The person connected the same app more often than is kept.
    Displaced,
    /// The person is no member of the account any more.
    NoMember,
    /// A refresh token was used that others had exchanged: someone may have stolen it.
    RefreshTokenReused,
    /// A code was used twice: someone may have stolen it.
    CodeReused,
}

impl Disconnection {
    /// Whether someone may have stolen something, so that the person is told.
    pub const fn is_suspicious(self) -> bool {
        matches!(self, Self::RefreshTokenReused | Self::CodeReused)
    }

    /// Its name, as the audit log says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByPerson => "by_person",
            Self::ByApp => "by_app",
            Self::Displaced => "displaced",
            Self::NoMember => "no_member",
            Self::RefreshTokenReused => "refresh_token_reused",
            Self::CodeReused => "code_reused",
        }
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
    /// Demo data have one, of which nobody is told.
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
