//! Covers for a server: drawn outside the async threads, a few at a time, each once, with a cache of the latest.

use std::{num::NonZero, sync::Arc, thread};

use bytes::Bytes;
use moka::{policy::EvictionPolicy, sync::Cache};
use tokio::{
    sync::{OnceCell, Semaphore},
    task::spawn_blocking,
};

use super::{CoverRequest, Error, digest, draw};

/// Memory for finished covers: about 500. Clients cache covers for long, so this is only for links that were just shared.
const MAX_CACHED_BYTES: u64 = 32 << 20;

/// What a cover takes in the cache besides its bytes, also while it is drawn.
const OVERHEAD: usize = 512;

/// Maximum number of covers that wait to be drawn. At 20 to 60 ms each, the last one waits about two seconds; more would only
/// time out.
const MAX_WAITING: usize = 64;

/// Draws and caches covers. Clones share the cache.
#[derive(Clone)]
pub struct Studio {
    draw: Draw,
    covers: Cache<Key, Drawn>,
    /// A permit for each cover that is drawn or waits for it.
    admitted: Arc<Semaphore>,
    /// A permit for each cover that is drawn now.
    drawing: Arc<Semaphore>,
}

type Draw = Arc<dyn Fn(&CoverRequest) -> Result<Bytes, Error> + Send + Sync>;

type Key = [u8; 32];

/// A cover, empty while it is drawn.
type Drawn = Arc<OnceCell<Bytes>>;

impl Default for Studio {
    fn default() -> Self {
        Self::new()
    }
}

impl Studio {
    /// At most half of the processors draw, so that other requests are answered meanwhile.
    pub fn new() -> Self {
        let at_once = thread::available_parallelism()
            .map_or(1, NonZero::get)
            .div_ceil(2);
        Self::with(Arc::new(draw), at_once, MAX_CACHED_BYTES)
    }

    fn with(draw: Draw, at_once: usize, max_bytes: u64) -> Self {
        Self {
            draw,
            covers: Cache::builder()
                .max_capacity(max_bytes)
                .weigher(weight)
                .eviction_policy(EvictionPolicy::lru())
                .build(),
            admitted: Arc::new(Semaphore::new(at_once + MAX_WAITING)),
            drawing: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// The cover of `request` as a PNG, if it is in the cache.
    pub fn find(&self, request: &CoverRequest) -> Option<Bytes> {
        self.covers.get(&digest(request))?.get().cloned()
    }

    /// The cover of `request` as a PNG, from the cache or drawn now. Callers of a cover that is being drawn wait for that drawing.
    pub async fn cover(&self, request: CoverRequest) -> Result<Bytes, Error> {
        let key = digest(&request);
        let drawn = self.covers.get_with(key, Drawn::default);
        if let Some(png) = drawn.get() {
            return Ok(png.clone());
        }
        let png = drawn.get_or_try_init(|| self.draw(request)).await?.clone();
        // Again, since it is weighed when it is inserted.
        self.covers.insert(key, drawn);
        Ok(png)
    }

    async fn draw(&self, request: CoverRequest) -> Result<Bytes, Error> {
        let _waiting = self.admitted.try_acquire().map_err(|_full| Error::Busy)?;
        let permit = Arc::clone(&self.drawing)
            .acquire_owned()
            .await
            .map_err(|_closed| Error::Busy)?;
        let draw = Arc::clone(&self.draw);
        // The task keeps the permit: a drawing whose caller has disconnected still uses a processor.
        let drawing = spawn_blocking(move || {
            let _permit = permit;
            draw(&request)
        });
        drawing
            .await
            .map_err(|error| Error::Drawing(error.to_string()))?
    }
}

fn weight(_key: &Key, drawn: &Drawn) -> u32 {
    let bytes = OVERHEAD + drawn.get().map_or(0, Bytes::len);
    bytes.try_into().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn request(title: &str) -> CoverRequest {
        CoverRequest {
            title: title.to_owned(),
            subtitle: Vec::new(),
            words: "words".to_owned(),
            variant: 0,
            has_text: true,
        }
    }

    /// A studio whose drawings are ten bytes, that caches so many, and how often it drew.
    fn counting(max_covers: usize) -> (Studio, Arc<AtomicUsize>) {
        let drawn = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&drawn);
        let draw = Arc::new(move |_: &CoverRequest| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(Bytes::from_static(&[7; 10]))
        });
        let max_bytes = max_covers * (OVERHEAD + 10);
        (Studio::with(draw, 2, max_bytes as u64), drawn)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_cover_that_many_ask_for_at_once_is_drawn_once() {
        let (studio, drawn) = counting(100);
        let readers = (0..50).map(|_| {
            let studio = studio.clone();
            tokio::spawn(async move { studio.cover(request("hot")).await })
        });
        for reader in readers.collect::<Vec<_>>() {
            let cover = reader.await.expect("no panic").expect("a cover");
            assert_eq!(cover.len(), 10);
        }
        assert_eq!(drawn.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn cached_covers_stay_within_their_memory_and_the_latest_remain() {
        let (studio, drawn) = counting(3);
        assert!(studio.find(&request("one")).is_none());
        for title in ["one", "two", "three", "one", "four"] {
            studio.cover(request(title)).await.expect("a cover");
            studio.covers.run_pending_tasks();
            assert!(studio.covers.entry_count() <= 3);
        }
        assert_eq!(drawn.load(Ordering::SeqCst), 4);
        assert!(studio.find(&request("one")).is_some());
        assert!(studio.find(&request("two")).is_none());
        studio.cover(request("one")).await.expect("a cover");
        assert_eq!(
            drawn.load(Ordering::SeqCst),
            4,
            "one was used lately and is still there"
        );
        studio.cover(request("two")).await.expect("a cover");
        assert_eq!(
            drawn.load(Ordering::SeqCst),
            5,
            "two had to make room for four"
        );
    }

    #[tokio::test]
    async fn a_drawing_that_panics_is_an_error_and_the_studio_goes_on() {
        let draw: Draw = Arc::new(|request| {
            assert_ne!(request.title, "bad", "cannot draw this");
            Ok(Bytes::from_static(b"fine"))
        });
        let studio = Studio::with(draw, 1, MAX_CACHED_BYTES);
        assert!(matches!(
            studio.cover(request("bad")).await,
            Err(Error::Drawing(_))
        ));
        assert_eq!(
            studio.cover(request("good")).await.expect("a cover"),
            "fine"
        );
    }

    #[tokio::test]
    async fn more_waiting_covers_than_there_is_room_for_are_turned_away() {
        let (studio, _) = counting(100);
        let _all = studio.admitted.acquire_many(66).await.expect("open");
        assert!(matches!(
            studio.cover(request("late")).await,
            Err(Error::Busy)
        ));
    }
}
