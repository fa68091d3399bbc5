//! The whole system against a model of it that fits on two pages: whatever is done, in whatever order, through whichever
//! surface, every list and every detail is, to the last field, what the model says.
//!
//! A failure prints a short case that shows it, and its seed: `PROPTEST_RNG_SEED=… cargo test -p tests model` plays it
//! again, `PROPTEST_CASES=1000` plays more.

mod command;
mod play;
mod world;

use std::{
    collections::hash_map::RandomState, hash::BuildHasher as _, ops::RangeInclusive, sync::Arc,
    time::Duration,
};

use proptest::{
    collection::vec,
    test_runner::{Config, RngSeed, TestRunner},
};
use tests::TestApp;

use self::{
    command::{Step, step},
    play::Play,
};

/// Enough that each kind of step meets each other one in every run; a few seconds.
const CASES: u32 = 8;
/// Long enough to fill a quota and to empty it again.
const CASE: RangeInclusive<usize> = 20..=40;
/// A failure is made shorter for this long: nobody waits for the shortest.
const SHRINKING: Duration = Duration::from_secs(30);

async fn the_system_agrees_with_its_model(app: Arc<TestApp>) {
    let mut config = Config {
        failure_persistence: None,
        max_shrink_iters: u32::MAX,
        max_shrink_time: SHRINKING.as_millis().try_into().unwrap(),
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let seed = match config.rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => RandomState::new().hash_one(CASES),
    };
    config.rng_seed = RngSeed::Fixed(seed);

    let play = |steps: Vec<Step>| {
        // Each case begins when everything of the last is long over. Nothing sweeps the catalogue in between, so that its
        // total has more and more to leave out.
        app.advance(Duration::from_hours(1_000));
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let mut play = Play::begin(&app).await;
                play.compare().await;
                for step in steps {
                    play.take(step).await;
                    play.compare().await;
                }
            });
        });
        Ok(())
    };
    let outcome = TestRunner::new(config).run(&vec(step(), CASE), play);
    outcome.unwrap_or_else(|failure| panic!("PROPTEST_RNG_SEED={seed}: {failure}"));
}

tests::on_both_engines!(the_system_agrees_with_its_model);
