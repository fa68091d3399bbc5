//! One request over a connection, and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, Request, StatusCode,
    header::{ACCEPT, CACHE_CONTROL, HOST, USER_AGENT},
};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use url::{Host, Position, Url};

use crate::{Document, Error, MAX_BYTES};

const AGENT: &str = concat!("Muster/", env!("CARGO_PKG_VERSION"));

/// The name that the server's certificate must have.
pub(crate) fn server_name(host: &Host<&str>) -> Result<ServerName<'static>, Error> {
    match host {
        Host::Domain(name) => {
            let name = ServerName::try_from((*name).to_owned());
            name.map_err(|_| Error::Url)
        }
        Host::Ipv4(address) => Ok(ServerName::from(std::net::IpAddr::V4(*address))),
        Host::Ipv6(address) => Ok(ServerName::from(std::net::IpAddr::V6(*address))),
    }
}

/// Gets a URL over a connection to its server.
pub(crate) async fn get(stream: TlsStream<TcpStream>, url: &Url) -> Result<Document, Error> {
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|_| Error::Connection)?;
    let answer = async {
        let answer = sender.send_request(request(url)?).await;
        let answer = answer.map_err(|_| Error::Connection)?;
        if answer.status() != StatusCode::OK {
            return Err(Error::Status(answer.status().as_u16()));
        }
        let max_age = max_age(answer.headers());
        let body = Limited::new(answer.into_body(), MAX_BYTES).collect().await;
        let body = body.map_err(|_| Error::Text)?.to_bytes();
        let text = String::from_utf8(body.into()).map_err(|_| Error::Text)?;
        Ok(Document { text, max_age })
    };
    // The connection moves the bytes. It ends with this function.
    tokio::pin!(connection, answer);
    tokio::select! {
        answer = &mut answer => answer,
        closed = &mut connection => match closed {
            Ok(()) => answer.await,
            Err(_) => Err(Error::Connection),
        },
    }
}

fn request(url: &Url) -> Result<Request<Empty<Bytes>>, Error> {
    let target = &url[Position::BeforePath..Position::AfterQuery];
    Request::get(target)
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(ACCEPT, "application/json")
        .header(USER_AGENT, AGENT)
        .body(Empty::new())
        .map_err(|_| Error::Url)
}

/// For how long the answer may be kept.
fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let mut all = headers.get_all(CACHE_CONTROL).iter();
    all.find_map(|value| {
        let directives = value.to_str().ok()?.split(',').map(str::trim);
        let seconds = |directive: &str| {
            if ["no-store", "no-cache"].contains(&directive.to_ascii_lowercase().as_str()) {
                return Some(0);
            }
            let (name, seconds) = directive.split_once('=')?;
            let is_age = name.eq_ignore_ascii_case("max-age");
            is_age.then(|| seconds.trim_matches('"').parse().ok())?
        };
        directives
            .filter_map(seconds)
            .min()
            .map(Duration::from_secs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_for_how_long_its_document_may_be_kept() {
        for (value, seconds) in [
            ("max-age=600", Some(600)),
            ("public, Max-Age=\"60\"", Some(60)),
            ("max-age=600, no-store", Some(0)),
            ("no-cache", Some(0)),
            ("public", None),
            ("max-age=soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, value.parse().unwrap());
            assert_eq!(
                max_age(&headers),
                seconds.map(Duration::from_secs),
                "{value}"
            );
        }
        assert_eq!(max_age(&HeaderMap::new()), None);
    }

    #[test]
    fn a_request_names_the_host_and_sends_no_fragment() {
        let url = Url::parse("https://app.example:8443/client.json?v=1").unwrap();
        let request = request(&url).unwrap();
        assert_eq!(request.uri(), "/client.json?v=1");
        assert_eq!(request.headers()[HOST], "app.example:8443");
    }
}
