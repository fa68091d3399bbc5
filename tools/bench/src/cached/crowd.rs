//! Clients that cost little: a few threads, each with several connections, on which it asks in turn.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};

/// Threads, and connections of each.
const THREADS: usize = 2;
const CONNECTIONS: usize = 16;

/// Far more than an answer takes.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Asked(String);

impl Asked {
    pub(super) fn page(path: &str) -> Self {
        Self(format!("GET {path} HTTP/1.1\r\nhost: bench\r\n"))
    }

    pub(super) fn header(&self, header: &str) -> Self {
        Self(format!("{}{header}\r\n", self.0))
    }
}

pub(super) struct Crowd;

impl Crowd {
    /// Asks for that long; returns the number of answers.
    pub(super) async fn run(
        address: SocketAddr,
        asked: &Asked,
        time: Duration,
    ) -> anyhow::Result<f64> {
        let request = format!("{}\r\n", asked.0);
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let request = request.clone();
                tokio::task::spawn_blocking(move || ask(address, request.as_bytes(), time))
            })
            .collect();
        let mut answers = 0;
        for thread in threads {
            answers += thread.await??;
        }
        Ok(f64::from(answers))
    }
}

fn ask(address: SocketAddr, request: &[u8], time: Duration) -> anyhow::Result<u32> {
    let connect = || -> anyhow::Result<TcpStream> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(stream)
    };
    let streams: anyhow::Result<Vec<_>> = (0..CONNECTIONS).map(|_| connect()).collect();
    let (mut streams, mut buffer) = (streams?, vec![0; 256 << 10]);
    let (start, mut answers) = (Instant::now(), 0);
    while start.elapsed() < time {
        for stream in &mut streams {
            stream.write_all(request)?;
        }
        for stream in &mut streams {
            read(stream, &mut buffer)?;
            answers += 1;
        }
    }
    Ok(answers)
}

/// Reads one answer to its end.
fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> anyhow::Result<()> {
    let mut have = 0;
    loop {
        let free = buffer.get_mut(have..).context("an answer is too large")?;
        let read = stream.read(free)?;
        if read == 0 {
            bail!("a connection was closed");
        }
        have += read;
        let known = buffer.get(..have).unwrap_or_default();
        let Some(end) = known.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(known.get(..end).unwrap_or_default()).to_lowercase();
        let length = match head.split_once("\r\ncontent-length: ") {
            _ if head.contains(" 304 ") => 0,
            Some((_, rest)) => rest.split("\r\n").next().unwrap_or_default().parse()?,
            None if head.contains("\r\ntransfer-encoding: chunked") => {
                return last_chunk(stream, buffer, have);
            }
            None => bail!("an answer has no length: {head}"),
        };
        return rest(stream, buffer, end + 4 + length - have);
    }
}

/// Reads to the end of an answer in chunks, of which there is a part. Nothing follows it, since the next request is not sent yet.
fn last_chunk(stream: &mut TcpStream, buffer: &mut [u8], mut have: usize) -> anyhow::Result<()> {
    while !buffer
        .get(..have)
        .unwrap_or_default()
        .ends_with(b"\r\n0\r\n\r\n")
    {
        let free = buffer.get_mut(have..).context("an answer is too large")?;
        let read = stream.read(free)?;
        if read == 0 {
            bail!("a connection was closed");
        }
        have += read;
    }
    Ok(())
}

/// Reads that many bytes more.
fn rest(stream: &mut TcpStream, buffer: &mut [u8], mut left: usize) -> anyhow::Result<()> {
    while left > 0 {
        let most = left.min(buffer.len());
        let read = stream.read(buffer.get_mut(..most).unwrap_or_default())?;
        if read == 0 {
            bail!("a connection was closed");
        }
        left -= read;
    }
    Ok(())
}
