//! Changes of people's addresses, which can be taken back from the address before.

use uuid::Uuid;

use super::{
    ids::PersonId,
    instant::{DAY_SECONDS, Instant},
};

/// For how long a changed address can be taken back.
pub const TAKE_BACK_SECONDS: i64 = 7 * DAY_SECONDS;

/// A change of a person's address that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailChange {
    /// Its identifier.
    pub id: Uuid,
    /// Whose address it was.
    pub person_id: PersonId,
    /// The address before, as entered.
    pub email: String,
    /// Who changed it. Another one than the person is a company that took their account over.
    pub changed_by: PersonId,
    /// When.
    pub changed_at: Instant,
    /// Until when it can be taken back.
    pub expires_at: Instant,
}

impl EmailChange {
    /// Whether whoever has the address before may take it back.
    pub fn can_be_taken_back(&self) -> bool {
        self.changed_by == self.person_id
    }
}
