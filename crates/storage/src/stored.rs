//! How values are stored, the same on both engines.

use domain::{
    event::{CustomField, Reminders, TimeAndPlace},
    ids::{
        AccountId, AuthorizationId, ClientId, CodeId, EventId, GrantId, InvitationId, KeyId,
        MessageId, PersonId, RegistrationId, SeriesId, SessionId, WebhookId,
    },
    image_credit::ImageCredit,
    instant::Instant,
    job::{Destination, JobKind},
    mail::{self, MailState},
    message::{self, AnswerFilter, MessageState},
    oauth::Audience,
    organizer_mail::MailChoice,
    person::Role,
    plan::Plan,
    registration::{Answer, CheckInCode, Status},
    scope::Scopes,
    sign_in_code::{Digits, Holder, Purpose},
    webhook::{
        Content, DeliveryState, DisabledReason, Scheme, WebhookState, WebhookType, WebhookTypes,
    },
};
use jiff::civil::DateTime;
use serde_json::Value;
use sqlx::error::BoxDynError;
use uuid::Uuid;

use super::{
    Error,
    row::{Columns, FromRow},
    statement::Bind,
    values::corrupt,
};

/// Stores values as another type: `Type as Raw: how it is written, how it is read;`.
macro_rules! stored {
    ($($type:ty as $raw:ty: $write:expr, $read:expr;)+) => {$(
        impl Bind for $type {
            type Raw<'a> = $raw;

            fn raw(&self) -> Result<$raw, BoxDynError> {
                let write: fn(&Self) -> $raw = $write;
                Ok(write(self))
            }
        }

        impl FromRow for $type {
            fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
                let read: fn($raw) -> Self = $read;
                Ok(read(columns.raw()?))
            }
        }
    )+};
}

stored! {
    bool as bool: |value| *value, |value| value;
    i32 as i32: |value| *value, |value| value;
    i64 as i64: |value| *value, |value| value;
    Uuid as Uuid: |value| *value, |value| value;
    Instant as i64: |instant| instant.micros(), Self::from_micros;
    TimeAndPlace as i64: |known| known.fingerprint(), Self::stored;
    WebhookTypes as String: |types| types.stored(), |names| Self::from_stored(&names);
    Scopes as Option<String>: |scopes| scopes.stored(), |names| Self::from_stored(names.as_deref());
}

/// Stores identifiers as UUIDs.
macro_rules! ids {
    ($($type:ty),+ $(,)?) => {
        stored! {$(
            $type as Uuid: |id| id.uuid(), Self::new;
        )+}
    };
}

ids!(
    AccountId,
    AuthorizationId,
    ClientId,
    CodeId,
    EventId,
    GrantId,
    InvitationId,
    KeyId,
    MessageId,
    SeriesId,
    PersonId,
    RegistrationId,
    SessionId,
    WebhookId,
);

/// Stores values of a closed set by their names.
macro_rules! named {
    ($($type:ty),+ $(,)?) => {$(
        impl Bind for $type {
            type Raw<'a> = &'static str;

            fn raw(&self) -> Result<&'static str, BoxDynError> {
                Ok(self.name())
            }
        }

        impl FromRow for $type {
            fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
                let name: &str = columns.raw()?;
                name.parse().map_err(|_| corrupt(stringify!($type), name))
            }
        }
    )+};
}

named!(
    Audience,
    Content,
    DeliveryState,
    DisabledReason,
    JobKind,
    MailChoice,
    MailState,
    MessageState,
    Plan,
    Purpose,
    Role,
    Scheme,
    Status,
    WebhookState,
    WebhookType,
    mail::StopReason,
    message::StopReason,
);

/// Stores values as text: `Type: how it is written, how it is read;`.
macro_rules! text {
    ($($type:ty: $write:expr, $read:expr;)+) => {$(
        impl Bind for $type {
            type Raw<'a> = &'a str;

            fn raw(&self) -> Result<&str, BoxDynError> {
                let write: fn(&Self) -> &str = $write;
                Ok(write(self))
            }
        }

        impl FromRow for $type {
            fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
                let read: fn(&str) -> Option<Self> = $read;
                // It may be a secret, so it is not shown.
                read(columns.raw()?).ok_or_else(|| corrupt(stringify!($type), "another form"))
            }
        }
    )+};
}

text! {
    String: |text| text, |text| Some(text.to_owned());
    CheckInCode: Self::as_str, Self::parse;
    Destination: Self::name, |name| Some(Self::new(name.to_owned()));
    Digits: Self::as_str, |text| Self::stored(text.to_owned());
}

/// Stores values as JSON.
macro_rules! json {
    ($($type:ty),+ $(,)?) => {$(
        impl Bind for $type {
            type Raw<'a> = String;

            fn raw(&self) -> Result<String, BoxDynError> {
                Ok(serde_json::to_string(self)?)
            }
        }

        impl FromRow for $type {
            fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
                let text: &str = columns.raw()?;
                // The whole error would quote the text, in which people write about themselves.
                serde_json::from_str(text).map_err(|error| Error::Corrupt {
                    what: stringify!($type),
                    text: format!("{:?} error in column {}", error.classify(), error.column()),
                })
            }
        }
    )+};
}

json!(
    ImageCredit,
    Reminders,
    Value,
    message::Audience,
    Vec<Answer>,
    Vec<AnswerFilter>,
    Vec<CustomField>,
    Vec<String>,
);

/// Stores bytes without a copy: `Type: its bytes;`.
macro_rules! borrowed {
    ($($type:ty as $raw:ty: $borrow:expr;)+) => {$(
        impl Bind for $type {
            type Raw<'a> = &'a $raw;

            fn raw(&self) -> Result<&$raw, BoxDynError> {
                let borrow: fn(&Self) -> &$raw = $borrow;
                Ok(borrow(self))
            }
        }
    )+};
}

borrowed! {
    str as str: |text| text;
    [u8] as [u8]: |bytes| bytes;
    [u8; 32] as [u8]: |hash| hash;
    Vec<u8> as [u8]: |bytes| bytes;
    Holder as [u8]: |holder| holder.bytes();
}

impl FromRow for Vec<u8> {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        columns.raw()
    }
}

/// A SHA-256.
impl FromRow for [u8; 32] {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        let bytes: &[u8] = columns.raw()?;
        bytes
            .try_into()
            .map_err(|_| corrupt("SHA-256", "not 32 bytes"))
    }
}

impl FromRow for Holder {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        columns.read().map(Self::browser)
    }
}

/// A wall time, as ISO 8601.
impl Bind for DateTime {
    type Raw<'a> = String;

    fn raw(&self) -> Result<String, BoxDynError> {
        Ok(self.to_string())
    }
}

impl FromRow for DateTime {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        let text: &str = columns.raw()?;
        text.parse().map_err(|_| corrupt("wall time", text))
    }
}
