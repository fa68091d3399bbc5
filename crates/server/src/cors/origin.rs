//! Origins of web pages.

use std::str::FromStr;

use http::Uri;

/// The origin of web pages: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    written: String,
    exact: String,
}

impl Origin {
    /// In the form of browsers: in lower case, with the port only if it is not the default.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Always with the port, for those who take an origin without one for every port.
    pub fn exact(&self) -> &str {
        &self.exact
    }
}

impl FromStr for Origin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text).ok_or("must be origins such as https://app.example.org, separated by commas")
    }
}

fn read(text: &str) -> Option<Origin> {
    let uri: Uri = text.to_ascii_lowercase().parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let is_bare = uri.path_and_query().is_none_or(|path| path == "/");
    // No user before the host; after it nothing or a numeric port.
    let behind = authority.as_str().strip_prefix(authority.host())?;
    let port = behind.strip_prefix(':').map(str::parse::<u16>);
    let port = port.transpose().ok()?;
    if !is_bare || authority.host().is_empty() || (port.is_none() && !behind.is_empty()) {
        return None;
    }
    let usual = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let port = port.or(usual);
    let host = format!("{scheme}://{}", authority.host());
    let exact = match port {
        Some(port) => format!("{host}:{port}"),
        None => host.clone(),
    };
    let written = if port == usual { host } else { exact.clone() };
    Some(Origin { written, exact })
}

/// A list separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T: FromStr> FromStr for List<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        let items = text.split(',').map(str::trim);
        let items = items.filter(|item| !item.is_empty()).map(str::parse);
        Ok(Self(items.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_read_however_it_is_written() {
        for (given, written, exact) in [
            (
                "https://app.example.org",
                "https://app.example.org",
                "https://app.example.org:443",
            ),
            (
                "HTTPS://App.Example.org:443/",
                "https://app.example.org",
                "https://app.example.org:443",
            ),
            (
                "http://app.example.org:8080",
                "http://app.example.org:8080",
                "http://app.example.org:8080",
            ),
            ("http://[::1]", "http://[::1]", "http://[::1]:80"),
            (
                "chrome-extension://abc",
                "chrome-extension://abc",
                "chrome-extension://abc",
            ),
        ] {
            let origin: Origin = given.parse().unwrap();
            assert_eq!((origin.written(), origin.exact()), (written, exact));
        }
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for wrong in [
            "*",
            "null",
            "app.example.org",
            "https://",
            "https://app.example.org/app",
            "https://app.example.org?a=b",
            "https://app.example.org:*",
            "https://ann@app.example.org",
            "https://app@app:443",
        ] {
            let error = wrong.parse::<Origin>().unwrap_err();
            assert!(error.contains("such as https://app.example.org"), "{error}");
        }
    }
}
