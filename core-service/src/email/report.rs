//! Reports of servers that a mail cannot be delivered (RFC 3464), as they come to the bounce address. Everything else that comes there is
//! ignored: automatic replies, reports of delays and successes, and spam.

use domain::mail::{BounceToken, MailReport, PermanentStatus, ReportedEvent, ReportedMail};
use mail_parser::{HeaderName, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders as _};

/// How much of a report is read. Servers may return the whole mail after the part that counts.
pub const MAX_REPORT_BYTES: u64 = 1024 * 1024;

/// Recipients in one report; each mail of Muster has one.
const MAX_RECIPIENTS: usize = 20;

/// The headers in which mail servers say to whom they deliver a mail, the surest first.
const RECIPIENT_HEADERS: [&str; 4] = ["X-Original-To", "Delivered-To", "Envelope-To", "To"];

/// Why a message changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ignored {
    /// It is no message.
    #[error("it is not an email")]
    NoMail,
    /// It is no report of a server.
    #[error("it is not a delivery report (RFC 3464)")]
    NoReport,
    /// It reports a delay or a success.
    #[error("it reports no permanent failure")]
    NoFailure,
    /// It does not say which mail it is about.
    #[error("it was not sent to an address with a token of Muster")]
    NoToken,
}

/// Reads a report. `recipient` is the address to which it came, where the mail server says that besides the message.
///
/// # Errors
/// Why it is ignored.
pub fn read_report(message: &[u8], recipient: Option<&str>) -> Result<MailReport, Ignored> {
    let message = MessageParser::default()
        .parse(message)
        .ok_or(Ignored::NoMail)?;
    let status_part = status_part(&message).ok_or(Ignored::NoReport)?;
    let (status, words) = failure(status_part.contents()).ok_or(Ignored::NoFailure)?;
    let token = recipient
        .and_then(BounceToken::of_address)
        .or_else(|| token(&message))
        .ok_or(Ignored::NoToken)?;
    Ok(MailReport {
        mail: ReportedMail::Token(token),
        event: ReportedEvent::Bounced { status, words },
    })
}

/// The part for programs of a report about deliveries. Other reports of servers, of people who read a mail or called it spam, have
/// others.
fn status_part<'m>(message: &'m Message<'m>) -> Option<&'m MessagePart<'m>> {
    let kind = message.content_type()?;
    let is_report = kind.ctype().eq_ignore_ascii_case("multipart")
        && kind.subtype()?.eq_ignore_ascii_case("report")
        && kind
            .attribute("report-type")?
            .eq_ignore_ascii_case("delivery-status");
    let is_status = |part: &&MessagePart<'_>| {
        part.content_type().is_some_and(|kind| {
            let subtype = kind.subtype().unwrap_or_default();
            kind.ctype().eq_ignore_ascii_case("message")
                && ["delivery-status", "global-delivery-status"]
                    .iter()
                    .any(|known| subtype.eq_ignore_ascii_case(known))
        })
    };
    is_report.then(|| message.parts.iter().find(is_status))?
}

/// The status and the words of the first recipient for whom the delivery failed for good.
fn failure(status_part: &[u8]) -> Option<(PermanentStatus, Option<String>)> {
    let text = String::from_utf8_lossy(status_part).replace("\r\n", "\n");
    let groups = text.split("\n\n").filter(|group| !group.trim().is_empty());
    groups.take(MAX_RECIPIENTS + 1).find_map(|group| {
        let fields = MessageParser::default().parse_headers(group.trim_start().as_bytes())?;
        let field = |name: &'static str| {
            let text = fields.header_raw(HeaderName::from(name));
            text.map(str::trim)
        };
        let is_failed = field("Action")?
            .split_whitespace()
            .next()?
            .eq_ignore_ascii_case("failed");
        let status = field("Status")?.parse().ok().filter(|_| is_failed)?;
        let words = field("Diagnostic-Code").map(|code| {
            // It begins with the kind of the code.
            let words = code.split_once(';').map_or(code, |(_, words)| words);
            words.to_owned()
        });
        Some((status, words))
    })
}

/// The token in an address to which the message was delivered.
fn token(message: &Message<'_>) -> Option<BounceToken> {
    let of_header = |name: &&str| {
        message
            .header_values(HeaderName::from(*name))
            .find_map(of_value)
    };
    RECIPIENT_HEADERS.iter().find_map(of_header)
}

fn of_value(value: &HeaderValue<'_>) -> Option<BounceToken> {
    match value {
        HeaderValue::Address(addresses) => addresses
            .iter()
            .filter_map(|one| one.address())
            .find_map(BounceToken::of_address),
        HeaderValue::Text(text) => of_text(text),
        HeaderValue::TextList(texts) => texts.iter().find_map(|text| of_text(text)),
        _ => None,
    }
}

fn of_text(text: &str) -> Option<BounceToken> {
    let text = text.trim().trim_start_matches('<').trim_end_matches('>');
    BounceToken::of_address(text)
}
