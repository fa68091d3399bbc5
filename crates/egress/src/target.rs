//! What a URL names: one reading of it, so that nothing that is checked differs from what is connected to.

use http::Uri;
use url::{Host, Position, Url};

/// The server that a URL names, and what is asked of it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
    /// Without TLS.
    pub(crate) is_plain: bool,
    /// The same without its fragment, which is nobody else's business.
    pub(crate) uri: Uri,
}

impl Target {
    /// `None` for another scheme than http and https, without a host, and with a user name or password.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let is_plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return None,
        };
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        let uri: Uri = url[..Position::AfterQuery].parse().ok()?;
        // Two parsers must not see two hosts in one text.
        if uri.host() != url.host_str() || uri.port_u16() != url.port() {
            return None;
        }
        Some(Self {
            host: url.host()?.to_owned(),
            port: url.port_or_known_default()?,
            is_plain,
            uri,
        })
    }

    /// The target of a connection, which the client names by its scheme, host and port.
    pub(crate) fn of_connection(uri: &Uri) -> Option<Self> {
        Self::of(&Url::parse(&uri.to_string()).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> Option<Target> {
        Target::of(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_url_of_the_web_names_a_target() {
        let read = target("HTTPS://App.Example:443/a|b/[c]?d='{e}'#fragment").unwrap();
        assert_eq!(read.uri, "https://app.example/a|b/[c]?d=%27{e}%27");
        assert_eq!((read.port, read.is_plain), (443, false));
        let read = target("http://[::1]:8080").unwrap();
        assert_eq!(read.uri, "http://[::1]:8080/");
        assert_eq!((read.port, read.is_plain), (8080, true));
        let read = Target::of_connection(&read.uri).unwrap();
        assert_eq!(read.host.to_string(), "[::1]");
    }

    #[test]
    fn other_schemes_and_user_names_name_none() {
        for url in [
            "ftp://app.example/",
            "file:///etc/passwd",
            "data:,hello",
            "unix:/run/docker.sock",
            "https://user@app.example/",
            "https://user:password@app.example/",
            "https://:password@app.example/",
        ] {
            assert!(target(url).is_none(), "{url}");
        }
    }
}
