//! The part of an HTTP request from which each field of a message comes.

use crate::{
    model::{Api, Cardinality, Field, Kind, Method, Response},
    route::{Route, RouteBody},
};

/// The fields of a request message by their place in a route, in the order of the message.
pub(crate) struct Parts<'a> {
    pub(crate) path: Vec<&'a Field>,
    pub(crate) query: Vec<&'a Field>,
    pub(crate) body: Option<Body<'a>>,
    /// The file that is the body instead.
    pub(crate) file: Option<&'a Field>,
}

/// The body of a request.
pub(crate) struct Body<'a> {
    /// Its fields.
    pub(crate) fields: Vec<&'a Field>,
    /// Whether it is required.
    pub(crate) required: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(api: &'a Api, method: &Method, route: &Route) -> Self {
        let fields = &api.message(&method.request).fields;
        let (path, others): (Vec<_>, Vec<_>) = fields
            .iter()
            .partition(|field| route.path_fields.contains(&field.name));
        let (query, body, file) = match &route.body {
            RouteBody::None => (others, None, None),
            RouteBody::Others => (Vec::new(), Some(Body::new(others)), None),
            RouteBody::File(name) => {
                let (file, query) = others.into_iter().partition(|field| field.name == *name);
                let file: Vec<_> = file;
                (query, None, file.first().copied())
            }
        };
        Self {
            path,
            query,
            body,
            file,
        }
    }
}

/// The query parameter that leads to the next page, and the field of the answer with its value: `offset` and `next_offset`.
pub(crate) fn next_page<'a>(
    api: &'a Api,
    method: &Method,
    query: &[&'a Field],
) -> Option<(&'a Field, &'a Field)> {
    let Response::Message(answer) = &method.response else {
        return None;
    };
    let answer = &api.message(answer).fields;
    query.iter().find_map(|parameter| {
        let name = format!("next_{}", parameter.name);
        let mut fields = answer.iter();
        let next = fields.find(|field| field.name == name);
        let next = next.filter(|field| field.cardinality == Cardinality::Optional)?;
        Some((*parameter, next))
    })
}

impl<'a> Body<'a> {
    fn new(others: Vec<&'a Field>) -> Self {
        let (masks, fields): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|field| field.kind == Kind::FieldMask);
        // A body without required fields may be omitted, unless an empty request would have no meaning.
        let required = !masks.is_empty() || fields.iter().any(|field| field.must_be_given());
        Self { fields, required }
    }
}
