//! What a response answers: a surface, a path and a query.

use muster_api::metadata::Surface;

/// The longest path and query that is cached, in bytes. Searches of the catalogue are far shorter.
pub(super) const MAX_TARGET_BYTES: usize = 1 << 10;

/// The key of a request, borrowed from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestKey<'r> {
    surface: &'static str,
    target: &'r str,
}

/// The key of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    surface: &'static str,
    target: Box<str>,
}

impl<'r> RequestKey<'r> {
    /// Returns the key of a request to a surface; `None` if it is too long, or has no path.
    pub(super) fn of<B>(request: &'r http::Request<B>, surface: Surface) -> Option<Self> {
        let target = request.uri().path_and_query()?.as_str();
        (target.len() <= MAX_TARGET_BYTES).then_some(Self {
            surface: surface.name(),
            target,
        })
    }

    pub(super) fn to_owned(self) -> Key {
        Key {
            surface: self.surface,
            target: self.target.into(),
        }
    }
}

impl Key {
    pub(super) const fn borrowed(&self) -> RequestKey<'_> {
        RequestKey {
            surface: self.surface,
            target: &self.target,
        }
    }

    /// How many bytes its text has.
    pub(super) const fn len(&self) -> usize {
        self.target.len()
    }
}
