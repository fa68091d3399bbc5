//! One sentence for each entry.

use serde_json::Value;

use super::Activity;
use crate::person::for_events;

/// A member's role, and for which events it is, unless it is for all of them in this entry and what it is compared with.
fn position(fields: Option<&Value>, other: Option<&Value>, unknown: &str) -> String {
    let of = |fields: Option<&Value>, field: &str| fields.and_then(|one| one.get(field).cloned());
    let role = of(fields, "role");
    let role = role.as_ref().and_then(Value::as_str).unwrap_or(unknown);
    let number = |fields| Some(of(fields, "events")?.as_array()?.len());
    let events = for_events(number(fields), number(other));
    format!("{role}{events}")
}

impl Activity {
    /// What happened, in words. Actions that this version does not know are named.
    pub fn sentence(&self) -> String {
        let (by, event) = (self.by(), self.event());
        let text = self.of_event(&by, &event);
        let text = text.or_else(|| self.of_attendee(&by, &event));
        let text = text.or_else(|| self.of_organizer(&by, &event));
        let text = text.or_else(|| self.of_message(&by, &event));
        let text = text.or_else(|| self.of_member(&by));
        let text = text.or_else(|| self.of_app(&by));
        let text = text.or_else(|| self.of_person());
        let text = text.or_else(|| self.of_export(&by, &event));
        let text = text.unwrap_or_else(|| self.of_account(&by));
        match &self.reason {
            Some(reason) => format!("{text}. Reason: {reason}"),
            None => text,
        }
    }

    fn of_event(&self, by: &str, event: &str) -> Option<String> {
        Some(match &*self.action {
            "event.create" => format!("{by} created {event}"),
            "event.copy" => format!("{by} duplicated an event as {event}"),
            "event.update" => format!("{by} changed {} of {event}", self.changed()),
            "event.move_clocks" => format!(
                "New rules for clocks moved {event}: its local time stays, elsewhere it is another"
            ),
            "event.skip_clocks" => {
                format!("By new rules for clocks they skip the time of {event}: it needs another")
            }
            "event.put_cover" => format!("{by} sent a picture for {event}"),
            "event.delete_cover" => format!("{by} removed the picture of {event}"),
            "event.publish" => format!("{by} published {event}"),
            "event.unpublish" => format!("{by} unpublished {event}"),
            "event.cancel" => format!("{by} cancelled {event}"),
            "event.hide" => format!("{by} hid {event} from the public"),
            "event.show" => format!("{by} showed {event} to the public again"),
            "event.delete" => format!("{by} deleted the draft {event}"),
            "event.promote_waitlist" => {
                let people = self.count("promoted");
                format!("From the waitlist of {event}, {people} got a spot")
            }
            "event.release_seats" => {
                let people = self.count("released");
                format!("Spots at {event} were held no longer for {people} who did not confirm")
            }
            "event.lapse_registrations" => {
                let people = self.count("lapsed");
                format!("Registrations for {event} lapsed of {people} who did not confirm")
            }
            "event.remind" => {
                let (people, hours) = (self.count("reminded"), self.hours());
                format!("A reminder was due for {people}, {hours} before {event}")
            }
            "event.miss_reminder" => format!(
                "The reminder {} before {event} was not sent: this server was not able to in time",
                self.hours()
            ),
            _ => return None,
        })
    }

    /// What a registrant did.
    fn of_attendee(&self, by: &str, event: &str) -> Option<String> {
        let status = self.after("status");
        Some(match &*self.action {
            "registration.create" if self.actor == "attendee" => {
                format!("{by} registered for {event}: {status}")
            }
            "registration.repeat" => format!("{by} registered for {event} again"),
            "registration.confirm" => {
                format!("{by} confirmed the registration for {event}: {status}")
            }
            "registration.change_answers" => {
                format!("{by} changed their {} for {event}", self.changed())
            }
            "registration.take_over_details" => {
                let changed = self.changed();
                format!("{by} changed {changed} of the registration for {event}")
            }
            "registration.refuse_mail" => {
                format!("{by} wants no more email from this account")
            }
            "registration.refuse_reminders" => {
                format!("{by} wants no reminders of {event}")
            }
            "registration.stop_messages" => {
                format!("{by} wants no more messages from this account")
            }
            "registration.resume_messages" => {
                format!("{by} wants messages from this account again")
            }
            "registration.cancel" if self.actor == "attendee" => {
                format!("{by} cancelled the registration for {event}")
            }
            _ => return None,
        })
    }

    /// What the organizer or the operator did with a registration.
    fn of_organizer(&self, by: &str, event: &str) -> Option<String> {
        let person = self.attendee.as_deref().unwrap_or("an attendee");
        let status = self.after("status");
        let whose = format!("the registration of {person} for {event}");
        Some(match &*self.action {
            "registration.create" => format!("{by} registered {person} for {event}: {status}"),
            "registration.approve" => format!("{by} approved {whose}: {status}"),
            "registration.decline" => format!("{by} declined {whose}"),
            "registration.promote" => {
                format!("{by} gave {person} a spot at {event} from the waitlist")
            }
            "registration.send_mail_again" => {
                format!("{by} sent {person} the email about {event} again")
            }
            "registration.cancel" => format!("{by} cancelled {whose}"),
            "registration.update" => format!("{by} changed {} of {whose}", self.changed()),
            "registration.check_in" => format!("{by} checked {person} in at {event}"),
            "registration.undo_check_in" => {
                format!("{by} undid the check-in of {person} at {event}")
            }
            "registration.erase" => format!("{by} erased a registration for {event}"),
            _ => return None,
        })
    }

    /// What became of a message. Nobody reads its text here.
    fn of_message(&self, by: &str, event: &str) -> Option<String> {
        let number = self
            .after
            .as_ref()
            .and_then(|after| after.get("number")?.as_i64());
        let number = number.unwrap_or_default();
        let message = format!("message {number} to the guests of {event}");
        Some(match &*self.action {
            "message.create" => format!("{by} wrote {message}"),
            "message.update" => format!("{by} changed {message}"),
            "message.cancel" => format!("{by} cancelled {message}"),
            "message.send" if self.number("recipients").is_some() => {
                let people = self.count("recipients");
                format!("The time of {message} has come: it goes to {people}")
            }
            "message.send" => format!("The time of {message} has come: it is sent"),
            "message.delay" => {
                format!("The emails of the day were used up: {message} waits for the next day")
            }
            "message.stop" => format!("The time of {message} had come, but it was stopped"),
            _ => return None,
        })
    }

    fn of_member(&self, by: &str) -> Option<String> {
        let member = self.member.as_deref().unwrap_or("a former member");
        let role = position(self.after.as_ref(), self.before.as_ref(), "unknown");
        Some(match &*self.action {
            "member.invite" => format!("{by} invited someone to become a member: {role}"),
            "member.end_invitation" => format!("{by} ended an invitation to become a member"),
            "member.join" => format!("{by} accepted an invitation and became a member: {role}"),
            "member.change_role" => {
                let before = position(self.before.as_ref(), self.after.as_ref(), "another");
                format!("{by} changed the role of {member} from {before} to {role}")
            }
            "member.leave" => format!("{by} left the account"),
            "member.remove" => format!("{by} removed {member} from the account"),
            _ => return None,
        })
    }

    /// What happened to a person, whichever account they are about.
    fn of_person(&self) -> Option<String> {
        let person = self.member.as_deref().unwrap_or("Someone");
        let device = self.text("device").filter(|device| !device.is_empty());
        let device = device.unwrap_or("a browser");
        let sessions = self.after.as_ref().and_then(|after| after.get("sessions"));
        Some(match &*self.action {
            "person.sign_in" if self.is_after("new_browser") => {
                format!("{person} signed in with a browser that was new to them: {device}")
            }
            "person.sign_in" => format!("{person} signed in with {device}"),
            "person.step_up" => format!("{person} confirmed by a code that it was them"),
            "person.wrong_code" if self.times == 1 => {
                format!("A wrong code was typed to sign in or to go on as {person}")
            }
            "person.wrong_code" => format!(
                "{} wrong codes were typed to sign in or to go on as {person}",
                self.times
            ),
            "person.end_sessions" => match sessions.and_then(Value::as_i64) {
                None | Some(1) => format!("{person} ended a session: {device}"),
                Some(sessions) => format!("{person} ended {sessions} sessions"),
            },
            "person.change_email" => format!("{person} changed their email address"),
            "person.take_back_email" => {
                format!("{person} took back an email address that had been changed")
            }
            _ => return None,
        })
    }

    /// Who took what away.
    fn of_export(&self, by: &str, event: &str) -> Option<String> {
        Some(match &*self.action {
            "event.export_registrations" => {
                format!("{by} downloaded the attendee list of {event}")
            }
            "account.export_activity" => format!("{by} downloaded the activity"),
            "account.export" => {
                format!("{by} downloaded everything that the account holds")
            }
            _ => return None,
        })
    }

    fn is_after(&self, field: &str) -> bool {
        let after = self.after.as_ref();
        let value = after.and_then(|after| after.get(field)?.as_bool());
        value.unwrap_or(false)
    }

    fn of_app(&self, by: &str) -> Option<String> {
        let named = |name: &String| format!("the app \"{name}\"");
        let app = self.app.as_ref().map_or_else(|| "an app".to_owned(), named);
        Some(match (&*self.action, self.after("why")) {
            ("app.connect", _) => format!("{by} connected {app}"),
            ("app.disconnect", "by_app") => format!("{by} disconnected itself"),
            ("app.disconnect", "displaced") => {
                format!("{by} disconnected {app}, which was connected many times since")
            }
            ("app.disconnect", "no_member") => {
                format!("{by} disconnected {app} with the person for whom it acted")
            }
            ("app.disconnect", "refresh_token_reused") => {
                format!(
                    "{by} disconnected {app}, since one of its tokens was used twice and may have been stolen"
                )
            }
            ("app.disconnect", "code_reused") => {
                format!(
                    "{by} disconnected {app}, since its code was used twice and may have been stolen"
                )
            }
            ("app.disconnect", _) => format!("{by} disconnected {app}"),
            _ => return None,
        })
    }

    fn of_account(&self, by: &str) -> String {
        let key = self.key_label.as_deref().or_else(|| self.text("label"));
        let key = key.map_or_else(
            || "a key".to_owned(),
            |label| format!("the key \"{label}\""),
        );
        match &*self.action {
            "account.create" => format!("{by} created the account"),
            "account.set_plan" => {
                let before = self.before("plan");
                format!(
                    "{by} changed the plan from {before} to {}",
                    self.after("plan")
                )
            }
            "account.update" => format!("{by} changed the account"),
            "account.change_handle" => format!("{by} changed the address of the organizer’s page"),
            "account.suspend" => format!("{by} suspended the account"),
            "account.trust" => {
                format!("{by} lifted the limit of new accounts on emails")
            }
            "account.resume" => format!("{by} resumed the account"),
            "account.hold_mail" => format!("{by} held all email of the account"),
            "account.release_mail" => format!("{by} released the email of the account"),
            "account.drop_mail" => format!("{by} dropped the queued email of the account"),
            "account.remove" => format!("{by} removed the account"),
            "account.erase" => format!("{by} erased a person's name from the account"),
            "key.create" => format!("{by} created {key}"),
            "key.replace" => format!("{by} replaced {key} by a new one"),
            "key.take_over" => {
                format!("{by} took over {key} of a removed member, with a new secret")
            }
            "key.revoke" => format!("{by} revoked {key}"),
            "mail.retry" => format!("{by} sent a failed mail again"),
            other => format!("{by}: {}", other.replace(['.', '_'], " ")),
        }
    }

    fn by(&self) -> String {
        match (&*self.actor, self.actor_name.as_deref()) {
            (kind @ ("key" | "app"), name) => {
                let program = name.map_or_else(
                    || if kind == "key" { "A key" } else { "An app" }.to_owned(),
                    |name| format!("The {kind} \"{name}\""),
                );
                match &self.on_behalf_of {
                    Some(person) => format!("{program} of {person}"),
                    None => program,
                }
            }
            ("admin", _) => "The operator".to_owned(),
            ("system", name) => name.unwrap_or("Muster").to_owned(),
            ("attendee", _) => self
                .attendee
                .clone()
                .unwrap_or_else(|| "An attendee".to_owned()),
            (_, Some(name)) => name.to_owned(),
            (_, None) => "Someone".to_owned(),
        }
    }

    fn event(&self) -> String {
        let title = self.event_title.as_deref();
        let title = title.or_else(|| self.text("title"));
        let title = title.or_else(|| self.before.as_ref()?.get("title")?.as_str());
        title.map_or_else(|| "an event".to_owned(), |title| format!("\"{title}\""))
    }

    /// The names of the fields that changed, as a list in words.
    fn changed(&self) -> String {
        let listed = self
            .after
            .as_ref()
            .and_then(|after| after.get("changed")?.as_array());
        let names: Vec<String> = match (listed, &self.after) {
            (Some(names), _) => names.iter().filter_map(Value::as_str).map(words).collect(),
            (None, Some(Value::Object(fields))) => fields.keys().map(|name| words(name)).collect(),
            _ => Vec::new(),
        };
        match &names[..] {
            [] => "something".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.after.as_ref()?.get(field)?.as_str()
    }

    fn after(&self, field: &str) -> &str {
        self.text(field).unwrap_or("unknown")
    }

    fn before(&self, field: &str) -> &str {
        let fields = self.before.as_ref();
        let text = fields.and_then(|fields| fields.get(field)?.as_str());
        text.unwrap_or("another")
    }

    fn hours(&self) -> String {
        match self.number("hours") {
            Some(1) => "an hour".to_owned(),
            Some(hours) => format!("{hours} hours"),
            None => "some time".to_owned(),
        }
    }

    fn number(&self, field: &str) -> Option<i64> {
        let after = self.after.as_ref();
        after.and_then(|after| after.get(field)?.as_i64())
    }

    fn count(&self, field: &str) -> String {
        match self.number(field) {
            Some(1) => "one person".to_owned(),
            Some(count) => format!("{count} people"),
            None => "someone".to_owned(),
        }
    }
}

fn words(name: &str) -> String {
    match name {
        "series_id" => "the series".to_owned(),
        _ => name.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::{activity::FieldChange, instant::Instant};

    fn entry(actor: &str, action: &str) -> Activity {
        Activity {
            id: Uuid::nil(),
            at: Instant::from_micros(0),
            actor: actor.to_owned(),
            actor_name: match actor {
                "key" => Some("laptop".to_owned()),
                "person" => Some("Olga".to_owned()),
                "app" => Some("Claude".to_owned()),
                _ => None,
            },
            on_behalf_of: matches!(actor, "app" | "key").then(|| "Olga".to_owned()),
            action: action.to_owned(),
            subject_id: Uuid::nil(),
            event_id: None,
            event_title: Some("Rust Meetup".to_owned()),
            attendee: Some("Ada".to_owned()),
            key_label: None,
            app: Some("Cursor".to_owned()),
            member: Some("Dora".to_owned()),
            before: None,
            after: None,
            reason: None,
            times: 1,
        }
    }

    #[test]
    fn what_apps_do_has_a_sentence() {
        let fields = |actor: &str, action: &str, after: Value| Activity {
            after: Some(after),
            ..entry(actor, action)
        };
        for (entry, expected) in [
            (
                entry("app", "event.publish"),
                "The app \"Claude\" of Olga published \"Rust Meetup\"",
            ),
            (
                fields("person", "app.connect", json!({"scopes": "events:read"})),
                "Olga connected the app \"Cursor\"",
            ),
            (
                fields("app", "app.disconnect", json!({"why": "by_app"})),
                "The app \"Claude\" of Olga disconnected itself",
            ),
            (
                fields("person", "app.disconnect", json!({"why": "by_person"})),
                "Olga disconnected the app \"Cursor\"",
            ),
            (
                fields("system", "app.disconnect", json!({"why": "no_member"})),
                "Muster disconnected the app \"Cursor\" with the person for whom it acted",
            ),
        ] {
            assert_eq!(entry.sentence(), expected);
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one sentence for each action")]
    fn every_action_has_a_sentence() {
        let fields = |actor: &str, action: &str, after: Value| Activity {
            after: Some(after),
            ..entry(actor, action)
        };
        let status = || json!({"status": "Confirmed", "checked_in": false});
        for (entry, expected) in [
            (
                entry("key", "event.publish"),
                "The key \"laptop\" of Olga published \"Rust Meetup\"",
            ),
            (
                fields(
                    "key",
                    "event.update",
                    json!({"title": "x", "start_date": "y", "city": null}),
                ),
                "The key \"laptop\" of Olga changed title, start date and city of \"Rust Meetup\"",
            ),
            (
                fields("person", "event.update", json!({"series_id": "018f"})),
                "Olga changed the series of \"Rust Meetup\"",
            ),
            (
                Activity {
                    reason: Some("Rain".to_owned()),
                    ..entry("admin", "event.cancel")
                },
                "The operator cancelled \"Rust Meetup\". Reason: Rain",
            ),
            (
                fields(
                    "system",
                    "message.send",
                    json!({"number": 1, "recipients": 12}),
                ),
                "The time of message 1 to the guests of \"Rust Meetup\" has come: it goes to 12 people",
            ),
            // Of versions that did not record how many.
            (
                fields("system", "message.send", json!({"number": 1})),
                "The time of message 1 to the guests of \"Rust Meetup\" has come: it is sent",
            ),
            (
                fields("system", "event.promote_waitlist", json!({"promoted": 2})),
                "From the waitlist of \"Rust Meetup\", 2 people got a spot",
            ),
            (
                fields("attendee", "registration.create", status()),
                "Ada registered for \"Rust Meetup\": Confirmed",
            ),
            (
                fields("attendee", "registration.create", status()).without_attendees(),
                "An attendee registered for \"Rust Meetup\": Confirmed",
            ),
            (
                fields(
                    "key",
                    "registration.update",
                    json!({"changed": ["name", "answers"]}),
                ),
                "The key \"laptop\" of Olga changed name and answers of the registration of Ada for \"Rust Meetup\"",
            ),
            (
                fields(
                    "attendee",
                    "registration.change_answers",
                    json!({"changed": ["answers", "party_size"]}),
                ),
                "Ada changed their answers and party size for \"Rust Meetup\"",
            ),
            (
                entry("attendee", "registration.cancel"),
                "Ada cancelled the registration for \"Rust Meetup\"",
            ),
            (
                fields("admin", "key.create", json!({"label": "phone"})),
                "The operator created the key \"phone\"",
            ),
            (
                fields("person", "member.invite", json!({"role": "door"})),
                "Olga invited someone to become a member: door",
            ),
            (
                entry("person", "member.end_invitation"),
                "Olga ended an invitation to become a member",
            ),
            (
                fields("person", "member.join", json!({"role": "door"})),
                "Olga accepted an invitation and became a member: door",
            ),
            (
                Activity {
                    before: Some(json!({"role": "door"})),
                    ..fields("person", "member.change_role", json!({"role": "owner"}))
                },
                "Olga changed the role of Dora from door to owner",
            ),
            (
                fields(
                    "person",
                    "member.invite",
                    json!({"role": "door", "events": ["a", "b"]}),
                ),
                "Olga invited someone to become a member: door for 2 events",
            ),
            (
                Activity {
                    before: Some(json!({"role": "organizer"})),
                    ..fields(
                        "person",
                        "member.change_role",
                        json!({"role": "door", "events": ["a"]}),
                    )
                },
                "Olga changed the role of Dora from organizer for all events to door for one event",
            ),
            (entry("person", "member.leave"), "Olga left the account"),
            (
                entry("person", "member.remove"),
                "Olga removed Dora from the account",
            ),
            (
                entry("robot", "member.leave_early"),
                "Someone: member leave early",
            ),
        ] {
            assert_eq!(entry.sentence(), expected);
        }
    }

    #[test]
    fn what_happens_to_people_and_exports_have_a_sentence() {
        let fields = |actor: &str, action: &str, after: Value| Activity {
            after: Some(after),
            ..entry(actor, action)
        };
        for (entry, expected) in [
            (
                Activity {
                    key_label: Some("phone".to_owned()),
                    ..entry("person", "key.revoke")
                },
                "Olga revoked the key \"phone\"",
            ),
            (
                fields(
                    "system",
                    "person.sign_in",
                    json!({"device": "Firefox on Linux"}),
                ),
                "Dora signed in with Firefox on Linux",
            ),
            (
                fields(
                    "system",
                    "person.sign_in",
                    json!({"device": "", "new_browser": true}),
                ),
                "Dora signed in with a browser that was new to them: a browser",
            ),
            (
                Activity {
                    times: 12,
                    ..entry("system", "person.wrong_code")
                },
                "12 wrong codes were typed to sign in or to go on as Dora",
            ),
            (
                fields("person", "person.end_sessions", json!({"sessions": 3})),
                "Dora ended 3 sessions",
            ),
            (
                entry("key", "event.export_registrations"),
                "The key \"laptop\" of Olga downloaded the attendee list of \"Rust Meetup\"",
            ),
            (
                entry("person", "account.export_activity"),
                "Olga downloaded the activity",
            ),
            (
                Activity {
                    key_label: Some("phone".to_owned()),
                    ..entry("person", "key.take_over")
                },
                "Olga took over the key \"phone\" of a removed member, with a new secret",
            ),
        ] {
            assert_eq!(entry.sentence(), expected);
        }
    }

    #[test]
    fn what_was_deleted_is_named_by_what_the_log_knows() {
        let deleted = Activity {
            event_title: None,
            before: Some(json!({"title": "Draft"})),
            ..entry("key", "event.delete")
        };
        assert_eq!(
            deleted.sentence(),
            "The key \"laptop\" of Olga deleted the draft \"Draft\""
        );
    }

    #[test]
    fn changes_are_shown_as_texts_of_limited_length() {
        let entry = Activity {
            before: Some(json!({"city": null, "max_capacity": 1, "old": true})),
            after: Some(json!({"city": "x".repeat(500), "max_capacity": 2})),
            ..entry("key", "event.update")
        };
        let change = |field: &str, before: Option<&str>, after: Option<&str>| FieldChange {
            field: field.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        let long = "x".repeat(200);
        let expected = [
            change("city", None, Some(&long)),
            change("max_capacity", Some("1"), Some("2")),
            change("old", Some("true"), None),
        ];
        assert_eq!(entry.changes(), expected);
    }
}
