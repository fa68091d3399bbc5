//! The credit of a stock photograph.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The author, source and licence of a stock photograph. Each part is one line without control characters. Stored as JSON,
/// shown by [`fmt::Display`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageCredit {
    /// Its title.
    pub title: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// The author's page.
    pub author_url: Option<String>,
    /// The collection that it is from, for example `Unsplash`.
    pub source: String,
    /// The photograph's page there.
    pub source_url: Option<String>,
    /// The licence by its usual name, for example `CC BY 2.0`.
    pub license: String,
    /// The licence's text.
    pub license_url: Option<String>,
}

impl fmt::Display for ImageCredit {
    /// For example `"Tree" by Tim Sullivan (https://…), Unsplash (https://…), Unsplash License (https://…), cropped`. Creative
    /// Commons licences require that cropping is stated.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.title {
            Some(title) => write!(out, "\"{title}\"")?,
            None => out.write_str("Photo")?,
        }
        if let Some(author) = &self.author {
            write!(out, " by {author}{}", Address(self.author_url.as_deref()))?;
        }
        write!(
            out,
            ", {}{}, {}{}, cropped",
            self.source,
            Address(self.source_url.as_deref()),
            self.license,
            Address(self.license_url.as_deref()),
        )
    }
}

/// A URL in parentheses.
struct Address<'a>(Option<&'a str>);

impl fmt::Display for Address<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |url| write!(out, " ({url})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credit() -> ImageCredit {
        ImageCredit {
            title: Some("Tree Bark".to_owned()),
            author: Some("Tim Sullivan".to_owned()),
            author_url: Some("https://example.org/tim".to_owned()),
            source: "stocksnap by Openverse".to_owned(),
            source_url: Some("https://stocksnap.io/photo/1".to_owned()),
            license: "CC BY 2.0".to_owned(),
            license_url: Some("https://creativecommons.org/licenses/by/2.0/".to_owned()),
        }
    }

    #[test]
    fn a_credit_names_work_maker_source_and_licence() {
        assert_eq!(
            credit().to_string(),
            "\"Tree Bark\" by Tim Sullivan (https://example.org/tim), stocksnap by Openverse \
             (https://stocksnap.io/photo/1), CC BY 2.0 (https://creativecommons.org/licenses/by/2.0/), cropped"
        );
        let bare = ImageCredit {
            source: "Pexels".to_owned(),
            license: "Pexels License".to_owned(),
            ..ImageCredit::default()
        };
        assert_eq!(bare.to_string(), "Photo, Pexels, Pexels License, cropped");
    }
}
