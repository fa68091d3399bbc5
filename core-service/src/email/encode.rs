//! A letter as the message that is sent. Whatever a name or a title holds, it adds no header, no recipient and no part.

use std::time::{Duration, UNIX_EPOCH};

use lettre::{
    Address, Message,
    message::{
        Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};

use super::{Letter, Sender};
use crate::domain::instant::Instant;

/// Characters of a name or subject that are kept; longer ones only help to break mail programs.
const HEADER_CHARACTERS: usize = 250;

/// Encodes a letter; nothing when its address is none.
pub(super) fn message(letter: &Letter, sender: &Sender, now: Instant) -> Option<Message> {
    let address: Address = letter.address.parse().ok()?;
    let name = letter.name.as_deref().map(one_line);
    let seconds = u64::try_from(now.micros() / 1_000_000).unwrap_or(0);
    // In quoted-printable a line can't begin as this does, so no text can end its part.
    let parts = MultiPart::builder()
        .kind(MultiPartKind::Alternative)
        .boundary("=_muster");
    let mut parts = parts
        .singlepart(part(ContentType::TEXT_PLAIN, &letter.text))
        .singlepart(part(ContentType::TEXT_HTML, &letter.html));
    if let Some(calendar) = &letter.calendar {
        let kind = format!(
            "text/calendar; method={}; charset=utf-8",
            calendar.method.name()
        );
        parts = parts.singlepart(part(ContentType::parse(&kind).ok()?, &calendar.text));
    }
    Message::builder()
        .from(sender.mailbox().clone())
        .to(Mailbox::new(name, address))
        .subject(one_line(&letter.subject))
        .message_id(Some(format!("<{}@{}>", letter.key, letter.host)))
        .date(UNIX_EPOCH + Duration::from_secs(seconds))
        // Out-of-office programs don't answer what says so (RFC 3834).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ))
        .multipart(parts)
        .ok()
}

fn part(kind: ContentType, text: &str) -> SinglePart {
    SinglePart::builder()
        .header(kind)
        .header(ContentTransferEncoding::QuotedPrintable)
        .body(text.to_owned())
}

/// What may stand in a header: lettre panics on line breaks in names. Marks that turn the direction of writing go, too: they
/// would turn what follows.
fn one_line(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(HEADER_CHARACTERS)
        .collect()
}
