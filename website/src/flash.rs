//! What a page says once, after a form was taken: a cookie carries a code of this closed set over the redirect.

use axum::response::Response;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{LOCATION, SET_COOKIE},
};

use crate::{cookies, layout::make_private};

const NAME: &str = "muster-done";

/// How long the next page may take to load, in seconds.
const SECONDS: u32 = 60;

/// What was done, and what the page says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flash {
    code: &'static str,
    words: &'static str,
}

/// The closed set: each constant, its code, its words.
macro_rules! flashes {
    ($($name:ident, $code:literal, $words:literal;)*) => {
        impl Flash {
            $(pub(crate) const $name: Self = Self { code: $code, words: $words };)*

            const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

flashes! {
    CONFIRMED, "confirmed", "Thank you. Your registration is confirmed.";
    CANCELLED, "cancelled", "Thanks for letting us know. Your spot is free for someone else.";
    MAIL_REFUSED, "mail-refused", "Done. This organizer sends you no more email, unless you register yourself.";
    MESSAGES_RESUMED, "messages-resumed", "Done. You get messages from this organizer again.";
    ANSWERS_CHANGED, "answers-changed", "Done. The organizer sees what you changed.";
    TAKEN_OVER, "taken-over", "Done. Your registration has the new details.";
    WELCOME, "welcome", "Welcome. You are signed in.";
    PROVEN, "proven", "Thank you. For the next 15 minutes you will not be asked again.";
    SIGNED_OUT, "signed-out", "You are signed out.";
    SIGNED_OUT_EVERYWHERE, "signed-out-everywhere", "You are signed out in all browsers.";
    SESSION_ENDED, "session-ended", "Done. That browser is signed out.";
    SWITCHED, "switched", "Done. You see the other account now.";
    EVENT_CREATED, "event-created", "Your draft is saved. Only the members of your account see it.";
    EVENT_PUBLISHED, "event-published", "Your event is published.";
    EVENT_UNPUBLISHED, "event-unpublished", "Your event is a draft again. Registrations are kept.";
    EVENT_SAVED, "event-saved", "Your changes are saved.";
    DATES_UNCHANGED, "dates-unchanged", "You changed nothing, so the later dates stay as they are, too.";
    EVENT_WAS_CANCELLED, "event-was-cancelled", "Your changes are not saved: someone cancelled this event while you were editing it.";
    EVENT_SAVED_MAILED, "event-saved-mailed", "Your changes are saved. The emails go out in a few minutes.";
    CONTACT_CODE_SENT, "contact-code-sent", "The code is on its way. It works for 10 minutes.";
    CONTACT_PROVEN, "contact-proven", "Thank you. Emails to your guests name the address now, and their answers go there.";
    EVENT_CLONED, "event-cloned", "This is the duplicate, a draft.";
    EVENT_REPEATED, "event-repeated", "Done. The new dates are published.";
    EVENT_REPEATED_AS_DRAFTS, "event-repeated-as-drafts", "Done. The new dates are drafts. Publish each when it is ready.";
    EVENT_DELETED, "event-deleted", "The draft is deleted.";
    EVENT_CANCELLED, "event-cancelled", "The event is cancelled. Everyone who is registered gets an email.";
    EVENT_CANCELLED_QUIETLY, "event-cancelled-quietly", "The event is cancelled. Nobody was registered, so no emails will be sent.";
    EVENTS_CANCELLED_QUIETLY, "events-cancelled-quietly", "The dates are cancelled. Nobody was registered, so no emails will be sent.";
    EVENTS_CANCELLED, "events-cancelled", "The dates are cancelled. Everyone who is registered gets an email.";
    EVENT_CANCELLED_UNTOLD, "event-cancelled-untold", "The event is cancelled. Some people whom you added get no email, since your account is new. Please tell them yourself.";
    EVENT_IS_OVER, "event-is-over", "This event is over, so nothing was changed.";
    APPROVED, "approved", "Done. They get an email.";
    NOBODY_WAITED, "nobody-waited", "None of them needs approval.";
    DECLINED, "declined", "Done. They get an email with your reason.";
    REGISTRATION_ADDED, "registration-added", "Done. They get an email.";
    REGISTRATION_WAITLISTED, "registration-waitlisted", "Waitlisted: all spots are taken. They get an email.";
    PROMOTED, "promoted", "Done. They have a spot now, and get an email.";
    MAIL_SENT_AGAIN, "mail-sent-again", "The email is on its way again.";
    ADDRESS_CORRECTED, "address-corrected", "Saved. We're emailing the new address and the old one.";
    REGISTRATION_SAVED, "registration-saved", "The registration is saved.";
    REGISTRATION_CANCELLED, "registration-cancelled", "The registration is cancelled. They get an email.";
    CHECKED_IN, "checked-in", "Checked in.";
    CHECK_IN_UNDONE, "check-in-undone", "The check-in is undone.";
    NOTHING_CHOSEN, "nothing-chosen", "Select at least one person first.";
    COVER_SENT, "cover-sent", "Your picture is the cover now.";
    COVER_REMOVED, "cover-removed", "Your picture is removed.";
    MESSAGE_SCHEDULED, "message-scheduled", "Your message is scheduled. You can cancel it until it is sent.";
    MESSAGE_SAVED, "message-saved", "Your changes to the message are saved.";
    MESSAGE_CANCELLED, "message-cancelled", "The message is cancelled. Nobody got it.";
    MESSAGE_CUT_SHORT, "message-cut-short", "The message is stopped. Emails that were on their way may still arrive.";
    MESSAGE_TOO_LATE, "message-too-late", "The message is on its way or was stopped, so it can no longer be changed.";
    ANSWERS_FIXED, "answers-fixed", "Your answers can no longer be changed.";
    MESSAGE_WAS_SENT, "message-was-sent", "There was nothing left to cancel.";
    KEY_REVOKED, "key-revoked", "The key is revoked. It stops working within seconds.";
    WEBHOOK_SAVED, "webhook-saved", "Your changes to the webhook are saved.";
    WEBHOOK_PAUSED, "webhook-paused", "The webhook is paused. Its messages wait.";
    WEBHOOK_ENABLED, "webhook-enabled", "The webhook is active. What waited is sent now.";
    WEBHOOK_DELETED, "webhook-deleted", "The webhook is deleted. It gets no more messages.";
    MESSAGES_REPLAYED, "messages-replayed", "The messages that failed are sent again.";
    MESSAGES_REPLAYED_IN_PART, "messages-replayed-in-part", "1,000 messages are sent again. There are more: replay once more.";
    MESSAGE_REPLAYED, "message-replayed", "The message is sent again.";
    MESSAGE_WAITS, "message-waits", "The message is waiting to be sent already.";
    NOTHING_FAILED, "nothing-failed", "Nothing failed in that time.";
    APP_DISCONNECTED, "app-disconnected", "The app is disconnected. It is refused within seconds.";
    INVITED, "invited", "The invitation is on its way.";
    INVITATION_WITHDRAWN, "invitation-withdrawn", "The invitation is withdrawn.";
    INVITATION_ACCEPTED, "invitation-accepted", "Welcome. You are a member now.";
    INVITATION_DECLINED, "invitation-declined", "The invitation is declined.";
    ROLE_CHANGED, "role-changed", "The role is changed.";
    MEMBER_REMOVED, "member-removed", "The member is removed.";
    ACCOUNT_CREATED, "account-created", "Your account is ready.";
    ACCOUNT_SAVED, "account-saved", "Your changes are saved.";
    MAILS_CHOSEN, "mails-chosen", "Your choice is saved.";
    ACCOUNT_LEFT, "account-left", "You are no longer a member of that account.";
    ACCOUNT_REMOVED, "account-removed", "The account and everything in it is removed.";
    PERSON_REMOVED, "person-removed", "You are removed. Thanks for having been here.";
    EMAIL_CHANGED, "email-changed", "Your address is changed. Your old address got a notice.";
    EMAIL_TAKEN_BACK, "email-taken-back", "You sign in with your old address again. All other browsers are signed out.";
}

impl Flash {
    /// What the page says.
    pub(crate) const fn words(self) -> &'static str {
        self.words
    }

    /// How it looks: nothing was done after some of them.
    pub(crate) fn tone(self) -> &'static str {
        const NOTHING_DONE: [Flash; 9] = [
            Flash::ANSWERS_FIXED,
            Flash::MESSAGE_TOO_LATE,
            Flash::MESSAGE_WAITS,
            Flash::NOTHING_FAILED,
            Flash::MESSAGE_WAS_SENT,
            Flash::NOTHING_CHOSEN,
            Flash::NOBODY_WAITED,
            Flash::EVENT_WAS_CANCELLED,
            Flash::EVENT_IS_OVER,
        ];
        if NOTHING_DONE.contains(&self) {
            "warn"
        } else {
            "good"
        }
    }

    /// What the request's cookie says.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let code = cookies::raw(headers, NAME)?;
        Self::ALL.iter().copied().find(|flash| flash.code == code)
    }
}

/// The cookies of an answer, until they are written.
#[derive(Debug, Clone, Default)]
struct Unwritten(Vec<Cookie>);

/// A cookie for the pages at a path.
#[derive(Debug, Clone)]
struct Cookie {
    code: &'static str,
    path: String,
    seconds: u32,
}

/// Ends the cookie of a page that was shown.
pub(crate) fn clear(response: &mut Response, path: &str) {
    add(response, "", path, 0);
}

fn add(response: &mut Response, code: &'static str, path: &str, seconds: u32) {
    let unwritten = response
        .extensions_mut()
        .get_or_insert_default::<Unwritten>();
    let path = path.to_owned();
    unwritten.0.push(Cookie {
        code,
        path,
        seconds,
    });
}

/// Writes the cookies of an answer, which browsers send over https alone if the site has it.
pub(crate) fn write(response: &mut Response, is_secure: bool) {
    let unwritten = response.extensions_mut().remove::<Unwritten>();
    for one in unwritten.unwrap_or_default().0 {
        let cookie = cookies::header(NAME, one.code, &one.path, one.seconds, is_secure);
        if let Some(cookie) = cookie {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

/// The way to a private page after a form, which says there what was done. A query may follow the path.
pub(crate) fn see(path: &str, done: Option<Flash>) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::SEE_OTHER;
    make_private(&mut response);
    if let Ok(location) = HeaderValue::try_from(path) {
        response.headers_mut().insert(LOCATION, location);
    }
    let page = path.split('?').next().unwrap_or_default();
    if let Some(done) = done {
        add(&mut response, done.code, page, SECONDS);
    }
    response
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::*;

    #[test]
    fn every_code_is_there_once() {
        for flash in Flash::ALL {
            let same = Flash::ALL.iter().filter(|other| other.code == flash.code);
            assert_eq!(same.count(), 1, "{}", flash.code);
        }
    }

    #[test]
    fn only_known_codes_are_shown() {
        for (cookies, found) in [
            ("muster-done=confirmed", Some(Flash::CONFIRMED)),
            ("a=b; muster-done=taken-over; c=d", Some(Flash::TAKEN_OVER)),
            ("muster-done=<b>", None),
            ("muster-done=", None),
            ("muster-donee=confirmed", None),
            ("x-muster-done=confirmed", None),
        ] {
            let headers = [(COOKIE, HeaderValue::from_static(cookies))];
            assert_eq!(
                Flash::of(&HeaderMap::from_iter(headers)),
                found,
                "{cookies}"
            );
        }
    }
}
