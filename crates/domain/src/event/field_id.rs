//! Identities of questions: answers belong to a question, whatever its words become (rule 18 of docs/rules.md).

use std::{collections::HashSet, fmt};

use sha2::{Digest as _, Sha256};

use super::CustomField;
use crate::ids::EventId;

/// The identity of a question, unique within its event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct FieldId(String);

/// Bytes of a hash in an identity: enough for the questions of one event.
const BYTES: usize = 6;

impl FieldId {
    /// An identity that was made before, as a client or the database has it.
    pub const fn given(text: String) -> Self {
        Self(text)
    }

    /// That of a question, and of answers, that were stored before questions had one: labels are unique within an event.
    pub fn of_label(label: &str) -> Self {
        Self::hashed(&[b"label", label.trim().as_bytes()])
    }

    /// That of a new question. Each edit of an event has another version, so it is never that of an earlier question.
    fn made(event: EventId, version: i32, index: usize) -> Self {
        let uuid = event.uuid();
        Self::hashed(&[
            uuid.as_bytes(),
            &version.to_be_bytes(),
            index.to_string().as_bytes(),
        ])
    }

    fn hashed(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let digits = hash.iter().take(BYTES).map(|byte| format!("{byte:02x}"));
        Self(digits.collect())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FieldId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Which identities new questions get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewIds {
    /// Those of this version of an event.
    Made(EventId, i32),
    /// Those that they were sent with: another date of the series has them, and they are unique.
    Shared,
}

impl NewIds {
    fn of(self, field: &CustomField, index: usize) -> Option<FieldId> {
        match self {
            Self::Made(event, version) => Some(FieldId::made(event, version, index)),
            Self::Shared => field.id.clone(),
        }
    }
}

/// Whether a new question is an earlier one.
type Sameness<'w> = &'w dyn Fn(&CustomField, &CustomField) -> bool;

impl CustomField {
    /// The questions of an event's new version, each with the identity of the earlier question that it is, or with a new one. A question is
    /// found by its identity, else by its label, else by its place if it is the only one that is not found and has that place's type.
    /// Places count only if none was sent with an identity: who knows identities leaves one out, or sends an unknown one, for what is new.
    /// One of another type is another question.
    pub(super) fn identified(mut fields: Vec<Self>, before: &[Self], new_ids: NewIds) -> Vec<Self> {
        let mut origins = vec![None; fields.len()];
        let mut left: HashSet<usize> = (0..before.len()).collect();
        let same_id = |new: &Self, old: &Self| new.id.is_some() && new.id == old.id;
        let same_label = |new: &Self, old: &Self| new.label.trim() == old.label.trim();
        let ways: [Sameness<'_>; 2] = [&same_id, &same_label];
        for is_same in ways {
            for (field, origin) in fields.iter().zip(&mut origins) {
                if origin.is_some() {
                    continue;
                }
                let found = before.iter().enumerate();
                let found = found.filter(|(at, old)| left.contains(at) && is_same(field, old));
                *origin = found.map(|(at, _)| at).next();
                origin.inspect(|at| {
                    left.remove(at);
                });
            }
        }
        if fields.iter().all(|field| field.id.is_none())
            && let (1, Some(at)) = (left.len(), left.iter().next().copied())
            && let Some(origin) = origins.get_mut(at)
        {
            // Its label was changed.
            origin.get_or_insert(at);
        }
        for (index, (field, origin)) in fields.iter_mut().zip(origins).enumerate() {
            let old = origin.and_then(|at| before.get(at));
            let old = old.filter(|old| old.field_type == field.field_type);
            let kept = old.and_then(|old| old.id.clone());
            field.id = kept.or_else(|| new_ids.of(field, index));
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::FieldType;

    fn field(label: &str, id: Option<&str>) -> CustomField {
        CustomField {
            id: id.map(|id| FieldId::given(id.to_owned())),
            label: label.to_owned(),
            field_type: FieldType::Text,
            required: false,
            options: Vec::new(),
        }
    }

    fn before() -> Vec<CustomField> {
        vec![field("Diet", Some("d")), field("Size", Some("s"))]
    }

    /// The identities after a change; `new` for one that was made.
    fn identities(fields: Vec<CustomField>) -> Vec<String> {
        let event = EventId::new(uuid::Uuid::from_u128(1));
        let after = CustomField::identified(fields, &before(), NewIds::Made(event, 2));
        let text = |field: CustomField| match field.id.unwrap().as_str() {
            known @ ("d" | "s") => known.to_owned(),
            made => {
                assert_eq!(made.len(), 12);
                "new".to_owned()
            }
        };
        after.into_iter().map(text).collect()
    }

    #[test]
    fn a_question_is_found_by_identity_then_by_label_then_by_place() {
        let (diet, size) = (field("Diet", None), field("Size ", None));
        assert_eq!(identities(vec![size.clone(), diet.clone()]), ["s", "d"]);
        // Two that exchange their labels.
        let swapped = vec![field("Size", Some("d")), field("Diet", Some("s"))];
        assert_eq!(identities(swapped), ["d", "s"]);
        // One letter, by a program that knows no identities.
        assert_eq!(
            identities(vec![diet.clone(), field("Sizes", None)]),
            ["d", "s"]
        );
        assert_eq!(
            identities(vec![
                field("Diets", None),
                size.clone(),
                field("More", None)
            ]),
            ["d", "s", "new"]
        );
        // Of two that changed, nobody knows which is which.
        let both = vec![field("Food", None), field("Shirt", None)];
        assert_eq!(identities(both), ["new", "new"]);
        // Another place.
        assert_eq!(
            identities(vec![size, field("Food", None), field("More", None)]),
            ["s", "new", "new"]
        );
        assert_eq!(
            identities(vec![diet.clone(), field("Diet", Some("d"))]),
            ["new", "d"]
        );
        assert_eq!(
            identities(vec![field("Other", Some("x")), diet]),
            ["new", "d"]
        );
    }

    #[test]
    fn one_that_replaces_another_is_new_where_identities_are_known() {
        let diet = field("Diet", Some("d"));
        assert_eq!(
            identities(vec![diet.clone(), field("Phone", None)]),
            ["d", "new"]
        );
        assert_eq!(
            identities(vec![diet, field("Phone", Some("new"))]),
            ["d", "new"]
        );
        // The only one with an identity, which is unknown.
        let unknown = field("Phone", Some("new"));
        assert_eq!(
            identities(vec![field("Diet", None), unknown.clone()]),
            ["d", "new"]
        );
        let event = EventId::new(uuid::Uuid::from_u128(1));
        let only = [field("Size", Some("s"))];
        let after = CustomField::identified(vec![unknown], &only, NewIds::Made(event, 2));
        assert_eq!(after[0].id, Some(FieldId::made(event, 2, 0)));
    }

    #[test]
    fn a_question_of_another_type_is_another_one() {
        let number = CustomField {
            field_type: FieldType::Integer,
            ..field("Size", Some("s"))
        };
        assert_eq!(identities(vec![field("Diet", None), number]), ["d", "new"]);
    }

    #[test]
    fn new_identities_are_never_made_again() {
        let event = |number| EventId::new(uuid::Uuid::from_u128(number));
        let made = [
            FieldId::made(event(1), 1, 0),
            FieldId::made(event(1), 1, 1),
            FieldId::made(event(1), 2, 0),
            FieldId::made(event(2), 1, 0),
            FieldId::of_label("Diet"),
        ];
        let different: HashSet<&FieldId> = made.iter().collect();
        assert_eq!(different.len(), made.len());
        assert_eq!(FieldId::of_label(" Diet"), FieldId::of_label("Diet"));
    }
}
