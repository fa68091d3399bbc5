//! The log's writer: a thread of its own writes the lines to standard error, so that a log that nobody reads stalls nothing else.

use std::{
    borrow::Cow,
    io::{self, BufWriter, Write},
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// Maximum number of lines that wait to be written: about two megabytes. Further ones are lost, and counted.
const MAX_WAITING_LINES: usize = 8 << 10;

/// How long lines are collected after others were written. Under load many are one system call, and the thread is seldom woken.
const COLLECT_TIME: Duration = Duration::from_millis(5);

/// How often the log says that lines were lost.
const LOSS_INTERVAL: Duration = Duration::from_secs(10);

/// How long the end of the process waits for the last lines to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

static WORKER: Mutex<Option<WorkerGuard>> = Mutex::new(None);

/// Writes one line of the log.
pub(super) struct LineWriter(NonBlocking);

/// Lines that are written together. The thread flushes whenever no line waits.
struct Collected<W: Write>(BufWriter<W>);

/// Starts the thread that writes. Must be called within a Tokio runtime.
pub(super) fn start() -> impl Fn() -> LineWriter {
    let (writer, worker) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(MAX_WAITING_LINES)
        .thread_name("log")
        .finish(Collected(BufWriter::new(io::stderr())));
    *WORKER.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
    tokio::spawn(report_losses(writer.error_counter()));
    move || LineWriter(writer.clone())
}

/// Writes the lines that wait.
pub(super) fn flush() {
    let worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(worker) = worker else { return };
    let (done, flushed) = mpsc::channel();
    // Dropping the guard writes. It prints that it cannot, which waits as well if nobody reads the output.
    thread::spawn(move || {
        drop(worker);
        let _gone = done.send(());
    });
    let _late = flushed.recv_timeout(FLUSH_TIMEOUT);
}

/// Logs how many lines were lost. If this line is lost as well, the next one says so.
async fn report_losses(losses: ErrorCounter) {
    let mut interval = tokio::time::interval(LOSS_INTERVAL);
    let mut reported = 0;
    loop {
        interval.tick().await;
        let lost = losses.dropped_lines();
        if lost > reported {
            let lines = lost - reported;
            tracing::warn!(
                lines,
                "log lines were lost: standard error is read too slowly"
            );
            reported = lost;
        }
    }
}

impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(&one_line(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Write for Collected<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        thread::sleep(COLLECT_TIME);
        Ok(())
    }
}

/// The line without line breaks within it: no value may look like a line of its own.
fn one_line(line: &[u8]) -> Cow<'_, [u8]> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    if !text.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return Cow::Borrowed(line);
    }
    let text = String::from_utf8_lossy(text);
    let escaped = text.replace('\n', "\\n").replace('\r', "\\r") + "\n";
    Cow::Owned(escaped.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_begin_a_line() {
        assert_eq!(&*one_line(b"INFO a=b c\n"), b"INFO a=b c\n");
        assert_eq!(
            &*one_line(b"INFO a=\r\nERROR b\n\n"),
            b"INFO a=\\r\\nERROR b\\n\n"
        );
    }
}
