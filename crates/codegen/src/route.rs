//! `google.api.http` rules as routes.

use anyhow::{Result, bail, ensure};

use crate::options::Http;

/// One HTTP route of an rpc.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) verb: Verb,
    /// For example `/api/v1/events/{slug}`.
    pub(crate) path: String,
    /// The variables of the path.
    pub(crate) path_fields: Vec<String>,
    /// What the request's body is.
    pub(crate) body: RouteBody,
    /// The one field of the answer that is shown; the whole answer when absent.
    pub(crate) response_body: Option<String>,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RouteBody {
    /// There is none.
    None,
    /// It holds all fields that are not in the path, as JSON.
    Others,
    /// It is this field, a file.
    File(String),
}

impl Route {
    /// The path below `base`, for example `/events/{slug}`; none when it is not there.
    pub(crate) fn below<'a>(&'a self, base: &str) -> Option<&'a str> {
        let path = self.path.strip_prefix(base)?;
        path.starts_with('/').then_some(path)
    }
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Put,
    Post,
    Delete,
    Patch,
}

impl Verb {
    /// As in `http::Method::GET`.
    pub(crate) fn constant(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Patch => "PATCH",
        }
    }
}

/// Reads a rule and its additional bindings; no routes when there is no rule.
pub(crate) fn read(http: Http) -> Result<Vec<Route>> {
    let mut routes = Vec::new();
    let mut rules = vec![http];
    while let Some(mut rule) = rules.pop() {
        rules.extend(
            std::mem::take(&mut rule.additional_bindings)
                .into_iter()
                .rev(),
        );
        if let Some(route) = one(rule)? {
            routes.push(route);
        }
    }
    Ok(routes)
}

fn one(rule: Http) -> Result<Option<Route>> {
    let patterns = [
        (Verb::Get, rule.get),
        (Verb::Put, rule.put),
        (Verb::Post, rule.post),
        (Verb::Delete, rule.delete),
        (Verb::Patch, rule.patch),
    ];
    let Some((verb, path)) = patterns
        .into_iter()
        .find_map(|(verb, path)| Some((verb, path?)))
    else {
        return Ok(None);
    };
    let body = match rule.body.as_str() {
        "" => RouteBody::None,
        "*" => RouteBody::Others,
        field => RouteBody::File(field.to_owned()),
    };
    ensure!(
        body == RouteBody::None || verb != Verb::Get,
        "{path}: a GET has no body"
    );
    let path_fields = variables(&path)?;
    let response_body = Some(rule.response_body).filter(|field| !field.is_empty());
    Ok(Some(Route {
        verb,
        path,
        path_fields,
        body,
        response_body,
    }))
}

/// The `{field}` segments of a path; other template forms are refused.
fn variables(path: &str) -> Result<Vec<String>> {
    ensure!(path.starts_with('/'), "{path}: a path starts with /");
    let mut fields = Vec::new();
    for segment in path.split('/').skip(1) {
        ensure!(!segment.is_empty(), "{path}: an empty segment");
        let plain = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        match segment
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
        {
            Some(field) if plain(field) => fields.push(field.to_owned()),
            None if plain(segment) => {}
            _ => bail!(
                "{path}: segment \"{segment}\" is not supported, only plain text and {{field}} are"
            ),
        }
    }
    Ok(fields)
}
