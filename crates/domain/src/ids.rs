//! Identifiers. Each is a UUIDv7, so that ids sort by creation time.

use std::{fmt, str::FromStr};

use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta] $name:ident),+ $(,)?) => {$(
        #[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that is known to name this kind of thing.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID, for storage.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            /// Parses the hyphenated form only, which is the one in answers.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse::<uuid::fmt::Hyphenated>().map(|id| Self(id.into_uuid()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(out)
            }
        }
    )+};
}

id! {
    /// Names an account.
    AccountId,
    /// Names an API key (never the key itself).
    KeyId,
    /// Names an event.
    EventId,
    /// Names a registration.
    RegistrationId,
    /// Names a person who can sign in.
    PersonId,
    /// Names a person's session (never its token).
    SessionId,
    /// Names a mail with a code.
    CodeId,
    /// Names an invitation.
    InvitationId,
    /// Names a client of OAuth (never by what it calls itself).
    ClientId,
    /// Names what a person agreed to.
    GrantId,
    /// Names an authorization that waits for a person's decision.
    AuthorizationId,
    /// Names a message to the people who registered for an event.
    MessageId,
    /// Names a webhook.
    WebhookId,
    /// Names the events that one was repeated as, itself included.
    SeriesId,
}
