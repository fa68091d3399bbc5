//! Facts: what has happened. A use case records its decisions as facts. All consequences are derived from them: rows of the
//! audit log ([`Fact::audit`]), jobs ([`Fact::job`], [`Fact::mailing`]).

mod audit;
mod changes;
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
    plan::Plan,
    registration::{Registration, Status, Waiting},
    webhook::Webhook,
};

pub use changes::{
    AccountChange, DetailsChange, Disconnection, EventChange, Export, KeyOrigin, KnownAs,
    MailChoice, MemberChange, MessageChange, PersonChange, RegistrationChange, WebhookChange,
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
    /// The details of a registration changed.
    DetailsChanged {
        /// Who changed them, and how.
        change: DetailsChange,
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
    /// Someone chose which mails they get.
    MailChosen {
        /// What.
        choice: MailChoice,
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
}
