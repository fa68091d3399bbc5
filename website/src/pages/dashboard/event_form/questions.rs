//! The questions of an event in its form. Each is a row; buttons of the same form add, move and remove rows, so that nothing that was
//! typed is lost.

use muster_api::{v1::CustomField, violation::Violation};

use crate::{
    field::{Field, FieldKind, FormModel, Group, Mistake},
    form::Form,
};

/// The most questions of an event.
const MAX: usize = 20;

/// Instead of an identity, in a row that was added: core knows no such question, so that the new one takes the place of none that was removed.
const NEW: &str = "new";

/// The types of answers: their names in the API, and for people.
const TYPES: [(&str, &str); 5] = [
    ("text", "Text"),
    ("integer", "A number"),
    ("select", "Single choice"),
    ("multi_select", "Multiple choice"),
    ("checkbox", "Checkbox"),
];

/// The rows, with what was typed and what core says of them.
pub(crate) struct Questions {
    rows: Vec<Row>,
    /// One group for each row.
    model: FormModel,
    /// What the questions are elsewhere by now.
    pub(crate) notice: Option<String>,
}

/// A row as it was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Row {
    /// The identity of a question that is stored; [`NEW`] in a row that was added.
    id: String,
    label: String,
    field_type: String,
    options: String,
    required: bool,
}

impl Questions {
    /// The rows of a form, after what its buttons ask for: `add`, `remove`, `up`, `down`.
    pub(super) fn of(form: &Form) -> Self {
        let mut rows = rows(form);
        let row = |name| form.value(name).and_then(|text| text.parse::<usize>().ok());
        if form.value("add") == Some("question") && rows.len() < MAX {
            rows.push(Row {
                id: NEW.to_owned(),
                ..Row::default()
            });
        }
        if let Some(at) = row("remove").filter(|at| *at < rows.len()) {
            rows.remove(at);
        }
        if let Some(at) = row("up").filter(|at| (1..rows.len()).contains(at)) {
            rows.swap(at - 1, at);
        }
        if let Some(at) = row("down").filter(|at| at + 1 < rows.len()) {
            rows.swap(at, at + 1);
        }
        let groups = rows.iter().enumerate();
        let groups = groups.map(|(index, row)| Group::of(row.fields(index)));
        Self {
            model: FormModel::grouped(groups.collect()),
            rows,
            notice: None,
        }
    }

    /// Whether a button of the rows was pressed, so that the form comes back.
    pub(crate) fn are_arranged(form: &Form) -> bool {
        ["add", "remove", "up", "down"]
            .iter()
            .any(|name| form.value(name).is_some())
    }

    /// The questions that core is asked to store. Rows in which nothing was typed are none.
    pub(super) fn asked(&self) -> Vec<CustomField> {
        let rows = self.rows.iter().filter(|row| !row.is_blank());
        rows.map(Row::question).collect()
    }

    /// Takes core's words about questions; answers them as mistakes for the list above the form.
    pub(super) fn refused(&mut self, violations: &[Violation]) -> Vec<Mistake> {
        let indexes: Vec<usize> = (0..self.rows.len())
            .filter(|at| self.rows.get(*at).is_some_and(|row| !row.is_blank()))
            .collect();
        let moved: Vec<Violation> = violations.iter().map(|one| in_row(one, &indexes)).collect();
        self.model = std::mem::take(&mut self.model).refused(&moved);
        std::mem::take(&mut self.model.mistakes)
    }

    // What templates ask.

    pub(crate) fn groups(&self) -> &[Group] {
        &self.model.groups
    }

    /// The identity of a row's question, or what stands for one.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates pass references"
    )]
    pub(crate) fn id(&self, row: &usize) -> &str {
        self.rows.get(*row).map_or("", |row| &row.id)
    }

    pub(crate) fn count(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= MAX
    }
}

/// A violation of the question at a place of the request, as one of the row that it came from.
fn in_row(violation: &Violation, indexes: &[usize]) -> Violation {
    let parts = violation.field.strip_prefix("custom_fields[");
    let parts = parts.and_then(|rest| rest.split_once(']'));
    let row = parts.and_then(|(at, rest)| Some((indexes.get(at.parse::<usize>().ok()?)?, rest)));
    let field = match row {
        // A question without a field of its own is about its text.
        Some((row, "")) => format!("custom_fields[{row}].label"),
        Some((row, rest)) => format!("custom_fields[{row}]{rest}"),
        None => violation.field.clone(),
    };
    Violation {
        field,
        message: violation.message.clone(),
    }
}

/// The rows of a form in the order of their numbers.
fn rows(form: &Form) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (name, value) in form.fields() {
        let Some((index, field)) = row_and_field(name) else {
            continue;
        };
        while rows.len() <= index {
            rows.push(Row::default());
        }
        let Some(row) = rows.get_mut(index) else {
            continue;
        };
        match field {
            "id" => value.clone_into(&mut row.id),
            "label" => value.clone_into(&mut row.label),
            "field_type" => value.clone_into(&mut row.field_type),
            "options" => value.clone_into(&mut row.options),
            "required" => row.required = value == "true",
            _ => {}
        }
    }
    rows
}

/// Row and field of `custom_fields[0].label`, if there can be such a row.
fn row_and_field(name: &str) -> Option<(usize, &str)> {
    let (index, field) = name.strip_prefix("custom_fields[")?.split_once("].")?;
    let index: usize = index.parse().ok()?;
    (index < MAX).then_some((index, field))
}

/// Questions as their form has them.
pub(super) fn stored(questions: &[CustomField]) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        let mut add = |field: &str, value: String| {
            fields.push((format!("custom_fields[{index}].{field}"), value));
        };
        add("id", question.id().to_owned());
        add("label", question.label().to_owned());
        add("field_type", question.field_type().to_owned());
        add("options", question.options.join("\n"));
        if question.required() {
            add("required", "true".to_owned());
        }
    }
    fields
}

impl Row {
    fn is_blank(&self) -> bool {
        self.label.trim().is_empty() && self.options.trim().is_empty()
    }

    fn question(&self) -> CustomField {
        let lines = self.options.lines().map(str::trim);
        CustomField {
            id: Some(self.id.clone()).filter(|id| !id.is_empty()),
            label: Some(self.label.trim().to_owned()).filter(|label| !label.is_empty()),
            field_type: Some(self.field_type.clone()),
            required: Some(self.required),
            options: lines
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
        }
    }

    fn fields(&self, index: usize) -> Vec<Field> {
        let name = |field: &str| format!("custom_fields[{index}].{field}");
        vec![
            Field::line(&name("label"), "Question")
                .value(&*self.label)
                .required(),
            Field::new(FieldKind::Select, &name("field_type"), "Answer")
                .options(TYPES, &[self.field_type.as_str()])
                .required(),
            Field::paragraphs(&name("options"), "Options")
                .hint("One on each line, where there are some to choose from.")
                .value(&*self.options),
            Field::tick(&name("required"), "Required").checked(self.required),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(pairs: &[(&str, &str)]) -> Form {
        Form::of(pairs.iter().copied())
    }

    const TWO: [(&str, &str); 5] = [
        ("custom_fields[0].label", "Diet"),
        ("custom_fields[0].field_type", "text"),
        ("custom_fields[1].label", "Size"),
        ("custom_fields[1].field_type", "select"),
        ("custom_fields[1].options", "S\r\n\r\n M \r\nL"),
    ];

    fn labels(questions: &Questions) -> Vec<String> {
        questions.rows.iter().map(|row| row.label.clone()).collect()
    }

    fn pressed(name: &str, value: &str) -> Questions {
        let mut pairs = TWO.to_vec();
        pairs.push((name, value));
        Questions::of(&form(&pairs))
    }

    #[test]
    fn rows_are_added_moved_and_removed_and_keep_what_was_typed() {
        assert_eq!(labels(&pressed("add", "question")), ["Diet", "Size", ""]);
        assert_eq!(labels(&pressed("up", "1")), ["Size", "Diet"]);
        assert_eq!(labels(&pressed("down", "0")), ["Size", "Diet"]);
        assert_eq!(labels(&pressed("remove", "0")), ["Size"]);
        for (name, value) in [("up", "0"), ("down", "1"), ("remove", "7"), ("up", "x")] {
            assert_eq!(
                labels(&pressed(name, value)),
                ["Diet", "Size"],
                "{name} {value}"
            );
        }
    }

    #[test]
    fn a_question_keeps_its_identity_when_its_row_moves() {
        let mut pairs = TWO.to_vec();
        pairs.extend([("custom_fields[1].id", "5b1f"), ("up", "1")]);
        let asked = Questions::of(&form(&pairs)).asked();
        let ids: Vec<_> = asked.iter().map(|one| one.id.as_deref()).collect();
        assert_eq!(ids, [Some("5b1f"), None]);
    }

    #[test]
    fn a_row_that_was_added_is_sent_as_a_new_question() {
        let added = Questions::of(&form(&[("add", "question")]));
        let mut pairs = vec![("custom_fields[0].id", added.id(&0))];
        assert_eq!(pairs, [("custom_fields[0].id", NEW)]);
        assert!(added.asked().is_empty());
        pairs.push(("custom_fields[0].label", "Phone"));
        let asked = Questions::of(&form(&pairs)).asked();
        assert_eq!(asked[0].id.as_deref(), Some(NEW));
    }

    #[test]
    fn options_are_lines_and_rows_without_words_are_no_questions() {
        let mut pairs = vec![("custom_fields[2].field_type", "text")];
        pairs.extend(TWO);
        pairs.push(("custom_fields[1].required", "true"));
        let asked = Questions::of(&form(&pairs)).asked();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].options, ["S", "M", "L"]);
        assert_eq!(
            (asked[0].required, asked[1].required),
            (Some(false), Some(true))
        );
        assert_eq!(stored(&asked).len(), 9);
    }

    #[test]
    fn words_of_core_find_their_row_past_blank_ones() {
        let pairs = [
            ("custom_fields[1].label", "Diet"),
            ("custom_fields[3].label", "Size"),
            ("custom_fields[3].options", "S\nS"),
        ];
        let mut questions = Questions::of(&form(&pairs));
        let mistakes = questions.refused(&[Violation {
            field: "custom_fields[1].options[1]".to_owned(),
            message: "must not come twice".to_owned(),
        }]);
        assert_eq!(mistakes[0].target, "custom_fields-3-options");
        assert_eq!(mistakes[0].message, "Line 2: This is there twice.");
    }

    #[test]
    fn a_form_has_a_bounded_number_of_rows() {
        let far = [("custom_fields[4000000000].label", "x")];
        assert_eq!(Questions::of(&form(&far)).count(), 0);
        let last = [("custom_fields[19].label", "x"), ("add", "question")];
        let questions = Questions::of(&form(&last));
        assert!(questions.is_full());
        assert_eq!(questions.count(), 20);
    }
}
