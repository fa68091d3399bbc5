//! The kinds of jobs.

use std::{fmt, str::FromStr};

/// A kind of job. The subject of a mail to a registrant is the registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JobKind {
    /// Tells a registrant that they hold a seat.
    RegisteredMail,
    /// Tells a registrant that they are on the waitlist.
    WaitlistedMail,
    /// Tells a registrant that the organizer must approve the registration.
    PendingMail,
    /// Asks a registrant to confirm the registration.
    ConfirmationMail,
    /// Tells a registrant who registered again the status of their registration.
    RegisteredAgainMail,
    /// Tells a registrant that they got a seat from the waitlist.
    PromotedMail,
    /// Tells a registrant that the organizer approved the registration.
    ApprovedMail,
    /// Tells a registrant that their registration is cancelled.
    RegistrationCancelledMail,
    /// Tells a registrant that the organizer declined the registration, and why.
    DeclinedMail,
    /// Tells a registrant that the event is cancelled.
    CancellationMail,
    /// Tells a registrant that the event has a new time or place.
    EventChangedMail,
    /// Tells an address that its registration has another one now.
    AddressCorrectedMail,
    /// Sends a person who signs in a code, or the notice that their address was changed. The subject is the code.
    CodeMail,
    /// Invites someone to an account. The subject is the invitation.
    InvitationMail,
    /// Tells a person that an app was disconnected, since someone may have stolen what it had. The subject is the grant.
    AppMail,
    /// Tells a person of what was done in their name or on their account, so that they notice. The subject is the mail.
    SecurityMail,
    /// Tells a member of an account of new registrations. The subject is the mail.
    OrganizerMail,
    /// Schedules the mails to members about new registrations. The subject is the account.
    OrganizerNews,
    /// Schedules the mails about an event's new time or place. The subject is the event.
    EventAnnouncement,
    /// Fetches a stock photograph for an event's cover. The subject is the event.
    StockCover,
    /// Schedules the mails of a reminder. The subject is the event, the occasion the hours before its start.
    EventReminder,
    /// Reminds a registrant of the event.
    ReminderMail,
    /// Begins a message to the people who registered for an event: schedules its mails. The subject is the message.
    Message,
    /// Is a message of the organizer to a registrant; the occasion is its number.
    MessageMail,
    /// Shows a message to the person who writes it. The subject is the mail.
    MessageTestMail,
    /// Posts a message to a webhook. The subject is the message, the occasion the number of the webhook.
    WebhookDelivery,
}

/// A kind that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is no kind of job")]
pub struct UnknownJobKind;

impl JobKind {
    /// Every kind whose subject is a registration.
    pub const MAILS: [Self; 14] = [
        Self::RegisteredMail,
        Self::WaitlistedMail,
        Self::PendingMail,
        Self::ConfirmationMail,
        Self::RegisteredAgainMail,
        Self::PromotedMail,
        Self::ApprovedMail,
        Self::RegistrationCancelledMail,
        Self::DeclinedMail,
        Self::CancellationMail,
        Self::EventChangedMail,
        Self::AddressCorrectedMail,
        Self::ReminderMail,
        Self::MessageMail,
    ];

    /// Every kind of mail to people who sign in.
    pub const PERSON_MAILS: [Self; 4] = [
        Self::CodeMail,
        Self::InvitationMail,
        Self::AppMail,
        Self::SecurityMail,
    ];

    /// The kinds by which messages begin and are tested.
    pub const OF_MESSAGES: [Self; 2] = [Self::Message, Self::MessageTestMail];

    /// The kinds by which organizers are told of registrations.
    pub const TO_ORGANIZERS: [Self; 2] = [Self::OrganizerMail, Self::OrganizerNews];

    /// Whether a job of this kind is for itself what one command left to be done. Others are one of many that a command made, or collect for
    /// a while what many commands made.
    pub const fn is_of_one_command(self) -> bool {
        !matches!(
            self,
            Self::PromotedMail
                | Self::CancellationMail
                | Self::EventChangedMail
                | Self::OrganizerNews
                | Self::EventAnnouncement
                | Self::EventReminder
                | Self::ReminderMail
                | Self::Message
                | Self::MessageMail
                | Self::WebhookDelivery
        )
    }

    /// Its name, as it is stored and shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RegisteredMail => "registered_mail",
            Self::WaitlistedMail => "waitlisted_mail",
            Self::PendingMail => "pending_mail",
            Self::ConfirmationMail => "confirmation_mail",
            Self::RegisteredAgainMail => "registered_again_mail",
            Self::PromotedMail => "promoted_mail",
            Self::ApprovedMail => "approved_mail",
            Self::RegistrationCancelledMail => "registration_cancelled_mail",
            Self::DeclinedMail => "declined_mail",
            Self::CancellationMail => "cancellation_mail",
            Self::EventChangedMail => "event_changed_mail",
            Self::AddressCorrectedMail => "address_corrected_mail",
            Self::CodeMail => "code_mail",
            Self::InvitationMail => "invitation_mail",
            Self::AppMail => "app_mail",
            Self::SecurityMail => "security_mail",
            Self::OrganizerMail => "organizer_mail",
            Self::OrganizerNews => "organizer_news",
            Self::EventAnnouncement => "event_announcement",
            Self::StockCover => "stock_cover",
            Self::EventReminder => "event_reminder",
            Self::ReminderMail => "reminder_mail",
            Self::Message => "message",
            Self::MessageMail => "message_mail",
            Self::MessageTestMail => "message_test_mail",
            Self::WebhookDelivery => "webhook_delivery",
        }
    }
}

impl fmt::Display for JobKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for JobKind {
    type Err = UnknownJobKind;

    fn from_str(name: &str) -> Result<Self, UnknownJobKind> {
        let others = [
            Self::EventAnnouncement,
            Self::StockCover,
            Self::EventReminder,
            Self::WebhookDelivery,
        ];
        let mails = Self::MAILS.into_iter().chain(Self::PERSON_MAILS);
        let mails = mails.chain(Self::TO_ORGANIZERS).chain(Self::OF_MESSAGES);
        let mut kinds = mails.chain(others);
        kinds.find(|kind| kind.name() == name).ok_or(UnknownJobKind)
    }
}
