//! Parameters of OAuth, of a query or a form.

use crate::form::Form;

/// More resources than core takes of one request, so that it refuses what has too many.
const MAX_RESOURCES: usize = 9;

/// The parameters of a request. One without a value counts as absent (RFC 6749, section 3.1).
pub(super) struct Parameters<'f>(pub(super) &'f Form);

impl Parameters<'_> {
    /// The first value of a parameter, exactly as it came.
    pub(super) fn one(&self, name: &str) -> Option<String> {
        self.all(name).next().map(str::to_owned)
    }

    /// Those of these parameters that came more than once.
    pub(super) fn doubled(&self, names: &[&str]) -> Vec<String> {
        let doubled = names.iter().filter(|name| self.all(name).nth(1).is_some());
        doubled.map(|name| (*name).to_owned()).collect()
    }

    /// The values of `resource`, which alone may come more than once (RFC 8707).
    pub(super) fn resources(&self) -> Vec<String> {
        let all = self.all("resource").map(str::to_owned);
        all.take(MAX_RESOURCES).collect()
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.values(name).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_as_it_came_and_one_without_a_value_is_absent() {
        let form = Form::parse(b"a=+x%20&b=&b=1&c=1&c=1&resource=r&resource=s&resource=");
        let parameters = Parameters(&form);
        assert_eq!(parameters.one("a").as_deref(), Some(" x "));
        assert_eq!(parameters.one("b").as_deref(), Some("1"));
        assert_eq!(parameters.one("d"), None);
        assert_eq!(parameters.doubled(&["a", "b", "c", "d"]), ["c"]);
        assert_eq!(parameters.resources(), ["r", "s"]);
    }
}
