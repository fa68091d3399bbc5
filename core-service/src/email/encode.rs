//! Encodes a mail. No content of a name or title can add a header, a recipient or a part.

use std::time::{Duration, UNIX_EPOCH};

use domain::instant::Instant;
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Attachment, Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};

use super::{Mail, Sender, Stop, qr_image};

/// Maximum length of a name or subject in characters; longer ones can break mail programs.
const HEADER_CHARACTERS: usize = 250;

/// Encodes a mail; `None` if its address is invalid.
pub(super) fn message(mail: &Mail, sender: &Sender, now: Instant) -> Option<Message> {
    let address: Address = mail.address.parse().ok()?;
    let name = mail.name.as_deref().map(one_line);
    let seconds = u64::try_from(now.micros() / 1_000_000).unwrap_or(0);
    // In quoted-printable no line can begin with this boundary, so no text can end its part.
    let parts = MultiPart::builder()
        .kind(MultiPartKind::Alternative)
        .boundary("=_muster");
    let parts = parts.singlepart(part(ContentType::TEXT_PLAIN, &mail.text));
    let html = part(ContentType::TEXT_HTML, &mail.html);
    let mut parts = match &mail.ticket_image {
        None => parts.singlepart(html),
        Some(png) => {
            let image = Attachment::new_inline(qr_image::CONTENT_ID.to_owned());
            let image = image.body(png.clone(), ContentType::parse("image/png").ok()?);
            let related = MultiPart::builder()
                .kind(MultiPartKind::Related)
                .boundary("=_muster_html");
            parts.multipart(related.singlepart(html).singlepart(image))
        }
    };
    if let Some(calendar) = &mail.calendar {
        let kind = format!(
            "text/calendar; method={}; charset=utf-8",
            calendar.method.name()
        );
        parts = parts.singlepart(part(ContentType::parse(&kind).ok()?, &calendar.text));
    }
    // Lettre would read it from the headers that it has just written.
    let envelope = Envelope::new(Some(sender.mailbox().email.clone()), vec![address.clone()]);
    let mut message = Message::builder()
        .envelope(envelope.ok()?)
        .from(sender.mailbox().clone())
        .to(Mailbox::new(name, address))
        .subject(one_line(&mail.subject))
        .message_id(Some(format!("<{}@{}>", mail.key, mail.host)))
        .date(UNIX_EPOCH + Duration::from_secs(seconds))
        // With this header, automatic replies are not sent (RFC 3834).
        .raw_header(raw("Auto-Submitted", "auto-generated".to_owned()))
        // Postmark gives mails ids of its own and reports by them. It takes this from the header and reports it, too.
        .raw_header(raw("X-PM-Metadata-muster", mail.key.clone()));
    let organizer = mail.reply_to.as_deref().map(str::parse::<Address>);
    if let Some(Ok(organizer)) = organizer {
        message = message.reply_to(Mailbox::new(None, organizer));
    }
    if let Some(stop) = &mail.stop {
        // Providers post to what is one click (RFC 8058) without being asked, so a page that asks is none.
        let (Stop::Page(url) | Stop::OneClick(url)) = stop;
        message = message.raw_header(raw("List-Unsubscribe", format!("<{url}>")));
        if matches!(stop, Stop::OneClick(_)) {
            let post = "List-Unsubscribe=One-Click".to_owned();
            message = message.raw_header(raw("List-Unsubscribe-Post", post));
        }
    }
    message.multipart(parts).ok()
}

fn raw(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

fn part(kind: ContentType, text: &str) -> SinglePart {
    SinglePart::builder()
        .header(kind)
        .header(ContentTransferEncoding::QuotedPrintable)
        .body(text.to_owned())
}

/// Text that is safe in a header: lettre panics on line breaks in names. Marks that change the direction of writing are removed
/// too, since they would affect the text that follows. The start of an encoded word (RFC 2047) is split: lettre leaves ASCII as it
/// is, and a mail program would show the decoded text, line breaks included.
fn one_line(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(HEADER_CHARACTERS)
        .collect::<String>()
        .replace("=?", "= ?")
}
