//! The motifs: what a cover shows if its words name a topic. They are drawn in the units of [`Pen`].

pub(super) mod craft;
pub(super) mod food;
pub(super) mod life;
pub(super) mod mind;
pub(super) mod music;
pub(super) mod nature;
pub(super) mod sport;

use super::pen::Pen;

/// Draws a motif.
pub(super) type Motif = fn(&mut Pen<'_>);
