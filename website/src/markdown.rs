//! Markdown on pages. Our own texts show pictures of the site.

pub(crate) use markdown::{Author, plain_text, summary};

use crate::images::Image;

/// A text as HTML.
pub(crate) fn html(markdown: &str, author: Author) -> String {
    markdown::html(markdown, author, picture)
}

fn picture(path: &str) -> Option<markdown::Picture> {
    Image::find(path).map(|image| markdown::Picture {
        path: image.path,
        width: image.width,
        height: image.height,
    })
}
