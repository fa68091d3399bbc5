//! The addresses of covers.

use form_urlencoded::Serializer;
use muster_api::v1::MyEventDetail;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::form::Form;

/// Where signed-in people see a cover before it is published.
pub(crate) const PREVIEW: &str = "/dashboard/cover";

/// What a preview depends on, by the names of the fields in the API.
const FIELDS: [&str; 5] = [
    "title",
    "city",
    "start_date",
    "image_query",
    "image_variant",
];

/// The covers of an event, as templates show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    /// With the title.
    pub(crate) poster: String,
    /// Without text, for places in which it could not be read.
    pub(crate) picture: String,
}

impl Cover {
    /// The cover of an event. Its path is used, not core's absolute URL, so that it is of the page's own origin under every name.
    pub(crate) fn of(slug: &str) -> Self {
        let poster = path(slug);
        let picture = format!("{poster}?text=false");
        Self { poster, picture }
    }
}

/// Where the gateway serves an event's cover.
pub(crate) fn path(slug: &str) -> String {
    format!("/api/v1/events/{}/cover", encoded(slug))
}

/// Where the cover of an event stands that is in this form, with one of its pictures.
pub(crate) fn preview(form: &Form, variant: &str) -> String {
    let value = |name| match name {
        "image_variant" => variant,
        _ => form.value(name).unwrap_or_default(),
    };
    address(FIELDS.map(|name| (name, value(name))))
}

/// The cover of an event as its owner sees it, whether it has a page or not.
pub(crate) fn of_owner(event: &MyEventDetail) -> String {
    if event.has_own_cover {
        format!("/dashboard/events/{}/cover.jpg", encoded(&event.id))
    } else if event.is_published && !event.is_hidden {
        path(&event.slug)
    } else {
        unpublished(event)
    }
}

/// Where the cover of an event stands that has no page.
fn unpublished(event: &MyEventDetail) -> String {
    let variant = event.image_variant.to_string();
    let optional = |text: &'_ Option<String>| text.clone().unwrap_or_default();
    address([
        ("title", &*event.title),
        ("city", &optional(&event.city)),
        ("start_date", &event.start_date),
        ("image_query", &optional(&event.image_query)),
        ("image_variant", &variant),
    ])
}

fn address(fields: [(&str, &str); FIELDS.len()]) -> String {
    let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    format!("{PREVIEW}?{query}")
}

/// A text within an address. Unreserved characters stand for themselves (RFC 3986); a space is `%20`, since some show a `+` as it is.
pub(crate) fn encoded(text: &str) -> String {
    const UNRESERVED: &percent_encoding::AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, UNRESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_is_of_the_pages_own_origin() {
        let cover = Cover::of("rust-berlin");
        assert_eq!(cover.poster, "/api/v1/events/rust-berlin/cover");
        assert_eq!(cover.picture, "/api/v1/events/rust-berlin/cover?text=false");
        assert_eq!(path("a/../b?c"), "/api/v1/events/a%2F..%2Fb%3Fc/cover");
    }

    #[test]
    fn the_address_of_a_preview_has_what_was_typed() {
        let form = Form::parse(b"title=Rock+%26+Roll&city=&location=there&image_query=jazz");
        assert_eq!(
            preview(&form, "2"),
            "/dashboard/cover?title=Rock+%26+Roll&image_query=jazz&image_variant=2"
        );
    }
}
