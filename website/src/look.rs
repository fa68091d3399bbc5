//! How the operator wants the site to look: its name and colour, a logo, and whether the software is named.

mod logo;

use std::path::PathBuf;

use server::{
    Failure,
    brand::{Brand, SiteName},
};

pub(crate) use logo::LogoKind;
pub use logo::{InvalidLogo, Logo};

/// Settings of the look of pages alone; mails know the name and the colour, too.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Name and colour")]
pub struct LookSettings {
    /// Logo for the head of pages and for the icon of the site: an SVG or PNG file of at most 256 KiB [default: that of Muster]
    #[arg(long, env = "MUSTER_SITE_LOGO", value_name = "FILE")]
    pub site_logo: Option<PathBuf>,
    /// Whether the foot of pages leaves out that the site runs on Muster; it says so on a site with a name of its own
    #[arg(long, env = "MUSTER_HIDE_MUSTER", value_name = "BOOL", default_value_t = false, num_args = 0..=1,
        default_missing_value = "true", action = clap::ArgAction::Set)]
    pub hide_muster: bool,
}

/// The look of pages.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// The name and the colour.
    pub brand: Brand,
    /// The logo, if the operator has one.
    pub logo: Option<Logo>,
    /// Whether pages do not name the software.
    pub hides_software: bool,
}

impl LookSettings {
    /// The look that these settings describe, of a site of this name.
    ///
    /// # Errors
    /// When the logo cannot be read or used.
    pub fn look(&self, brand: &Brand) -> Result<Look, Failure> {
        let logo = self.site_logo.as_deref().map(|path| {
            Logo::open(path).map_err(|error| {
                Failure::setting(format!(
                    "--site-logo (MUSTER_SITE_LOGO) {}: {error}",
                    path.display()
                ))
            })
        });
        Ok(Look {
            brand: brand.clone(),
            logo: logo.transpose()?,
            hides_software: self.hide_muster,
        })
    }
}

impl Look {
    /// What the site is called.
    pub(crate) const fn name(&self) -> &SiteName {
        &self.brand.name
    }

    /// Whether the mark of the software stands for the site.
    pub(crate) fn has_usual_mark(&self) -> bool {
        self.logo.is_none() && self.name().chosen().is_none()
    }

    /// Whether the foot of pages names the software.
    pub(crate) fn names_software(&self) -> bool {
        self.name().chosen().is_some() && !self.hides_software
    }
}
