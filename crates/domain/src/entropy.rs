//! The only source of randomness, injected so that tests can seed it.

use std::sync::{Arc, Mutex, PoisonError};

use rand::{Rng, RngExt, SeedableRng, distr::Alphanumeric, rngs::StdRng};
use uuid::Uuid;

use super::instant::Instant;

/// Makes identifiers and secrets from the operating system's randomness, or from a test's seed.
#[derive(Debug, Clone)]
pub struct Entropy(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

impl Entropy {
    /// Cryptographically secure randomness, seeded by the operating system.
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// The same values in the same order for the same seed; clones share the sequence.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(
            seed,
        )))))
    }

    /// A UUIDv7 of the moment `now`. Its first random bits hold the microseconds (RFC 9562, method 3), so that ids made
    /// within one millisecond still sort by time.
    pub fn uuid_v7(&self, now: Instant) -> Uuid {
        const MICROS_PER_MILLI: i64 = 1_000;
        let millis = now.micros().div_euclid(MICROS_PER_MILLI);
        let within = now.micros().rem_euclid(MICROS_PER_MILLI);
        let mut bytes = [0; 10];
        self.with(|rng| rng.fill_bytes(&mut bytes));
        // Ten bits of microseconds fill rand_a's twelve from the top; the version takes the byte's upper half.
        let [high, low, ..] = u16::try_from(within << 2).unwrap_or(0).to_be_bytes();
        let [first, second, ..] = &mut bytes;
        *first = high;
        *second = low | (*second & 0b11);
        // There are no UUIDv7s before 1970; `doctor` reports such a clock.
        let millis = u64::try_from(millis).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// That many characters out of 0-9, A-Z and a-z, each equally likely.
    pub fn base62(&self, length: usize) -> String {
        self.with(|rng| {
            rng.sample_iter(Alphanumeric)
                .take(length)
                .map(char::from)
                .collect()
        })
    }

    /// A number from 0 up to, not including, `bound`; 0 when the bound is 0.
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        self.with(|rng| rng.random_range(0..bound))
    }

    /// That many random bytes.
    pub fn bytes<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        self.with(|rng| rng.fill_bytes(&mut bytes));
        bytes
    }

    fn with<T>(&self, draw: impl FnOnce(&mut dyn Rng) -> T) -> T {
        match &self.0 {
            Source::System => draw(&mut rand::rng()),
            // A panic elsewhere cannot leave the generator in a bad state.
            Source::Seeded(rng) => draw(&mut *rng.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_every_value() {
        let values = |seed| {
            let entropy = Entropy::seeded(seed);
            (
                entropy.base62(30),
                entropy.uuid_v7(Instant::from_micros(1)),
                entropy.below(1_000_000),
            )
        };
        assert_eq!(values(7), values(7));
        assert_ne!(values(7), values(8));
    }

    #[test]
    fn ids_sort_by_the_microsecond_that_they_were_made_in() {
        let entropy = Entropy::system();
        let start = 1_800_000_000_000_000;
        let ids: Vec<Uuid> = (0..3_000)
            .map(|micros| entropy.uuid_v7(Instant::from_micros(start + micros)))
            .collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn base62_holds_letters_and_digits_only() {
        let text = Entropy::system().base62(500);
        assert_eq!(text.len(), 500);
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
