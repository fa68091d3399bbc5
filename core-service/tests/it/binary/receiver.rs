//! A receiver of webhooks on this machine.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

/// Answers every request with one status.
pub(super) struct Receiver {
    /// Where it takes messages.
    pub(super) url: String,
    /// The header `webhook-signature` of each message.
    pub(super) signatures: mpsc::Receiver<String>,
}

impl Receiver {
    pub(super) fn start(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, signatures) = mpsc::channel();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let sender = sender.clone();
                std::thread::spawn(move || {
                    // The test may have ended.
                    let _ = sender.send(answer(stream, status));
                });
            }
        });
        Self { url, signatures }
    }
}

/// Reads one request with its body, and answers it. Returns its signature.
fn answer(mut stream: TcpStream, status: &str) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length, mut signature) = (String::new(), 0, String::new());
    while reader.read_line(&mut line).unwrap() > 2 {
        let (name, value) = line.split_once(':').unwrap_or_default();
        match &*name.to_lowercase() {
            "content-length" => length = value.trim().parse().unwrap(),
            "webhook-signature" => value.trim().clone_into(&mut signature),
            _ => {}
        }
        line.clear();
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).unwrap();
    signature
}
