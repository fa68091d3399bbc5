//! Who gets a message.

use serde::{Deserialize, Serialize};

use crate::{
    event::{CustomField, FieldId, FieldType},
    instant::Instant,
    period::Period,
    registration::Status,
    violation::Violations,
};

/// Who gets a message: those to whom all of it applies when it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audience {
    /// Their status.
    #[serde(with = "names")]
    pub statuses: Vec<Status>,
    /// Whether they were checked in; `None` for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_in: Option<bool>,
    /// What they answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AnswerFilter>,
    /// The first moment at which they registered, in microseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    registered_from: Option<i64>,
    /// The moment after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    registered_before: Option<i64>,
}

/// One of the options of a question, of which each person chose one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFilter {
    /// The question.
    pub field_id: FieldId,
    /// The label that it had, by which the oldest answers are found.
    pub label: String,
    /// The options.
    pub options: Vec<String>,
    /// Whether those without an answer are among them, too: an unchecked checkbox is none.
    pub or_none: bool,
}

/// Who is to get a message, as a client wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenAudience {
    /// Names of statuses; none for `Confirmed`.
    pub statuses: Vec<String>,
    /// Whether they were checked in.
    pub checked_in: Option<bool>,
    /// Ids of questions, and options.
    pub answers: Vec<(String, Vec<String>)>,
    /// A date or a date-time.
    pub registered_after: Option<String>,
    /// A date or a date-time.
    pub registered_before: Option<String>,
}

impl Default for Audience {
    /// All who have a seat.
    fn default() -> Self {
        Self {
            statuses: vec![Status::Confirmed],
            checked_in: None,
            answers: Vec::new(),
            registered_from: None,
            registered_before: None,
        }
    }
}

impl Audience {
    /// Whether they have this status.
    pub fn has(&self, status: Status) -> bool {
        self.statuses.contains(&status)
    }

    /// When they registered.
    pub fn registered(&self) -> Period {
        let all = Period::default();
        Period {
            from: self.registered_from.map_or(all.from, Instant::from_micros),
            before: self
                .registered_before
                .map_or(all.before, Instant::from_micros),
        }
    }

    /// The first moment at which they registered, if there is one.
    pub fn registered_after(&self) -> Option<Instant> {
        self.registered_from.map(Instant::from_micros)
    }

    /// The moment before which they registered, if there is one.
    pub fn registered_before(&self) -> Option<Instant> {
        self.registered_before.map(Instant::from_micros)
    }
}

impl WrittenAudience {
    /// The audience among the guests of an event with these questions.
    pub fn read(self, fields: &[CustomField], violations: &mut Violations) -> Option<Audience> {
        let mut statuses: Vec<Status> = Vec::new();
        for name in &self.statuses {
            // The proto allows only their names.
            let status = violations.check("audience.statuses", name.parse::<Status>())?;
            if !statuses.contains(&status) {
                statuses.push(status);
            }
        }
        if statuses.is_empty() {
            statuses.push(Status::Confirmed);
        }
        let mut answers = Vec::with_capacity(self.answers.len());
        for (index, (field, options)) in self.answers.into_iter().enumerate() {
            answers.extend(filter(index, &field, options, fields, violations));
        }
        let from = read_bound(
            "audience.registered_after",
            self.registered_after.as_deref(),
            violations,
        );
        let before = read_bound(
            "audience.registered_before",
            self.registered_before.as_deref(),
            violations,
        );
        if let (Some(from), Some(before)) = (from, before)
            && before <= from
        {
            let message = "must be after audience.registered_after";
            violations.add("audience.registered_before", message);
        }
        Some(Audience {
            statuses,
            checked_in: self.checked_in,
            answers,
            registered_from: from.map(Instant::micros),
            registered_before: before.map(Instant::micros),
        })
    }
}

/// A date or date-time, as lists read it; a date is the beginning of its day.
fn read_bound(field: &str, text: Option<&str>, violations: &mut Violations) -> Option<Instant> {
    let text = text.filter(|text| !text.is_empty())?;
    let mut found = Violations::default();
    let period = Period::read(Some(text), None, &mut found);
    match found.unless_any(Some(period)) {
        Ok(period) => Some(period.from),
        Err(mistakes) => {
            for mistake in mistakes {
                violations.add(field, mistake.message);
            }
            None
        }
    }
}

fn filter(
    index: usize,
    id: &str,
    options: Vec<String>,
    fields: &[CustomField],
    violations: &mut Violations,
) -> Option<AnswerFilter> {
    let path = format!("audience.answers[{index}]");
    let field = fields
        .iter()
        .find(|field| field.id.as_ref().is_some_and(|own| own.as_str() == id));
    let Some(field) = field else {
        let message = "must be the id of one of the event's questions";
        violations.add(format!("{path}.field_id"), message);
        return None;
    };
    let is_offered = |option: &String| match field.field_type {
        FieldType::Select | FieldType::MultiSelect => field.options.contains(option),
        FieldType::Checkbox => matches!(&**option, "true" | "false"),
        FieldType::Text | FieldType::Integer => false,
    };
    if matches!(field.field_type, FieldType::Text | FieldType::Integer) {
        let message = "must be the id of a question with options, or of a checkbox";
        violations.add(format!("{path}.field_id"), message);
        return None;
    }
    if let Some(at) = options.iter().position(|option| !is_offered(option)) {
        let message = if field.field_type == FieldType::Checkbox {
            "must be true or false"
        } else {
            "must be one of the question's options"
        };
        violations.add(format!("{path}.options[{at}]"), message);
        return None;
    }
    Some(AnswerFilter {
        field_id: field.id.clone()?,
        label: field.label.clone(),
        or_none: field.field_type == FieldType::Checkbox
            && options.iter().any(|one| one == "false"),
        options,
    })
}

/// Statuses by their names.
mod names {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::Status;

    pub(super) fn serialize<S: Serializer>(statuses: &[Status], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(statuses.iter().map(|status| status.name()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Status>, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        let status = |name: String| name.parse().map_err(D::Error::custom);
        names.into_iter().map(status).collect()
    }
}
