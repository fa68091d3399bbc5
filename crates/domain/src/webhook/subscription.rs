//! Which types a webhook gets.

use super::WebhookType;
use crate::violation::FieldViolation;

/// The types that a webhook gets: all, including those of later versions, or some.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WebhookTypes(Option<Vec<WebhookType>>);

impl WebhookTypes {
    /// The types with these names, each once, in the order of the proto; no name is all.
    ///
    /// # Errors
    /// Each name that is no type.
    pub fn named(names: &[String]) -> Result<Self, Vec<FieldViolation>> {
        let (mut types, mut violations) = (Vec::<WebhookType>::new(), Vec::new());
        for (index, name) in names.iter().enumerate() {
            match name.parse() {
                Ok(WebhookType::WebhookPing) => violations.push(FieldViolation {
                    field: format!("types[{index}]"),
                    message: "cannot be chosen: a ping goes to the webhook that is pinged"
                        .to_owned(),
                }),
                Ok(one) => types.push(one),
                Err(error) => violations.push(FieldViolation {
                    field: format!("types[{index}]"),
                    message: format!("{error}"),
                }),
            }
        }
        types.sort_unstable();
        types.dedup();
        if violations.is_empty() {
            Ok(Self((!types.is_empty()).then_some(types)))
        } else {
            Err(violations)
        }
    }

    /// The names of the types; none for all.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().flatten().map(|one| one.name())
    }

    /// Whether a type is among them.
    pub fn contain(&self, one: WebhookType) -> bool {
        self.0.as_ref().is_none_or(|types| types.contains(&one))
    }

    /// The stored form: names with a space before and after each, by which a statement finds one; empty for all.
    pub fn stored(&self) -> String {
        if self.0.is_none() {
            return String::new();
        }
        let names: Vec<_> = self.names().collect();
        format!(" {} ", names.join(" "))
    }

    /// Parses the stored form. A type of a newer version is left out.
    pub fn from_stored(stored: &str) -> Self {
        let names = stored.split_whitespace();
        let types = names.filter_map(|name| name.parse().ok()).collect();
        Self((!stored.is_empty()).then_some(types))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_they_are_stored_and_wrong_ones_are_named() {
        let names = ["registration.created", "event.created", "event.created"].map(str::to_owned);
        let types = WebhookTypes::named(&names).unwrap();
        assert_eq!(types.stored(), " event.created registration.created ");
        assert_eq!(WebhookTypes::from_stored(&types.stored()), types);
        assert!(types.contain(WebhookType::EventCreated));
        assert!(!types.contain(WebhookType::EventDeleted));
        let all = WebhookTypes::named(&[]).unwrap();
        assert_eq!(WebhookTypes::from_stored(&all.stored()), all);
        assert!(WebhookType::ALL.iter().all(|one| all.contain(*one)));
        // A type of a newer version must not become all types.
        let newer = WebhookTypes::from_stored(" event.exploded ");
        assert!(!WebhookType::ALL.iter().any(|one| newer.contain(*one)));
        let wrong = WebhookTypes::named(&["event.created".into(), "event".into()]).unwrap_err();
        assert_eq!(wrong[0].field, "types[1]");
        assert!(
            wrong[0]
                .message
                .starts_with("must be one of event.created,")
        );
    }
}
