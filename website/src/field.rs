//! Fields of the forms that signed-in people fill. They are named as the API names them, so that what core says about a field
//! stands beside it.

mod model;
mod sentence;

use muster_api::violation::Violation;

use crate::form::Form;

pub(crate) use model::{FormModel, Group, Mistake};

/// A field with what was typed into it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Its path in the API, by which core says what is wrong with it.
    pub(crate) path: String,
    pub(crate) label: String,
    pub(crate) hint: Option<String>,
    pub(crate) kind: FieldKind,
    pub(crate) value: String,
    pub(crate) is_checked: bool,
    pub(crate) is_required: bool,
    pub(crate) options: Vec<Choice>,
    /// How many options are shown, if the others are folded away.
    pub(crate) shown: Option<usize>,
    /// What is wrong with it.
    pub(crate) problem: Option<String>,
    /// What it is elsewhere by now.
    pub(crate) notice: Option<String>,
    pub(crate) autocomplete: &'static str,
    /// The kinds of a file.
    pub(crate) accept: &'static str,
    /// Addresses of pictures of its options.
    pub(crate) pictures: Vec<String>,
    /// A button beside it.
    pub(crate) button: Option<Button>,
    /// Whether the page begins here: its notice is a question.
    pub(crate) is_asked: bool,
}

/// A button that sends a form to be shown again with more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Button {
    pub(crate) label: &'static str,
    /// Its value as the form's `action`.
    pub(crate) action: &'static str,
    /// The id of what is shown then.
    pub(crate) target: &'static str,
}

/// How a field is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum FieldKind {
    #[default]
    Line,
    Paragraphs,
    Email,
    Number,
    Date,
    /// Date and time of day, as clocks at the event show them.
    WallTime,
    /// A time zone, of a list.
    Zone,
    /// Digits from a mail.
    Code,
    Select,
    /// One of some, which are all shown.
    Radio,
    /// A file from the person's device.
    File,
    /// Any of some.
    Ticks,
    Tick,
}

/// An option of a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) hint: Option<String>,
    pub(crate) is_chosen: bool,
}

impl Choice {
    pub(crate) fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
            ..Self::default()
        }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn chosen(mut self, is_chosen: bool) -> Self {
        self.is_chosen = is_chosen;
        self
    }
}

impl Field {
    pub(crate) fn new(kind: FieldKind, name: &str, label: &str) -> Self {
        Self {
            id: id_of(name),
            name: name.to_owned(),
            path: name.to_owned(),
            label: label.to_owned(),
            kind,
            autocomplete: match kind {
                FieldKind::Email => "email",
                FieldKind::Code => "one-time-code",
                _ => "off",
            },
            ..Self::default()
        }
    }

    pub(crate) fn line(name: &str, label: &str) -> Self {
        Self::new(FieldKind::Line, name, label)
    }

    pub(crate) fn email(name: &str, label: &str) -> Self {
        Self::new(FieldKind::Email, name, label)
    }

    pub(crate) fn paragraphs(name: &str, label: &str) -> Self {
        Self::new(FieldKind::Paragraphs, name, label)
    }

    pub(crate) fn tick(name: &str, label: &str) -> Self {
        Self::new(FieldKind::Tick, name, label)
    }

    /// A choice of one of these options: the value, the label and the hint of each.
    pub(crate) fn radio(
        name: &str,
        label: &str,
        options: &[(&str, &str, &str)],
        chosen: &str,
    ) -> Self {
        let choices = options.iter().map(|&(value, label, hint)| {
            let choice = Choice::new(value, label).hint(hint);
            choice.chosen(value == chosen)
        });
        Self::new(FieldKind::Radio, name, label).choices(choices)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same field, of which core says what is wrong by this path.
    #[must_use]
    pub(crate) fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    #[must_use]
    pub(crate) fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    #[must_use]
    pub(crate) fn value(mut self, value: impl Into<String>) -> Self {
        self.value = value.into();
        self
    }

    #[must_use]
    pub(crate) fn checked(mut self, is_checked: bool) -> Self {
        self.is_checked = is_checked;
        self
    }

    #[must_use]
    pub(crate) fn autocomplete(mut self, autocomplete: &'static str) -> Self {
        self.autocomplete = autocomplete;
        self
    }

    /// The same field for files of these kinds.
    #[must_use]
    pub(crate) fn accept(mut self, accept: &'static str) -> Self {
        self.accept = accept;
        self
    }

    /// The same field with these options, of which those are chosen.
    #[must_use]
    pub(crate) fn options<'o>(
        self,
        options: impl IntoIterator<Item = (&'o str, &'o str)>,
        chosen: &[&str],
    ) -> Self {
        self.choices(options.into_iter().map(|(value, label)| {
            let choice = Choice::new(value, label);
            choice.chosen(chosen.contains(&value))
        }))
    }

    #[must_use]
    pub(crate) fn choices(mut self, choices: impl Iterator<Item = Choice>) -> Self {
        self.options = choices.collect();
        self
    }

    /// The same field, of whose options only that many are shown until someone unfolds the others.
    #[must_use]
    pub(crate) fn folded_after(mut self, shown: usize) -> Self {
        self.shown = Some(shown);
        self
    }

    #[must_use]
    pub(crate) fn button(mut self, button: Button) -> Self {
        self.button = Some(button);
        self
    }

    /// The same field as it was typed.
    pub(crate) fn fill(&mut self, form: &Form) {
        let given = || form.values(&self.name);
        match self.kind {
            FieldKind::Tick => self.is_checked = given().any(|value| value == "true"),
            FieldKind::Ticks | FieldKind::Radio | FieldKind::Select => {
                let given: Vec<&str> = given().collect();
                for option in &mut self.options {
                    option.is_chosen = given.contains(&option.value.as_str());
                }
            }
            _ => self.value = given().next().unwrap_or_default().to_owned(),
        }
    }

    pub(crate) fn shown_options(&self) -> &[Choice] {
        self.parted_options().0
    }

    pub(crate) fn folded_options(&self) -> &[Choice] {
        self.parted_options().1
    }

    /// Whether the page begins with all options: one that is chosen is not to be overlooked.
    pub(crate) fn is_unfolded(&self) -> bool {
        self.folded_options().iter().any(|one| one.is_chosen)
    }

    fn parted_options(&self) -> (&[Choice], &[Choice]) {
        let shown = self.shown.unwrap_or(self.options.len());
        self.options
            .split_at_checked(shown)
            .unwrap_or((&self.options, &[]))
    }

    /// The picture of an option.
    pub(crate) fn picture(&self, value: &str) -> Option<&str> {
        let mut options = self.options.iter().zip(&self.pictures);
        let (_, picture) = options.find(|(option, _)| option.value == value)?;
        Some(picture)
    }

    /// Which file was chosen: browsers send no file again by themselves.
    pub(crate) fn chosen_file(&self) -> Option<String> {
        if self.kind != FieldKind::File || self.value.is_empty() {
            return None;
        }
        let again = if self.problem.is_none() {
            " Choose it again."
        } else {
            ""
        };
        Some(format!("You chose {}.{again}", self.value))
    }

    /// Lines of a large field: some more than it has.
    pub(crate) fn rows(&self) -> usize {
        const MIN: usize = 4;
        const MAX: usize = 14;
        (self.value.lines().count() + 1).clamp(MIN, MAX)
    }

    pub(crate) const fn input_type(&self) -> &'static str {
        match self.kind {
            FieldKind::Email => "email",
            FieldKind::Date => "date",
            FieldKind::WallTime => "datetime-local",
            FieldKind::File => "file",
            _ => "text",
        }
    }

    /// Whether it is the answer to a question of an event, in its organizer's words.
    pub(crate) fn is_answer(&self) -> bool {
        self.name.starts_with("answers[")
    }

    /// The ids of the texts that describe it; `None` if there are none.
    pub(crate) fn described_by(&self) -> Option<String> {
        let texts = [
            ("hint", self.hint.is_some()),
            ("now", self.notice.is_some()),
            ("chosen", self.chosen_file().is_some()),
            ("wrong", self.problem.is_some()),
        ];
        let ids: Vec<String> = texts
            .into_iter()
            .filter(|(_, is_there)| *is_there)
            .map(|(what, _)| format!("{}-{what}", self.id))
            .collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// What is wrong with this field, if a path of the API means it: of a list it says which line is.
    fn words(&self, violation: &Violation) -> Option<String> {
        let rest = violation.field.strip_prefix(&self.path)?;
        if rest.is_empty() || rest.starts_with('.') {
            return Some(sentence::sentence(self, &violation.message));
        }
        let index: usize = rest.strip_prefix('[')?.split(']').next()?.parse().ok()?;
        let message = sentence::sentence(self, &violation.message);
        Some(match self.kind {
            FieldKind::Paragraphs => format!("Line {}: {message}", index + 1),
            FieldKind::Line => format!("Number {}: {message}", index + 1),
            _ => message,
        })
    }
}

/// `custom_fields[0].label` becomes `custom_fields-0-label`.
pub(crate) fn id_of(name: &str) -> String {
    let is_sign = |sign: char| !sign.is_ascii_alphanumeric() && sign != '_';
    let parts = name.split(is_sign).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}
