//! What becomes of a refresh token that is shown. It is exchanged for a new one, and since several processes of a client refresh at once, and
//! answers get lost, one that was exchanged before does not always mean that it was stolen.

use super::{Hash, RefreshToken};
use crate::instant::Instant;

/// How many successors of a token there may be that nobody has used.
pub const MAX_UNUSED: usize = 4;

/// A token that another one was exchanged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Successor {
    /// SHA-256 of the token.
    pub hash: Hash,
    /// When it was made.
    pub created_at: Instant,
    /// When it was exchanged itself. Only that counts as a use.
    pub consumed_at: Option<Instant>,
}

/// What becomes of a refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It has expired.
    Expired,
    /// It is exchanged for a new one.
    Exchange {
        /// Successors that end.
        ends: Vec<Hash>,
        /// Whether its grace begins now.
        begins_grace: bool,
    },
    /// Someone else has it: the grant ends.
    Reused,
}

/// Decides on a token. `successors` are those that it was exchanged for before and that have not ended.
pub fn decide(
    token: &RefreshToken,
    successors: &[Successor],
    now: Instant,
    grace_seconds: i64,
) -> Decision {
    if token.expires_at <= now {
        return Decision::Expired;
    }
    let Some(consumed_at) = token.consumed_at else {
        return Decision::Exchange {
            ends: Vec::new(),
            begins_grace: true,
        };
    };
    let is_unused = |one: &&Successor| one.consumed_at.is_none();
    let mut unused: Vec<_> = successors.iter().filter(is_unused).collect();
    unused.sort_unstable_by_key(|one| (one.created_at, one.hash));
    if now < consumed_at.plus_seconds(grace_seconds) {
        // With the new one there are as many as there may be.
        let too_many = (unused.len() + 1).saturating_sub(MAX_UNUSED);
        let ends = unused.iter().take(too_many).map(|one| one.hash).collect();
        return Decision::Exchange {
            ends,
            begins_grace: false,
        };
    }
    if unused.len() < successors.len() {
        return Decision::Reused;
    }
    Decision::Exchange {
        ends: unused.iter().map(|one| one.hash).collect(),
        begins_grace: true,
    }
}

/// Whether two have the token that both of these were exchanged for: a successor that is exchanged now, for the first time, and another
/// one that was before. In the grace that is one client that refreshes several times at once; one that goes on later with two of its
/// successors does not share them, so one of the two was stolen.
pub fn has_two_holders(
    parent: &RefreshToken,
    successors: &[Successor],
    now: Instant,
    grace_seconds: i64,
) -> bool {
    let Some(exchanged_at) = parent.consumed_at else {
        return false;
    };
    let grace_ends_at = exchanged_at.plus_seconds(grace_seconds);
    let is_late = |at: Instant| at >= grace_ends_at;
    let mut others = successors.iter().filter_map(|one| one.consumed_at);
    is_late(now) && others.any(is_late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GrantId;

    const NOW: Instant = Instant::from_micros(1_893_456_000_000_000);
    const GRACE: i64 = 60;

    fn token(consumed_at: Option<i64>) -> RefreshToken {
        RefreshToken {
            hash: [0; 32],
            grant_id: GrantId::new(uuid::Uuid::nil()),
            parent: None,
            created_at: NOW,
            expires_at: NOW.plus_seconds(1_000),
            consumed_at: consumed_at.map(|seconds| NOW.plus_seconds(seconds)),
        }
    }

    fn successors(used: &[bool]) -> Vec<Successor> {
        let one = |(number, is_used): (u8, &bool)| Successor {
            hash: [number; 32],
            created_at: NOW.plus_seconds(i64::from(number)),
            consumed_at: is_used.then_some(NOW),
        };
        (1..).zip(used).map(one).collect()
    }

    fn decided(consumed_at: Option<i64>, used: &[bool], after_seconds: i64) -> Decision {
        let now = NOW.plus_seconds(after_seconds);
        decide(&token(consumed_at), &successors(used), now, GRACE)
    }

    fn exchange(ends: &[u8], begins_grace: bool) -> Decision {
        Decision::Exchange {
            ends: ends.iter().map(|number| [*number; 32]).collect(),
            begins_grace,
        }
    }

    #[test]
    fn a_token_is_exchanged_until_it_expires() {
        assert_eq!(decided(None, &[], 0), exchange(&[], true));
        assert_eq!(decided(None, &[], 999), exchange(&[], true));
        assert_eq!(decided(None, &[], 1_000), Decision::Expired);
        assert_eq!(decided(Some(0), &[true], 1_000), Decision::Expired);
    }

    #[test]
    fn in_the_grace_there_are_siblings_of_which_four_live_unused() {
        assert_eq!(decided(Some(0), &[false], 1), exchange(&[], false));
        assert_eq!(decided(Some(0), &[false; 3], 59), exchange(&[], false));
        assert_eq!(decided(Some(0), &[false; 4], 59), exchange(&[1], false));
        // A used one is not in the way, and does not end.
        let used = [true, false, true, false, false];
        assert_eq!(decided(Some(0), &used, 59), exchange(&[], false));
    }

    #[test]
    fn after_the_grace_only_a_lost_answer_is_repeated() {
        assert_eq!(decided(Some(0), &[false], 60), exchange(&[1], true));
        assert_eq!(
            decided(Some(0), &[false; 3], 90),
            exchange(&[1, 2, 3], true)
        );
        assert_eq!(decided(Some(0), &[], 90), exchange(&[], true));
        assert_eq!(decided(Some(0), &[true], 60), Decision::Reused);
        assert_eq!(decided(Some(0), &[false, true], 90), Decision::Reused);
    }

    #[test]
    fn two_successors_that_are_both_used_after_the_grace_have_two_holders() {
        let has_two = |parent_at: Option<i64>, other_at: Option<i64>, after_seconds: i64| {
            let at = |seconds| NOW.plus_seconds(seconds);
            let mut both = successors(&[false, false]);
            both[0].consumed_at = other_at.map(at);
            has_two_holders(&token(parent_at), &both, at(after_seconds), GRACE)
        };
        assert!(has_two(Some(0), Some(60), 60));
        assert!(has_two(Some(0), Some(3_000), 9_000));
        // One of them went on in the grace, as processes do that refresh at once.
        assert!(!has_two(Some(0), Some(59), 9_000));
        assert!(!has_two(Some(0), Some(60), 59));
        assert!(!has_two(Some(0), None, 9_000));
        assert!(!has_two(None, Some(60), 60));
    }

    #[test]
    fn without_a_grace_the_next_one_is_a_theft_as_soon_as_a_successor_was_used() {
        let now = NOW.plus_seconds(1);
        let at_once = |used: &[bool]| decide(&token(Some(1)), &successors(used), now, 0);
        assert_eq!(at_once(&[false]), exchange(&[1], true));
        assert_eq!(at_once(&[true]), Decision::Reused);
    }
}
