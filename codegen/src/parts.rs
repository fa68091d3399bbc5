//! The part of an HTTP request from which each field of a message comes.

use crate::{
    model::{Api, Field, Kind, Method},
    route::Route,
};

/// The fields of a request message by their place in a route, in the order of the message.
pub(crate) struct Parts<'a> {
    pub(crate) path: Vec<&'a Field>,
    pub(crate) query: Vec<&'a Field>,
    pub(crate) body: Option<Body<'a>>,
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
        if route.body {
            Self {
                path,
                query: Vec::new(),
                body: Some(Body::new(others)),
            }
        } else {
            Self {
                path,
                query: others,
                body: None,
            }
        }
    }
}

impl<'a> Body<'a> {
    fn new(others: Vec<&'a Field>) -> Self {
        let (masks, fields): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|field| field.kind == Kind::FieldMask);
        // A body without required fields may be omitted, unless an empty request would have no meaning.
        let required = !masks.is_empty() || fields.iter().any(|field| field.rules.required);
        Self { fields, required }
    }
}
