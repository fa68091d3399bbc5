//! A ZIP archive that is made while it is sent: what is ready is taken out after each write, so it is never in memory as a whole.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use domain::instant::Instant;
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    result::ZipResult,
    write::{SimpleFileOptions, StreamWriter},
};

/// Texts of many rows become much smaller at any level; a higher one would keep a thread for longer.
const LEVEL: i64 = 3;

/// A growing archive.
pub(super) struct Archive {
    zip: ZipWriter<StreamWriter<Ready>>,
    ready: Ready,
    options: SimpleFileOptions,
}

/// What is ready to be sent.
#[derive(Clone, Default)]
struct Ready(Arc<Mutex<Vec<u8>>>);

impl Archive {
    /// An empty archive, whose files were made at `now`.
    pub(super) fn new(now: Instant) -> Self {
        let ready = Ready::default();
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL))
            .last_modified_time(dated(now));
        Self {
            zip: ZipWriter::new_stream(ready.clone()),
            ready,
            options,
        }
    }

    /// Ends the file before, if there is one, and begins another.
    pub(super) fn start(&mut self, name: &str) -> ZipResult<()> {
        self.zip.start_file(name, self.options)
    }

    /// Adds to the file.
    pub(super) fn write(&mut self, bytes: &[u8]) -> ZipResult<()> {
        Ok(self.zip.write_all(bytes)?)
    }

    /// Takes what is ready to be sent.
    pub(super) fn take(&self) -> Bytes {
        self.ready.take()
    }

    /// Ends the archive; returns the rest of it.
    pub(super) fn finish(self) -> ZipResult<Bytes> {
        self.zip.finish()?;
        Ok(self.ready.take())
    }
}

impl Ready {
    fn take(&self) -> Bytes {
        let mut ready = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *ready).into()
    }
}

impl Write for Ready {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut ready = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ready.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Archives know the years 1980 to 2107 alone.
fn dated(now: Instant) -> DateTime {
    let now = now.to_utc();
    let number = |part: i8| u8::try_from(part).unwrap_or(0);
    let year = u16::try_from(now.year()).unwrap_or(0);
    let (month, day) = (number(now.month()), number(now.day()));
    let (hour, minute, second) = (
        number(now.hour()),
        number(now.minute()),
        number(now.second()),
    );
    DateTime::from_date_and_time(year, month, day, hour, minute, second).unwrap_or_default()
}
