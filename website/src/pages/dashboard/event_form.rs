//! The form of an event, for new ones and for changes: its fields, what was typed, and what core is asked.

pub(super) mod changes;
pub(super) mod questions;
pub(super) mod reminders;

use http_kit::Problem;
use muster_api::{
    binding::PublicRpc as _,
    v1::{CreateEventRequest, MyEventDetail, bindings::CreateEvent},
    violation::Violation,
};

use crate::{
    cover::preview,
    date::wall_time,
    field::{Button, Field, FieldKind, FormModel, Group},
    form::{Form, NO_NUMBER, NOT_A_NUMBER},
};
use questions::Questions;
use reminders::REMINDERS;

/// The fields that are lines or paragraphs, by their names in the API.
pub(super) const TEXTS: [&str; 14] = [
    "title",
    "description",
    "location",
    "attendee_info",
    "city",
    "start_date",
    "end_date",
    "registration_opens",
    "registration_closes",
    "timezone",
    "image_query",
    VARIANT,
    "organizer_name",
    "contact_email",
];

/// Whether registration is not closed by hand. Not a tick: a form without the field closes nothing.
pub(super) const OPEN: &str = "is_registration_open";

/// Which of the pictures is the cover's.
const VARIANT: &str = "image_variant";

/// The pictures to choose from.
const VARIANTS: [(&str, &str); 3] = [("1", "First"), ("2", "Second"), ("3", "Third")];

/// The button that shows them.
const SHOW_PICTURES: Button = Button {
    label: "Show pictures",
    action: "pictures",
    target: VARIANT,
};

/// The fields that are ticked.
pub(super) const TICKS: [&str; 4] = [
    "is_listed",
    "is_location_private",
    "requires_approval",
    "allows_answer_changes",
];

/// The fields of the drawings to choose from, which a picture of the organizer's own makes pointless.
pub(super) const DRAWING: [&str; 2] = ["image_query", VARIANT];

/// The form, with what was typed and what core says of it.
pub(super) struct EventForm {
    pub(super) model: FormModel,
    pub(super) questions: Questions,
}

/// Whether the form is for an event that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    New {
        /// Whether people confirm their address if the event does not say.
        confirms: bool,
    },
    Change,
}

impl EventForm {
    /// The form as it was typed.
    pub(super) fn of(purpose: Purpose, typed: &Form) -> Self {
        Self {
            model: FormModel::grouped(groups(purpose, typed)).filled(typed),
            questions: Questions::of(typed),
        }
    }

    /// The same form with core's words beside the fields.
    pub(super) fn refused(mut self, typed: &Form, violations: &[Violation]) -> Self {
        let is_number = |name: &str| typed.number(name) != Some(NO_NUMBER);
        let is_question = |one: &Violation| one.field.starts_with("custom_fields");
        let (of_questions, mut others): (Vec<_>, Vec<_>) =
            violations.iter().cloned().partition(is_question);
        let numbers = ["max_capacity", "max_party"];
        for one in others
            .iter_mut()
            .filter(|one| numbers.contains(&&*one.field))
        {
            if !is_number(&one.field) {
                NOT_A_NUMBER.clone_into(&mut one.message);
            }
        }
        self.model = self.model.refused(&others);
        let mistakes = self.questions.refused(&of_questions);
        self.model.mistakes.extend(mistakes);
        self
    }
}

/// Whether the form was sent only to see the pictures for its words.
pub(super) fn asks_for_pictures(typed: &Form) -> bool {
    typed.value("action") == Some(SHOW_PICTURES.action)
}

/// What a new form begins with.
pub(super) fn blank(timezone: &str) -> Form {
    let fields = [
        ("timezone", timezone),
        ("max_capacity", "100"),
        ("is_listed", "true"),
        (OPEN, "true"),
    ];
    Form::of(fields.into_iter().chain(reminders::BLANK))
}

/// An event as its form has it.
pub(super) fn stored(event: &MyEventDetail) -> Form {
    let start = wall_time(&event.start_date);
    let end = event.end_date.as_deref().map(wall_time);
    // Without an end of its own, the end is the start and follows it.
    let end = end.filter(|end| *end != start);
    let event = event.clone();
    let time = |time: &Option<String>| time.as_deref().map(wall_time).unwrap_or_default();
    let fields = [
        ("title", event.title),
        ("description", event.description),
        ("location", event.location),
        ("is_location_private", event.is_location_private.to_string()),
        ("attendee_info", event.attendee_info.unwrap_or_default()),
        ("city", event.city.unwrap_or_default()),
        ("start_date", start),
        ("end_date", end.unwrap_or_default()),
        ("registration_opens", time(&event.registration_opens)),
        ("registration_closes", time(&event.registration_closes)),
        (OPEN, event.is_registration_open.to_string()),
        ("timezone", event.timezone),
        ("max_capacity", event.max_capacity.to_string()),
        ("max_party", event.max_party.to_string()),
        ("image_query", event.image_query.unwrap_or_default()),
        (VARIANT, event.image_variant.to_string()),
        ("organizer_name", event.organizer_name.unwrap_or_default()),
        ("contact_email", event.contact_email.unwrap_or_default()),
        ("confirm_by_email", event.confirm_by_email.to_string()),
        ("is_listed", event.is_listed.to_string()),
        ("requires_approval", event.requires_approval.to_string()),
        (
            "allows_answer_changes",
            event.allows_answer_changes.to_string(),
        ),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    let questions = questions::stored(&event.custom_fields);
    let reminders = reminders::stored(&event.reminders);
    let fields = fields.into_iter().chain(questions);
    Form::of(fields.chain(reminders))
}

/// What core is asked for a new event.
pub(super) fn create_request(form: &Form, is_public: bool) -> CreateEventRequest {
    let custom_fields = Questions::of(form).asked();
    let mut request = CreateEventRequest {
        title: form.text("title"),
        description: form.text("description"),
        location: form.text("location"),
        start_date: form.text("start_date"),
        end_date: form.text("end_date"),
        registration_opens: form.text("registration_opens"),
        registration_closes: form.text("registration_closes"),
        is_registration_open: Some(is_open(form)),
        max_capacity: form.number("max_capacity"),
        max_party: form.number("max_party"),
        is_public: Some(is_public),
        is_location_private: Some(form.is_ticked("is_location_private")),
        attendee_info: form.text("attendee_info"),
        city: form.text("city"),
        image_query: form.text("image_query"),
        image_variant: variant(form),
        custom_fields,
        timezone: form.text("timezone"),
        is_listed: Some(form.is_ticked("is_listed")),
        requires_approval: Some(form.is_ticked("requires_approval")),
        confirm_by_email: form.value("confirm_by_email").map(|value| value == "true"),
        allows_answer_changes: Some(form.is_ticked("allows_answer_changes")),
        organizer_name: form.text("organizer_name"),
        contact_email: form.text("contact_email"),
        reminders: reminders::asked(form),
        empty_lists: None,
    };
    CreateEvent::set_update_mask(&mut request, vec![REMINDERS.to_owned()]);
    request
}

/// Whether registration is not closed by hand.
pub(super) fn is_open(form: &Form) -> bool {
    form.value(OPEN) != Some("false")
}

/// The number of the chosen picture.
pub(super) fn variant(form: &Form) -> Option<i32> {
    form.value(VARIANT)?.parse().ok()
}

/// What core refused, at the fields that it is about; empty if it is about none.
pub(super) fn placed(problem: &Problem) -> Vec<Violation> {
    let at = |field: &str, message: String| {
        vec![Violation {
            field: field.to_owned(),
            message,
        }]
    };
    match problem.code {
        _ if matches!(problem.http_status, 400 | 403) && !problem.details.is_empty() => {
            problem.details.clone()
        }
        "CAPACITY_TOO_LOW" => {
            // The message begins with the field's name.
            let rule = problem.message.strip_prefix("max_capacity ");
            at("max_capacity", rule.unwrap_or(&problem.message).to_owned())
        }
        "PLAN_REQUIRED" => at("requires_approval", "needs a paid plan".to_owned()),
        "QUOTA_EXCEEDED" => at("active_events", problem.message.clone()),
        _ => Vec::new(),
    }
}

fn groups(purpose: Purpose, typed: &Form) -> Vec<Group> {
    vec![
        Group::titled("What", what(purpose, typed)),
        Group::titled("When", when()),
        Group::titled("Where", place()),
        Group::titled("Registration", registration(purpose)),
        Group::titled("Reminders", reminders::fields(typed).collect()),
        Group::titled("Organizer", organizer()).hint("People see both with the event."),
        Group::titled("Visibility", visibility()),
    ]
}

fn what(purpose: Purpose, typed: &Form) -> Vec<Field> {
    let mut fields = vec![
        Field::line("title", "Title").required(),
        Field::paragraphs("description", "Description")
            .hint("Leave an empty line between paragraphs. You can use Markdown for lists, links and headings.")
            .required(),
        Field::line("image_query", "Cover picture")
            .hint("A few words, for example: beach at sunset. Without words the cover shows the title.")
            .button(SHOW_PICTURES),
    ];
    if purpose == Purpose::Change || asks_for_pictures(typed) || typed.value(VARIANT).is_some() {
        fields.push(pictures(typed));
    }
    fields
}

/// The covers that the event can have with what was typed.
fn pictures(typed: &Form) -> Field {
    let first = VARIANTS.first().map_or("", |(value, _)| value);
    let chosen = typed.value(VARIANT).unwrap_or(first);
    let mut field = Field::new(FieldKind::Radio, VARIANT, "Choose a cover");
    field.pictures = VARIANTS.map(|(value, _)| preview(typed, value)).to_vec();
    field.options(VARIANTS, &[chosen])
}

fn when() -> Vec<Field> {
    let time = |name, label| Field::new(FieldKind::WallTime, name, label);
    vec![
        time("start_date", "Start").required(),
        time("end_date", "End").hint("Leave it empty if the end is open."),
        Field::new(FieldKind::Zone, "timezone", "Time zone")
            .hint("The zone of the place, for example Europe/Berlin.")
            .required(),
    ]
}

fn place() -> Vec<Field> {
    vec![
        Field::line("location", "Place")
            .hint("An address. A link to join belongs under For guests only.")
            .required(),
        Field::tick("is_location_private", "Only guests see the place")
            .hint("Everyone else sees the city."),
        Field::line("city", "City")
            .hint("People look for it.")
            .autocomplete("address-level2"),
        Field::paragraphs("attendee_info", "For guests only").hint(
            "A link to join, how to get in, what to bring: only people with a spot read it, in their emails and on their registration page. \
             You can use Markdown. They get an email when you change it.",
        ),
    ]
}

fn registration(purpose: Purpose) -> Vec<Field> {
    let time = |name, label| Field::new(FieldKind::WallTime, name, label);
    // An event that is there has the one or the other.
    let usual = match purpose {
        Purpose::New { confirms: true } => Some(("", "Site default (on)")),
        Purpose::New { confirms: false } => Some(("", "Site default (off)")),
        Purpose::Change => None,
    };
    let options = usual.into_iter().chain([("true", "Yes"), ("false", "No")]);
    vec![
        Field::new(FieldKind::Number, "max_capacity", "Spots")
            .hint("At most 10,000. When they are taken, people join a waitlist.")
            .required(),
        Field::new(FieldKind::Number, "max_party", "People in one registration")
            .hint("More than 1 lets people bring friends or family, at most 10.")
            .value("1")
            .required(),
        time("registration_opens", "Registration opens")
            .hint("Leave it empty if people can register at once."),
        time("registration_closes", "Registration closes")
            .hint("Leave it empty if people can register until the event starts."),
        Field::new(FieldKind::Select, OPEN, "Registration is")
            .hint("If you close it, its page says so. You can still add people.")
            .options(
                [("true", "Open at these times"), ("false", "Closed")],
                &["true"],
            )
            .required(),
        Field::tick("requires_approval", "I approve each registration")
            .hint("People request to join, and you decide."),
        Field::new(
            FieldKind::Select,
            "confirm_by_email",
            "People confirm their email address",
        )
        .hint("Keeps out mistyped and invented addresses.")
        .options(options, &[""])
        .required(),
        Field::tick(
            "allows_answer_changes",
            "Guests can change their answers until the event starts",
        )
        .hint("Also how many people they come with, if it is fewer. You get an email."),
    ]
}

fn organizer() -> Vec<Field> {
    vec![
        Field::line("organizer_name", "Name").autocomplete("organization"),
        Field::email("contact_email", "Email address for questions").hint(
            "Emails name it if it is a member's, or once you typed a code that we send there.",
        ),
    ]
}

fn visibility() -> Vec<Field> {
    vec![
        Field::tick("is_listed", "Show it in the public list of events")
            .hint("Otherwise only people with the link find it."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_comes_out_of_its_form_as_it_went_in() {
        let event = MyEventDetail {
            title: "Rust Night".to_owned(),
            description: "One\n\nTwo".to_owned(),
            location: "c-base".to_owned(),
            start_date: "2030-05-14T19:00:00+02:00".to_owned(),
            end_date: Some("2030-05-14T19:00:00+02:00".to_owned()),
            timezone: "Europe/Berlin".to_owned(),
            max_capacity: 80,
            requires_approval: true,
            registration_closes: Some("2030-05-13T20:00:00+02:00".to_owned()),
            ..MyEventDetail::default()
        };
        let request = create_request(&stored(&event), false);
        assert_eq!(request.title.as_deref(), Some("Rust Night"));
        assert_eq!(request.description.as_deref(), Some("One\n\nTwo"));
        assert_eq!(request.start_date.as_deref(), Some("2030-05-14T19:00"));
        assert_eq!(request.end_date, None, "the end follows the start");
        assert_eq!((request.max_capacity, request.city), (Some(80), None));
        assert_eq!(request.requires_approval, Some(true));
        assert_eq!(request.is_listed, Some(false));
        assert_eq!(request.registration_opens, None);
        let closes = request.registration_closes;
        assert_eq!(closes.as_deref(), Some("2030-05-13T20:00"));
        assert_eq!(request.is_registration_open, Some(false));
        let without = create_request(&Form::parse(b"title=Rust"), false);
        assert_eq!(without.is_registration_open, Some(true));
    }

    #[test]
    fn what_is_no_number_is_told_beside_the_field() {
        let form = Form::parse(b"max_capacity=many");
        let request = create_request(&form, false);
        let problem = muster_api::validation::check(&request).unwrap_err();
        let form = EventForm::of(Purpose::New { confirms: false }, &form).refused(&form, &problem);
        let seats = form
            .model
            .fields()
            .find(|field| field.name == "max_capacity");
        let seats = seats.unwrap();
        assert_eq!(seats.problem.as_deref(), Some("Enter a whole number."));
        assert_eq!(seats.value, "many");
        assert!(
            form.model.mistakes.len() > 1,
            "and the rest is told as well"
        );
    }
}
