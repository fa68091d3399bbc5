//! The operator's name: what an installation is called, and its colour.

mod accent;

use std::{fmt, str::FromStr};

pub use accent::{Accent, InvalidAccent};

/// Maximum length of a site's name in characters. It stands beside the navigation, and in titles.
const MAX_NAME_CHARACTERS: usize = 40;

/// Settings of the operator's name, for the programs that write pages and mails.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Name and colour")]
pub struct Brand {
    /// What the site is called in pages, emails, feeds, calendars and previews; 1 to 40 characters. Core and website need the same
    #[arg(
        long = "site-name",
        id = "site_name",
        env = "MUSTER_SITE_NAME",
        value_name = "NAME",
        default_value_t = SiteName::default(),
        global = true
    )]
    pub name: SiteName,
    /// Colour of links and buttons, as #rrggbb; in dark mode pages use a lighter tone of it. One that is hard to read is refused, with the
    /// nearest that is not. Core and website need the same
    #[arg(
        long = "accent-colour",
        id = "accent_colour",
        env = "MUSTER_ACCENT_COLOUR",
        value_name = "COLOUR",
        default_value_t = Accent::default(),
        global = true
    )]
    pub accent: Accent,
}

impl Brand {
    /// A site of this name, in the usual colour.
    pub fn named(name: SiteName) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }
}

/// The name of a site: one line that is safe in headers of mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteName(String);

/// No name of a site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 40 characters, no line breaks and none of < > @ \"")]
pub struct InvalidSiteName;

impl SiteName {
    /// The name of the software, which a site has if its operator chooses none.
    pub const OF_SOFTWARE: &str = "Muster";

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name, if the operator chose one.
    pub fn chosen(&self) -> Option<&str> {
        Some(&*self.0).filter(|name| *name != Self::OF_SOFTWARE)
    }

    /// A text about the software, as one about the site.
    pub fn in_text(&self, text: &str) -> String {
        text.replace(Self::OF_SOFTWARE, &self.0)
    }
}

impl Default for SiteName {
    fn default() -> Self {
        Self(Self::OF_SOFTWARE.to_owned())
    }
}

impl FromStr for SiteName {
    type Err = InvalidSiteName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim();
        let is_wrong = |one: char| one.is_control() || matches!(one, '<' | '>' | '@' | '"');
        let length = name.chars().count();
        if length == 0 || length > MAX_NAME_CHARACTERS || name.chars().any(is_wrong) {
            return Err(InvalidSiteName);
        }
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for SiteName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_short_line_that_ends_no_address() {
        for (text, name) in [
            ("  Ruhr Events ", Some("Ruhr Events")),
            ("東京の夏", Some("東京の夏")),
            ("", None),
            ("  ", None),
            ("a\nb", None),
            ("a <b@example.org>", None),
        ] {
            let read = text.parse::<SiteName>().ok();
            assert_eq!(read.as_ref().map(SiteName::as_str), name, "{text:?}");
        }
        assert!("x".repeat(40).parse::<SiteName>().is_ok());
        assert!("x".repeat(41).parse::<SiteName>().is_err());
    }
}
