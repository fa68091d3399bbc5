//! Choices that look random and are not: a sequence that depends on the words alone.

use std::ops::Range;

use sha2::{Digest, Sha256};

/// A generator (splitmix64) seeded from words; the same words throw the same numbers on every machine.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    /// Case and spacing of the words make no difference.
    pub(super) fn from_words(words: &str) -> Self {
        let mut hash = Sha256::new();
        for word in words.split_whitespace() {
            hash.update(word.to_lowercase());
            hash.update([0]);
        }
        let seed = hash
            .finalize()
            .iter()
            .take(8)
            .fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        Self(seed)
    }

    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to but not including `end`; 0 when `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = (end as u64).max(1);
        usize::try_from(self.throw() % end).unwrap_or(0)
    }

    /// A number in the range, evenly spread.
    pub(super) fn within(&mut self, range: Range<f64>) -> f64 {
        // 53 bits: as many as an f64 holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64")]
        let unit = (self.throw() >> 11) as f64 / (1_u64 << 53) as f64;
        range.start + unit * (range.end - range.start)
    }

    /// True in `probability` of all throws.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.within(0.0..1.0) < probability
    }

    /// One of the items, which are not none.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        let index = self.below(items.len());
        *items
            .get(index)
            .expect("every list that is picked from is a constant with items in it")
    }

    /// One of the items that is not `last`, so that neighbours differ; `last` when there is no other.
    pub(super) fn pick_other<T: Copy + PartialEq>(&mut self, items: &[T], last: T) -> T {
        let others: Vec<T> = items.iter().copied().filter(|item| *item != last).collect();
        if others.is_empty() {
            last
        } else {
            self.pick(&others)
        }
    }
}
