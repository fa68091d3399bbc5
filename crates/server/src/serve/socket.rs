//! Time limits on a socket: on what a client sends first, and on what it does not read.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use http::Version;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::watch,
    time::{Sleep, sleep},
};

use super::listener::Stream;

/// The preface of HTTP/2, which ends with a frame of settings: 24 bytes and the frame's header.
const PREFACE_BYTES: usize = 24 + 9;

/// What no request over HTTP/1.1 begins with.
const PREFACE_START: &[u8] = b"PRI ";

/// A socket that fails when its client is too slow.
pub(super) struct Socket {
    stream: Box<dyn Stream>,
    /// How long the client may take to say what it wants; `None` once it has.
    first: Option<FirstHeader>,
    /// How long a write may wait for the client.
    stall: Duration,
    /// When the write that waits is overdue.
    overdue: Option<Pin<Box<Sleep>>>,
}

/// What is waited for at first: the preface of HTTP/2, or a request over HTTP/1.1.
struct FirstHeader {
    limit: Pin<Box<Sleep>>,
    read: usize,
    is_preface: bool,
    /// The protocol of the first request.
    requested: watch::Receiver<Option<Version>>,
}

impl Socket {
    pub(super) fn new(
        stream: Box<dyn Stream>,
        first_header: Duration,
        stall: Duration,
        requested: watch::Receiver<Option<Version>>,
    ) -> Self {
        Self {
            stream,
            first: Some(FirstHeader {
                limit: Box::pin(sleep(first_header)),
                read: 0,
                is_preface: true,
                requested,
            }),
            stall,
            overdue: None,
        }
    }

    /// Fails if the client has not read for too long, while a write waits for it.
    fn watch<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.overdue = None;
            return written;
        }
        let stall = self.stall;
        let overdue = self.overdue.get_or_insert_with(|| Box::pin(sleep(stall)));
        ready!(overdue.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl FirstHeader {
    fn is_overdue(&mut self, context: &mut Context<'_>) -> bool {
        self.limit.as_mut().poll(context).is_ready()
    }

    /// Returns whether it has come, with these bytes.
    fn has_come(&mut self, bytes: &[u8]) -> bool {
        let begins = PREFACE_START.iter().skip(self.read).zip(bytes);
        self.is_preface &= begins.into_iter().all(|(expected, byte)| expected == byte);
        self.read += bytes.len();
        self.requested.borrow().is_some() || (self.is_preface && self.read >= PREFACE_BYTES)
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(first) = &mut this.first {
            if first.has_come(&[]) {
                this.first = None;
            } else if first.is_overdue(context) {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        let bytes = buffer.filled().get(before..).unwrap_or_default();
        this.first.take_if(|first| first.has_come(bytes));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut_down = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(shut_down, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
