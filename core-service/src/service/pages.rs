//! Pages of lists.

use domain::cursor::Place;

/// Where a page of a list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStart {
    /// After so many items.
    Offset(i32),
    /// After this item.
    After(Place),
}

impl From<i32> for PageStart {
    fn from(offset: i32) -> Self {
        Self::Offset(offset)
    }
}

/// The first `limit` of the items that were found, and the place of the last if one more was.
pub(super) fn page<I>(
    mut found: Vec<I>,
    limit: i32,
    place: impl FnOnce(&I) -> Place,
) -> (Vec<I>, Option<Place>) {
    let limit = usize::try_from(limit).unwrap_or(0);
    let is_last = found.len() <= limit;
    found.truncate(limit);
    let last = found.last().filter(|_| !is_last).map(place);
    (found, last)
}
