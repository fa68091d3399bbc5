//! Templates with `{field}`, as in the proto: questions, prompts, URIs.

use serde_json::{Map, Value};

/// The text with each `{field}` replaced by its `value`. Unknown fields stay unchanged.
pub(crate) fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let named = after.split_once('}');
        let known = named.and_then(|(name, behind)| Some((value(name)?, behind)));
        if let Some((value, behind)) = known {
            filled.push_str(&value);
            rest = behind;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled + rest
}

/// A field of an object as text.
pub(crate) fn field(object: &Value, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some("none".to_owned()),
        other => Some(other.to_string()),
    }
}

/// The values of a URI template's variables in a URI, if it matches. A variable is a whole segment.
pub(crate) fn fit(template: &str, uri: &str) -> Option<Map<String, Value>> {
    let (mut wanted, mut given) = (template.split('/'), uri.split('/'));
    let mut variables = Map::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(variables),
            (Some(wanted), Some(given)) => {
                let variable = wanted
                    .strip_prefix('{')
                    .and_then(|name| name.strip_suffix('}'));
                match variable {
                    Some(name) if !given.is_empty() => {
                        variables.insert(name.to_owned(), given.into());
                    }
                    None if wanted == given => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled_in_and_other_braces_stay() {
        let value = |name: &str| (name == "title").then(|| "A {strange} one".to_owned());
        assert_eq!(
            fill("Cancel \"{title}\"? {unknown} {", value),
            "Cancel \"A {strange} one\"? {unknown} {"
        );
    }

    #[test]
    fn a_uri_fits_its_template_alone() {
        let slug = |uri| Some(fit("muster://guides/{slug}", uri)?["slug"].clone());
        assert_eq!(
            slug("muster://guides/time-zones"),
            Some("time-zones".into())
        );
        for other in [
            "muster://guides/",
            "muster://guides",
            "muster://guides/a/b",
            "muster://events/a",
            "time-zones",
        ] {
            assert_eq!(slug(other), None, "{other}");
        }
    }
}
