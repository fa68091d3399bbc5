//! Groups of kinds of jobs.

use super::JobKind;

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
}
