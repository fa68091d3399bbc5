//! One connection: lines go to mailin's session, its answers come back, unless the script says otherwise.

use std::{
    io,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, atomic::Ordering},
};

use mailin::{Action, Handler, Response, Session, response};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
        BufReader,
    },
    net::TcpStream,
};

use crate::{Encryption, Mail, Reaction, Shared, Step, lock, tls};

/// The longest line that is read, content included: beyond what any client sends.
const LINE_BYTES: u64 = 100_000;

/// A connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Stream for T {}
type Wire = BufReader<Pin<Box<dyn Stream>>>;

/// The mail so far.
struct Envelope {
    shared: Arc<Shared>,
    recipients: Vec<String>,
    content: Vec<u8>,
    /// The reaction that is not an answer, for the function that writes answers.
    reaction: Arc<Mutex<Reaction>>,
}

impl Envelope {
    /// Asks the script; what is no answer is left to [`say`].
    fn decide(&self, step: Step<'_>) -> Response {
        match self.shared.decide(step) {
            Reaction::Go => response::OK,
            Reaction::Answer(code) => scripted(code),
            other => {
                *lock(&self.reaction) = other;
                response::OK
            }
        }
    }
}

impl Handler for Envelope {
    fn mail(&mut self, _ip: IpAddr, _domain: &str, from: &str) -> Response {
        self.recipients.clear();
        self.content.clear();
        self.decide(Step::Sender(from))
    }

    fn rcpt(&mut self, to: &str) -> Response {
        let answer = self.decide(Step::Recipient(to));
        if !answer.is_error {
            self.recipients.push(to.to_owned());
        }
        answer
    }

    fn data(&mut self, line: &[u8]) -> io::Result<()> {
        self.content.extend_from_slice(line);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let recipients = std::mem::take(&mut self.recipients);
        let first = recipients.first().map_or("", String::as_str);
        let reaction = self.shared.decide(Step::Content(first));
        // A refusal is left to `say`, too: told of one, mailin's session would go on reading content.
        *lock(&self.reaction) = reaction;
        if matches!(
            reaction,
            Reaction::Go | Reaction::TakeAndDrop | Reaction::TakeAndHang
        ) {
            let content = String::from_utf8_lossy(&self.content).into_owned();
            self.shared.take(Mail {
                recipients,
                content,
            });
        }
        response::OK
    }

    fn auth_plain(&mut self, _authorization: &str, user: &str, password: &str) -> Response {
        match &self.shared.login {
            Some(login) if (login.0.as_str(), login.1.as_str()) == (user, password) => {
                response::AUTH_OK
            }
            _ => response::INVALID_CREDENTIALS,
        }
    }
}

pub(crate) async fn serve(stream: TcpStream, peer: IpAddr, shared: Arc<Shared>) {
    let others = shared.open.fetch_add(1, Ordering::SeqCst);
    let _open = Open(Arc::clone(&shared));
    let is_one_too_many = others >= shared.most.load(Ordering::SeqCst);
    let greeting = if is_one_too_many {
        Reaction::Answer(421)
    } else {
        shared.decide(Step::Greeting)
    };
    // A connection that breaks off is what many tests are about.
    let _ = talk(stream, peer, shared, greeting).await;
}

/// Counts a session until it ends.
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn talk(
    stream: TcpStream,
    peer: IpAddr,
    shared: Arc<Shared>,
    greeting: Reaction,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let reaction = Arc::new(Mutex::new(greeting));
    let stream: Pin<Box<dyn Stream>> = match shared.encryption {
        Encryption::Always => Box::pin(tls::acceptor().accept(stream).await?),
        Encryption::None | Encryption::Offered => Box::pin(stream),
    };
    let envelope = Envelope {
        shared: Arc::clone(&shared),
        recipients: Vec::new(),
        content: Vec::new(),
        reaction: Arc::clone(&reaction),
    };
    let mut session = shared.builder.build(peer, envelope);
    let mut wire = BufReader::new(stream);
    if !say(&mut wire, &session.greeting(), &reaction).await? {
        return Ok(());
    }
    if converse(&mut wire, &mut session, &reaction).await? {
        let plain = wire.into_inner();
        let mut wire: Wire = BufReader::new(Box::pin(tls::acceptor().accept(plain).await?));
        session.tls_active();
        converse(&mut wire, &mut session, &reaction).await?;
    }
    Ok(())
}

/// Answers line by line until the end; true when the client wants the connection encrypted from here on.
async fn converse(
    wire: &mut Wire,
    session: &mut Session<Envelope>,
    reaction: &Mutex<Reaction>,
) -> io::Result<bool> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut *wire)
            .take(LINE_BYTES)
            .read_until(b'\n', &mut line)
            .await?
            == 0
        {
            return Ok(false);
        }
        let answer = session.process(&line);
        if !say(wire, &answer, reaction).await? {
            return Ok(false);
        }
        if answer.action == Action::UpgradeTls {
            return Ok(true);
        }
    }
}

/// Writes an answer, or does what the script wants instead; false when the connection is over.
async fn say(wire: &mut Wire, answer: &Response, reaction: &Mutex<Reaction>) -> io::Result<bool> {
    let wanted = std::mem::replace(&mut *lock(reaction), Reaction::Go);
    let scripted = match wanted {
        Reaction::Go => None,
        Reaction::Answer(code) => Some(scripted(code)),
        Reaction::Drop | Reaction::TakeAndDrop => return Ok(false),
        Reaction::Hang | Reaction::TakeAndHang => std::future::pending().await,
    };
    let answer = scripted.as_ref().unwrap_or(answer);
    if answer.action == Action::NoReply {
        return Ok(true);
    }
    wire.write_all(&answer.buffer()?).await?;
    wire.flush().await?;
    Ok(answer.action != Action::Close)
}

fn scripted(code: u16) -> Response {
    Response::custom(code, "as the script says".to_owned())
}
