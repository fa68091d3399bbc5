//! What the columns of a list are, and what a line says by them.

use domain::{
    event::{CustomField, FieldType},
    registration::{Answer, Party},
};

use super::{
    Guest, Line, Unreadable,
    headers::{
        COMPANIONS, EMAIL, FIRST_NAME, LAST_NAME, MAYBE_PARTY_SIZE, NAME, PARTY_SIZE, STATUS, key,
    },
};

/// What ticks a box, besides `true`, and what does not: what spreadsheets and people write.
const TRUE: [&str; 17] = [
    "true",
    "yes",
    "y",
    "x",
    "1",
    "wahr",
    "ja",
    "vrai",
    "oui",
    "si",
    "verdadero",
    "vero",
    "sim",
    "tak",
    "ano",
    "да",
    "✓",
];
const FALSE: [&str; 14] = [
    "false", "no", "n", "0", "falsch", "nein", "faux", "non", "falso", "nao", "nie", "ne", "nee",
    "нет",
];

/// What says that someone does not come, as [`key`] makes it: what Muster and others export.
const CANCELLED: [&str; 6] = [
    "cancelled",
    "canceled",
    "declined",
    "refunded",
    "notattending",
    "notgoing",
];

/// What may be between the options of a cell.
const BETWEEN_OPTIONS: [char; 3] = [';', '\n', ','];

/// What a column was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Name,
    FirstName,
    LastName,
    Email,
    /// Whether the person comes at all.
    Status,
    /// For how many people it is.
    PartySize,
    /// The names of the others.
    Companions,
    /// An answer to the question of this place.
    Answer(usize),
    Ignored,
}

impl Meaning {
    /// Its name in the API.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::FirstName => "first_name",
            Self::LastName => "last_name",
            Self::Email => "email",
            Self::Status => "status",
            Self::PartySize => "party_size",
            Self::Companions => "companions",
            Self::Answer(_) => "answer",
            Self::Ignored => "ignored",
        }
    }
}

/// The meaning of each column.
#[derive(Debug)]
pub(super) struct Columns(Vec<Meaning>);

impl Columns {
    /// Guesses by the headers, and where they may mean something else, by the lines. A question counts before a part of a name, where the
    /// list has whole names.
    pub(super) fn guessed(
        headers: &[String],
        lines: &[Line],
        questions: &[CustomField],
        max_party: i32,
    ) -> Result<Self, Unreadable> {
        let keys: Vec<String> = headers.iter().map(|header| key(header)).collect();
        let best = |known: &[&str]| {
            let places = known
                .iter()
                .map(|one| keys.iter().position(|key| key == one));
            places.flatten().next()
        };
        let mut columns = Self(vec![Meaning::Ignored; headers.len()]);
        let email = best(EMAIL).ok_or(Unreadable::NoEmail)?;
        columns.mean(Some(email), Meaning::Email);
        let whole = best(NAME);
        columns.mean(whole, Meaning::Name);
        if whole.is_some() {
            columns.find_answers(headers, questions);
        }
        let parts = [best(FIRST_NAME), best(LAST_NAME)];
        columns.mean(parts[0], Meaning::FirstName);
        columns.mean(parts[1], Meaning::LastName);
        columns.find_answers(headers, questions);
        columns.mean(best(STATUS), Meaning::Status);
        let maybe = best(MAYBE_PARTY_SIZE);
        let maybe = maybe.filter(|at| max_party > 1 && has_numbers(lines, *at));
        columns.mean(best(PARTY_SIZE).or(maybe), Meaning::PartySize);
        columns.mean(best(COMPANIONS), Meaning::Companions);
        if whole.is_none() && parts == [None, None] {
            return Err(Unreadable::NoName);
        }
        Ok(columns)
    }

    /// Gives a column a meaning, if it has none.
    fn mean(&mut self, at: Option<usize>, meaning: Meaning) {
        let column = at.and_then(|at| self.0.get_mut(at));
        if let Some(column) = column
            && *column == Meaning::Ignored
        {
            *column = meaning;
        }
    }

    /// Finds the columns whose headers are labels of questions; of several, the first.
    fn find_answers(&mut self, headers: &[String], questions: &[CustomField]) {
        for (question, field) in questions.iter().enumerate() {
            let meaning = Meaning::Answer(question);
            if self.0.contains(&meaning) {
                continue;
            }
            let label = field.label.trim();
            let exact = headers.iter().position(|header| header == label);
            let lower = label.to_lowercase();
            let similar = || headers.iter().position(|one| one.to_lowercase() == lower);
            self.mean(exact.or_else(similar), meaning);
        }
    }

    pub(super) fn meaning(&self, at: usize) -> Meaning {
        self.0.get(at).copied().unwrap_or(Meaning::Ignored)
    }

    /// What a line says.
    pub(super) fn guest(&self, cells: &[String], questions: &[CustomField]) -> Guest {
        let (mut whole, mut first, mut last) = (String::new(), String::new(), String::new());
        let mut email = String::new();
        let (mut is_cancelled, mut size, mut companions) = (false, None, Vec::new());
        let mut answers = Vec::new();
        for (meaning, cell) in self.0.iter().zip(cells) {
            match meaning {
                Meaning::Name => whole = one_line(cell),
                Meaning::FirstName => first = one_line(cell),
                Meaning::LastName => last = one_line(cell),
                Meaning::Email => email.clone_from(cell),
                Meaning::Status => is_cancelled = CANCELLED.contains(&&*key(cell)),
                // What is no number is one that the rules refuse.
                Meaning::PartySize => {
                    if !cell.is_empty() {
                        size = Some(cell.parse().unwrap_or(0));
                    }
                }
                Meaning::Companions => {
                    let names = cell.split([';', '\n']).map(one_line);
                    companions = names.filter(|name| !name.is_empty()).collect();
                }
                Meaning::Answer(question) => {
                    answers.extend(questions.get(*question).and_then(|to| answer(to, cell)));
                }
                Meaning::Ignored => {}
            }
        }
        let name = if whole.is_empty() {
            format!("{first} {last}").trim().to_owned()
        } else {
            whole
        };
        Guest {
            name,
            email,
            answers,
            party: party(size, companions),
            is_cancelled,
        }
    }
}

/// Whether all cells of a column are whole numbers, apart from those that are empty.
fn has_numbers(lines: &[Line], at: usize) -> bool {
    let cells = lines.iter().filter_map(|line| line.cells.get(at));
    let mut cells = cells.filter(|cell| !cell.is_empty());
    cells.all(|cell| cell.parse::<i32>().is_ok())
}

/// The people of a line. Where it does not say how many they are, they are those whom it names.
fn party(size: Option<i32>, companions: Vec<String>) -> Party {
    let named = i32::try_from(companions.len()).unwrap_or(i32::MAX);
    Party {
        size: size.unwrap_or_else(|| named.saturating_add(1)),
        companions,
    }
}

/// A cell without line breaks.
fn one_line(cell: &str) -> String {
    cell.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A cell as an answer; an empty one is none.
fn answer(field: &CustomField, cell: &str) -> Option<Answer> {
    let values = match field.field_type {
        _ if cell.is_empty() => return None,
        FieldType::MultiSelect => options(field, cell),
        FieldType::Checkbox => vec![tick(cell)],
        FieldType::Text | FieldType::Integer | FieldType::Select => vec![cell.to_owned()],
    };
    Some(Answer {
        field_id: field.id.clone(),
        label: field.label.clone(),
        values,
    })
}

/// The options of a cell, by the first separator that leaves nothing else. An option may itself have one.
fn options(field: &CustomField, cell: &str) -> Vec<String> {
    let is_option = |text: &String| field.options.iter().any(|one| one.trim() == text);
    let split = |separator| {
        let parts = cell.split(separator).map(|part| part.trim().to_owned());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>()
    };
    let whole = vec![cell.to_owned()];
    let mut ways = [whole]
        .into_iter()
        .chain(BETWEEN_OPTIONS.into_iter().map(split));
    let fitting = ways.find(|values| values.iter().all(is_option));
    fitting.unwrap_or_else(|| split(BETWEEN_OPTIONS[0]))
}

/// The value of a box; what is neither is left for the rules to refuse.
fn tick(cell: &str) -> String {
    let lower = key(cell);
    let lower = if lower.is_empty() { cell } else { &*lower };
    let value = if TRUE.contains(&lower) {
        "true"
    } else if FALSE.contains(&lower) {
        "false"
    } else {
        cell
    };
    value.to_owned()
}
