//! Log lines are written to standard error together with others: a system call for each line costs more than the line.

use std::{
    io::{self, Write as _},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits for others. A process that is killed loses those of this time.
const WAIT: Duration = Duration::from_millis(10);

/// Bytes that wait at most. Who adds the last ones writes them all, so that a slow log slows down those who log.
const MOST_BYTES: usize = 64 << 10;

static LINES: Lines = Lines {
    waiting: Mutex::new(Vec::new()),
    first: Condvar::new(),
    is_ending: AtomicBool::new(false),
};

struct Lines {
    waiting: Mutex<Vec<u8>>,
    /// Notified when a line begins to wait.
    first: Condvar,
    /// Nothing waits any more: the process is about to end.
    is_ending: AtomicBool,
}

/// Gathers the lines of the log.
pub(super) struct Gather {
    is_running: bool,
}

/// Takes one line.
pub(super) struct Taker {
    at_once: bool,
}

impl Gather {
    /// Lines are gathered from now on.
    pub(super) fn begin() -> Self {
        let thread = thread::Builder::new().name("log".to_owned());
        let is_running = thread.spawn(|| LINES.write_together()).is_ok();
        Self { is_running }
    }

    /// Each line is written at once.
    pub(super) const fn nothing() -> Self {
        Self { is_running: false }
    }
}

impl MakeWriter<'_> for Gather {
    type Writer = Taker;

    fn make_writer(&self) -> Taker {
        Taker { at_once: true }
    }

    /// Warnings and errors do not wait: they may be the last that there is to say.
    fn make_writer_for(&self, line: &Metadata<'_>) -> Taker {
        let at_once = !self.is_running || *line.level() <= Level::WARN;
        Taker { at_once }
    }
}

impl io::Write for Taker {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        LINES.add(line, self.at_once);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the lines that wait, and later ones at once.
pub(super) fn end() {
    LINES.is_ending.store(true, Ordering::Relaxed);
    write(&mut LINES.waiting());
}

impl Lines {
    fn add(&self, line: &[u8], at_once: bool) {
        let mut waiting = self.waiting();
        let is_first = waiting.is_empty();
        waiting.extend_from_slice(line);
        let is_ending = self.is_ending.load(Ordering::Relaxed);
        if at_once || is_ending || waiting.len() >= MOST_BYTES {
            write(&mut waiting);
        } else if is_first {
            self.first.notify_one();
        }
    }

    fn write_together(&self) -> ! {
        loop {
            let waiting = self
                .first
                .wait_while(self.waiting(), |lines| lines.is_empty());
            drop(waiting);
            thread::sleep(WAIT);
            write(&mut self.waiting());
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<u8>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(waiting: &mut Vec<u8>) {
    // A log that cannot be written, for example on a full disk, must not end what is logged.
    let _unwritten = io::stderr().write_all(waiting);
    waiting.clear();
}
