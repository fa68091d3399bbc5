//! A server that says whatever a test wants, right or wrong.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

/// What a server answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, headers and a body.
    Full(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// A success whose body never ends.
    Endless,
    /// Half a success, and then silence.
    Stalled,
    /// A byte now and then.
    Dripping,
    /// More bytes are announced than come.
    Cut(Vec<u8>),
    /// The same as that, once the test releases it.
    Held(Arc<Semaphore>, Box<Reply>),
}

impl Reply {
    /// A success with a JSON body.
    pub fn json(body: &serde_json::Value) -> Self {
        let header = ("content-type", "application/json".to_owned());
        Self::Full(200, vec![header], body.to_string().into_bytes())
    }

    /// A success with a picture.
    pub fn picture(body: Vec<u8>) -> Self {
        Self::Full(200, vec![("content-type", "image/jpeg".to_owned())], body)
    }

    /// A status without a body.
    pub fn status(status: u16) -> Self {
        Self::Full(status, Vec::new(), Vec::new())
    }

    /// A redirect to an address.
    pub fn redirect(to: &str) -> Self {
        Self::Full(302, vec![("location", to.to_owned())], Vec::new())
    }
}

/// A request as it came, header names in lower case.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Path and query.
    pub target: String,
    /// Names and values, in the order in which they came.
    pub headers: Vec<(String, String)>,
}

impl Seen {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// What paths that begin so are answered; the later one wins.
type Routes = Arc<Mutex<Vec<(String, Reply)>>>;

/// A server on a port of its own, for as long as the test runs.
#[derive(Debug, Clone)]
pub struct Server {
    address: SocketAddr,
    routes: Routes,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Starts a server that answers 404 to everything.
    #[expect(
        clippy::disallowed_methods,
        reason = "a server for tests, which writes each answer at once"
    )]
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            routes: Routes::default(),
            seen: Arc::default(),
        };
        let (routes, seen) = (Arc::clone(&server.routes), Arc::clone(&server.seen));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (routes, seen) = (Arc::clone(&routes), Arc::clone(&seen));
                tokio::spawn(answer(connection, routes, seen));
            }
        });
        server
    }

    /// Its address, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers paths that begin with `path` by `reply`, from now on.
    pub fn on(&self, path: &str, reply: Reply) -> &Self {
        self.routes.lock().unwrap().push((path.to_owned(), reply));
        self
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Their paths and queries.
    pub fn targets(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.target).collect()
    }
}

async fn answer(connection: TcpStream, routes: Routes, seen: Arc<Mutex<Vec<Seen>>>) {
    let mut connection = BufReader::new(connection);
    let Some(request) = read(&mut connection).await else {
        return;
    };
    let target = request.target.clone();
    seen.lock().unwrap().push(request);
    let found = routes
        .lock()
        .unwrap()
        .iter()
        .rev()
        .find_map(|(path, reply)| {
            let matches = target.starts_with(path.as_str());
            matches.then(|| reply.clone())
        });
    // A client that has heard enough closes the connection.
    let _closed = write(&mut connection, found.unwrap_or(Reply::status(404))).await;
}

async fn read(connection: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    connection.read_line(&mut line).await.ok()?;
    let target = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        connection.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            return Some(Seen { target, headers });
        };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
}

async fn write(connection: &mut BufReader<TcpStream>, reply: Reply) -> std::io::Result<()> {
    const SUCCESS: &[u8] = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    let reply = match reply {
        Reply::Held(released, then) => {
            released.acquire().await.unwrap().forget();
            *then
        }
        other => other,
    };
    match reply {
        Reply::Full(status, headers, body) => {
            let headers: Vec<_> = headers
                .into_iter()
                .map(|(name, value)| format!("{name}: {value}\r\n"))
                .collect();
            let head = format!(
                "HTTP/1.1 {status} Whatever\r\nconnection: close\r\n{}content-length: {}\r\n\r\n",
                headers.concat(),
                body.len()
            );
            connection.write_all(head.as_bytes()).await?;
            connection.write_all(&body).await?;
        }
        Reply::Endless => {
            connection.write_all(SUCCESS).await?;
            loop {
                connection.write_all(&[b' '; 4_096]).await?;
            }
        }
        Reply::Stalled => {
            connection.write_all(SUCCESS).await?;
            connection.flush().await?;
            std::future::pending::<()>().await;
        }
        Reply::Dripping => {
            connection.write_all(SUCCESS).await?;
            loop {
                connection.write_all(b" ").await?;
                connection.flush().await?;
                // This is the server being slow; nothing waits until something has happened.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        Reply::Cut(body) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len() + 100
            );
            connection.write_all(head.as_bytes()).await?;
            connection.write_all(&body).await?;
        }
        Reply::Held(..) => {}
    }
    connection.flush().await
}
