//! What became of the mails about an event: messages and domain values.

use std::collections::BTreeMap;

use domain::cursor::ListName;
use muster_api::v1;
use storage::{MailNumber, UndeliveredMail};

use crate::service::EventMails;

/// What became of the mails about an event.
pub(in crate::grpc) fn event_mails(mails: EventMails, list: ListName) -> v1::EventMails {
    v1::EventMails {
        numbers: numbers(mails.numbers),
        next_cursor: mails.next.map(|place| place.cursor(list)),
        items: mails.undelivered.into_iter().map(undelivered).collect(),
    }
}

/// The kind of a mail, as clients see it.
pub(super) fn mail_kind(name: &str) -> String {
    name.trim_end_matches("_mail").to_owned()
}

fn numbers(rows: Vec<MailNumber>) -> Vec<v1::MailNumbers> {
    let mut kinds: BTreeMap<String, v1::MailNumbers> = BTreeMap::new();
    for (name, state, count) in rows {
        let kind = mail_kind(&name);
        let of_kind = kinds
            .entry(kind.clone())
            .or_insert_with(|| v1::MailNumbers {
                kind,
                ..v1::MailNumbers::default()
            });
        let number = match &*state {
            "waiting" => &mut of_kind.waiting,
            "handed_over" => &mut of_kind.handed_over,
            "refused" => &mut of_kind.refused,
            "bounced" => &mut of_kind.bounced,
            "complained" => &mut of_kind.complained,
            "withheld" => &mut of_kind.withheld,
            // A newer version wrote it.
            _ => continue,
        };
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        *number = number.saturating_add(count);
    }
    kinds.into_values().collect()
}

fn undelivered(one: UndeliveredMail) -> v1::UndeliveredMail {
    v1::UndeliveredMail {
        registration_id: one.registration.to_string(),
        email: EventMails::address(&one).map(str::to_owned),
        kind: mail_kind(one.mail.kind.name()),
        state: one.mail.state.to_string(),
        at: one.mail.known_at().to_string(),
        words: one.mail.words,
    }
}
