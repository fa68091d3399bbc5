//! Covers for a server: drawn outside the async threads, a few at a time, each once, with a cache of the latest.

use std::{
    collections::HashMap,
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use bytes::Bytes;
use tokio::{
    sync::{OnceCell, Semaphore},
    task::spawn_blocking,
};

use super::{CoverRequest, Error, digest, draw};

/// Memory for finished covers: about 500. Clients cache covers for long, so this is only for links that were just shared.
const BYTES_KEPT: usize = 32 * 1024 * 1024;

/// Maximum number of covers in the cache, finished or being drawn.
const COVERS_KEPT: usize = 1024;

/// Maximum number of covers that wait to be drawn. At 20 to 60 ms each, the last one waits about two seconds; more would only
/// time out.
const WAITING_AT_MOST: usize = 64;

/// Draws and caches covers. Clones share the cache.
#[derive(Clone)]
pub struct Studio {
    draw: Draw,
    kept: Arc<Mutex<Kept>>,
    /// A permit for each cover that is drawn or waits for it.
    admitted: Arc<Semaphore>,
    /// A permit for each cover that is drawn now.
    drawing: Arc<Semaphore>,
}

type Draw = Arc<dyn Fn(&CoverRequest) -> Result<Bytes, Error> + Send + Sync>;

type Key = [u8; 32];

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
        Self::with(Arc::new(draw), at_once, Kept::new(BYTES_KEPT, COVERS_KEPT))
    }

    fn with(draw: Draw, at_once: usize, kept: Kept) -> Self {
        Self {
            draw,
            kept: Arc::new(Mutex::new(kept)),
            admitted: Arc::new(Semaphore::new(at_once + WAITING_AT_MOST)),
            drawing: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// The cover of `request` as a PNG, if it is in the cache.
    pub fn find(&self, request: &CoverRequest) -> Option<Bytes> {
        self.kept().find(&digest(request))
    }

    /// The cover of `request` as a PNG, from the cache or drawn now. Callers of a cover that is being drawn wait for that drawing.
    pub async fn cover(&self, request: CoverRequest) -> Result<Bytes, Error> {
        let key = digest(&request);
        let slot = self.kept().slot(key);
        let png = slot.get_or_try_init(|| self.draw(request)).await?.clone();
        self.kept().keep(key, png.len());
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

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic cannot leave the value in a bad state.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cache; the least recently used cover is evicted first.
struct Kept {
    slots: HashMap<Key, Slot>,
    bytes: usize,
    bytes_at_most: usize,
    slots_at_most: usize,
    /// Increases with every use; gives a slot's age.
    uses: u64,
}

struct Slot {
    png: Arc<OnceCell<Bytes>>,
    /// 0 until it is drawn.
    bytes: usize,
    used: u64,
}

impl Kept {
    fn new(bytes_at_most: usize, slots_at_most: usize) -> Self {
        Self {
            slots: HashMap::new(),
            bytes: 0,
            bytes_at_most,
            slots_at_most,
            uses: 0,
        }
    }

    fn find(&mut self, key: &Key) -> Option<Bytes> {
        let slot = self.slots.get_mut(key)?;
        let png = slot.png.get()?.clone();
        self.uses += 1;
        slot.used = self.uses;
        Some(png)
    }

    fn slot(&mut self, key: Key) -> Arc<OnceCell<Bytes>> {
        self.uses += 1;
        let slot = self.slots.entry(key).or_insert_with(|| Slot {
            png: Arc::default(),
            bytes: 0,
            used: 0,
        });
        slot.used = self.uses;
        let png = Arc::clone(&slot.png);
        self.make_room();
        png
    }

    fn keep(&mut self, key: Key, bytes: usize) {
        if let Some(slot) = self.slots.get_mut(&key).filter(|slot| slot.bytes == 0) {
            slot.bytes = bytes;
            self.bytes += bytes;
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        while self.bytes > self.bytes_at_most || self.slots.len() > self.slots_at_most {
            let oldest = self
                .slots
                .iter()
                .min_by_key(|(_, slot)| slot.used)
                .map(|(key, _)| *key);
            let Some(slot) = oldest.and_then(|key| self.slots.remove(&key)) else {
                return;
            };
            self.bytes -= slot.bytes;
        }
    }
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
        }
    }

    /// A studio whose drawings are ten bytes, and how often it drew.
    fn counting(bytes_at_most: usize) -> (Studio, Arc<AtomicUsize>) {
        let drawn = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&drawn);
        let draw = Arc::new(move |_: &CoverRequest| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(Bytes::from_static(&[7; 10]))
        });
        (Studio::with(draw, 2, Kept::new(bytes_at_most, 100)), drawn)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_cover_that_many_ask_for_at_once_is_drawn_once() {
        let (studio, drawn) = counting(1000);
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
    async fn the_covers_kept_stay_within_their_memory_and_the_latest_remain() {
        let (studio, drawn) = counting(30);
        assert!(studio.find(&request("one")).is_none());
        for title in ["one", "two", "three", "one", "four"] {
            studio.cover(request(title)).await.expect("a cover");
            assert!(studio.kept().bytes <= 30);
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
        let studio = Studio::with(draw, 1, Kept::new(1000, 10));
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
        let (studio, _) = counting(1000);
        let _all = studio.admitted.acquire_many(66).await.expect("open");
        assert!(matches!(
            studio.cover(request("late")).await,
            Err(Error::Busy)
        ));
    }
}
