//! What is done to the service, drawn at random.

use core_service::domain::change::Change;
use proptest::prelude::*;

pub(super) const CASE_LENGTH: std::ops::Range<usize> = 10..50;

/// Times are hours from the present. The first owner is on the free plan, the second has no quota.
#[derive(Debug, Clone)]
pub(super) enum Command {
    Create {
        owner: usize,
        start: i64,
        duration: Option<i64>,
        is_public: bool,
        is_listed: bool,
    },
    Update {
        which: usize,
        start: Option<i64>,
        end: Change<i64>,
        is_listed: Option<bool>,
    },
    Publish {
        which: usize,
    },
    Unpublish {
        which: usize,
    },
    Cancel {
        which: usize,
    },
    Wait {
        hours: i64,
    },
}

pub(super) fn command() -> impl Strategy<Value = Command> {
    let hour = || -4..8_i64;
    let duration = || -1..4_i64;
    let owner = || prop_oneof![4 => Just(0_usize), 1 => Just(1_usize)];
    let which = || 0..CASE_LENGTH.end;
    let end = prop_oneof![
        2 => Just(Change::Keep),
        1 => Just(Change::Clear),
        2 => hour().prop_map(Change::Set),
    ];
    prop_oneof![
        6 => (owner(), hour(), prop::option::of(duration()), any::<bool>(), prop::bool::weighted(0.8)).prop_map(
            |(owner, start, duration, is_public, is_listed)| Command::Create { owner, start, duration, is_public, is_listed }
        ),
        6 => (which(), prop::option::of(hour()), end, prop::option::of(any::<bool>())).prop_map(
            |(which, start, end, is_listed)| Command::Update { which, start, end, is_listed }
        ),
        3 => which().prop_map(|which| Command::Publish { which }),
        1 => which().prop_map(|which| Command::Unpublish { which }),
        1 => which().prop_map(|which| Command::Cancel { which }),
        2 => (1..3_i64).prop_map(|hours| Command::Wait { hours }),
    ]
}
