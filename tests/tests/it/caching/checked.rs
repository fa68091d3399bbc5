//! Writers and readers at random, on two cores and two edges, one of which is cut off now and then. What readers have seen is compared with
//! what there was: at any moment an event shows its last state, or, for a second after a change, the one before.

mod history;
mod play;

use std::{sync::Arc, time::Duration};

use tests::TestApp;

use self::play::{Counting, Play};

/// How long it goes on.
const TIME: Duration = Duration::from_secs(6);

async fn no_reader_sees_what_is_older_than_a_second(app: Arc<TestApp>) {
    let play = Play::begin(&app, Counting::Changes).await;
    let outcome = play.run(TIME).await;
    assert_eq!(
        outcome.wrong,
        Vec::<String>::new(),
        "bound {:?}",
        outcome.bound
    );
    assert!(outcome.seen > 100, "{} were seen", outcome.seen);
    assert!(outcome.hits > 50, "{} came from the cache", outcome.hits);
}

/// The negative control: if an edge does not count the changes that come through it, that is found.
async fn a_change_that_is_not_counted_is_found(app: Arc<TestApp>) {
    let play = Play::begin(&app, Counting::Nothing).await;
    let outcome = play.run(TIME).await;
    assert!(!outcome.wrong.is_empty(), "{} were seen", outcome.seen);
}

tests::on_both_engines!(
    no_reader_sees_what_is_older_than_a_second,
    a_change_that_is_not_counted_is_found,
);
