//! Redirect URIs: where a client gets its answer. They are compared exactly, but for the port of a program on the person's computer, which
//! it cannot know before.

use std::{fmt, str::FromStr};

use url::Url;

/// The bytes of the longest redirect URI.
const MAX_LENGTH: usize = 1_024;

/// The names of loopback. They are not interchangeable.
pub(super) const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Schemes that are never an app's.
const NEVER: [&str; 14] = [
    "http",
    "https",
    "javascript",
    "data",
    "file",
    "blob",
    "about",
    "ftp",
    "ws",
    "wss",
    "mailto",
    "vbscript",
    "filesystem",
    "view-source",
];

/// Parameters of answers. A redirect URI that has one already would make its app read two of them, and perhaps the wrong one.
const OF_ANSWERS: [&str; 6] = [
    "code",
    "state",
    "iss",
    "error",
    "error_description",
    "error_uri",
];

/// Private schemes of apps on a person's computer that may be redirect URIs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateSchemes(Vec<String>);

impl Default for PrivateSchemes {
    /// Those of editors that speak the Model Context Protocol.
    fn default() -> Self {
        let all = [
            "cursor",
            "vscode",
            "vscode-insiders",
            "windsurf",
            "zed",
            "jetbrains",
        ];
        Self(all.map(str::to_owned).to_vec())
    }
}

impl FromStr for PrivateSchemes {
    type Err = String;

    /// Names separated by commas, or `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(Vec::new()));
        }
        let names = text.split(',').map(|name| {
            let name = name.trim();
            let is_scheme = name.starts_with(|one: char| one.is_ascii_lowercase())
                && name.bytes().all(|one| {
                    one.is_ascii_lowercase() || one.is_ascii_digit() || b"+-.".contains(&one)
                });
            if is_scheme && !NEVER.contains(&name) {
                return Ok(name.to_owned());
            }
            Err(format!(
                "must be schemes of apps in lower case, separated by commas, or none; {name:?} is none"
            ))
        });
        names.collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for PrivateSchemes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => out.write_str("none"),
            names => out.write_str(&names.join(",")),
        }
    }
}

/// Why a text is no redirect URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirect {
    /// It is none at all, or one that browsers write in another way, so that what is compared might not be what is opened.
    #[error(
        "a redirect URI must be absolute and written as browsers write it, without fragment and user name"
    )]
    Malformed,
    /// It is unencrypted, and not on the person's computer.
    #[error(
        "a redirect URI with http must be on localhost, 127.0.0.1 or [::1]; use https for others"
    )]
    Unencrypted,
    /// It has a parameter of answers.
    #[error(
        "a redirect URI must not have the parameters code, state, iss, error, error_description or error_uri, which are for the answer"
    )]
    Answer,
    /// Its scheme is not among those allowed.
    #[error(
        "the scheme of a redirect URI must be https, http on this computer, or one that the operator allows"
    )]
    Scheme,
}

/// A redirect URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(Url);

impl RedirectUri {
    /// Parses a redirect URI.
    ///
    /// # Errors
    /// When it is none that may be redirected to.
    pub fn parse(text: &str, schemes: &PrivateSchemes) -> Result<Self, InvalidRedirect> {
        let is_visible = |byte: u8| byte.is_ascii_graphic() && !b"\\#".contains(&byte);
        if text.len() > MAX_LENGTH || !text.bytes().all(is_visible) {
            return Err(InvalidRedirect::Malformed);
        }
        let url = Url::parse(text).map_err(|_| InvalidRedirect::Malformed)?;
        let is_as_written = url.as_str() == text || url.as_str().strip_suffix('/') == Some(text);
        let has_user = !url.username().is_empty() || url.password().is_some();
        if !is_as_written || has_user || url.path().contains("//") {
            return Err(InvalidRedirect::Malformed);
        }
        let mut names = url.query_pairs().map(|(name, _)| name);
        if names.any(|name| OF_ANSWERS.contains(&&*name)) {
            return Err(InvalidRedirect::Answer);
        }
        match url.scheme() {
            "https" => Ok(Self(url)),
            "http" if is_loopback(&url) => Ok(Self(url)),
            "http" => Err(InvalidRedirect::Unencrypted),
            scheme if schemes.0.iter().any(|one| one == scheme) => Ok(Self(url)),
            _ => Err(InvalidRedirect::Scheme),
        }
    }

    /// Whether `asked` is this one, which a client has registered. The port of a program on the person's computer does not count.
    pub fn allows(&self, asked: &Self) -> bool {
        self.without_local_port() == asked.without_local_port()
    }

    /// The same without the port of a program on the person's computer.
    pub fn without_local_port(&self) -> String {
        let mut url = self.0.clone();
        if is_loopback(&url) {
            // It fails only for URLs without a host.
            let _ = url.set_port(None);
        }
        url.into()
    }

    /// Whether it leads to a program on the person's own computer, which can be any.
    pub fn is_local(&self) -> bool {
        self.0.scheme() != "https"
    }

    /// Whether it leads to this computer's own network address. An app's scheme may be any program's.
    pub fn is_loopback(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// Where it leads, for people: the host, with its port if that is an unusual one, or an app's scheme.
    pub fn shown_host(&self) -> String {
        let host = self
            .0
            .host_str()
            .filter(|_| self.0.scheme().starts_with("http"));
        match (host, self.0.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (Some(host), None) => host.to_owned(),
            (None, _) => format!("{}:", self.0.scheme()),
        }
    }

    /// The URI with an answer in its query.
    pub fn answer<'a>(&self, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
        let mut url = self.0.clone();
        url.query_pairs_mut().extend_pairs(parameters);
        url.into()
    }

    /// The URI as it is compared.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

fn is_loopback(url: &Url) -> bool {
    url.scheme() == "http" && url.host_str().is_some_and(|host| LOOPBACK.contains(&host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RedirectUri, InvalidRedirect> {
        RedirectUri::parse(text, &PrivateSchemes::default())
    }

    fn allows(registered: &str, asked: &str) -> bool {
        parse(asked).is_ok_and(|asked| parse(registered).unwrap().allows(&asked))
    }

    #[test]
    fn only_safe_uris_are_redirect_uris() {
        for fine in [
            "https://app.example/cb",
            "https://app.example",
            "https://app.example:8443/cb?tenant=1",
            "http://localhost:3118/callback",
            "http://127.0.0.1/",
            "http://[::1]:7/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "vscode:callback",
        ] {
            assert!(parse(fine).is_ok(), "{fine}");
        }
        for (wrong, why) in [
            ("", InvalidRedirect::Malformed),
            ("/cb", InvalidRedirect::Malformed),
            ("https://app.example/cb#part", InvalidRedirect::Malformed),
            ("https://app.example/cb#", InvalidRedirect::Malformed),
            ("https://user@app.example/cb", InvalidRedirect::Malformed),
            ("https://:pass@app.example/cb", InvalidRedirect::Malformed),
            ("https://@app.example/cb", InvalidRedirect::Malformed),
            (
                "https://app.example\\@evil.example/cb",
                InvalidRedirect::Malformed,
            ),
            ("https:/\\evil.example/cb", InvalidRedirect::Malformed),
            ("https:evil.example/cb", InvalidRedirect::Malformed),
            ("https://APP.example/cb", InvalidRedirect::Malformed),
            ("https://app.example:443/cb", InvalidRedirect::Malformed),
            ("https://app.example/a/../cb", InvalidRedirect::Malformed),
            (
                "https://app.example/a/%2e%2e/cb",
                InvalidRedirect::Malformed,
            ),
            (
                "https://app.example//evil.example/cb",
                InvalidRedirect::Malformed,
            ),
            ("https://app.example/c b", InvalidRedirect::Malformed),
            (" https://app.example/cb", InvalidRedirect::Malformed),
            ("https://app.example/c\nb", InvalidRedirect::Malformed),
            ("https://\u{e4}pp.example/cb", InvalidRedirect::Malformed),
            ("http://0x7f.1/cb", InvalidRedirect::Malformed),
            ("http://127.0.0.2/cb", InvalidRedirect::Unencrypted),
            (
                "http://localhost.evil.example/cb",
                InvalidRedirect::Unencrypted,
            ),
            ("http://app.example/cb", InvalidRedirect::Unencrypted),
            (
                "https://app.example/cb?iss=https://evil.example",
                InvalidRedirect::Answer,
            ),
            (
                "http://localhost/cb?x=1&%63ode=stolen",
                InvalidRedirect::Answer,
            ),
            ("cursor://host/cb?state=x", InvalidRedirect::Answer),
            ("javascript:alert(1)", InvalidRedirect::Scheme),
            ("data:text/html,x", InvalidRedirect::Scheme),
            ("myapp://callback", InvalidRedirect::Scheme),
        ] {
            assert_eq!(parse(wrong), Err(why), "{wrong}");
        }
        let long = format!("https://app.example/{}", "a".repeat(MAX_LENGTH));
        assert_eq!(parse(&long), Err(InvalidRedirect::Malformed));
    }

    #[test]
    fn a_uri_is_the_registered_one_exactly_but_for_the_port_of_a_local_program() {
        let registered = "https://app.example/cb?tenant=1";
        assert!(allows(registered, registered));
        for other in [
            "https://app.example/cb",
            "https://app.example/cb?tenant=1&next=x",
            "https://app.example/cb?tenant=2",
            "https://app.example/cb/?tenant=1",
            "https://app.example/cb/more?tenant=1",
            "https://app.example:8443/cb?tenant=1",
            "https://app.example.evil.example/cb?tenant=1",
            "https://sub.app.example/cb?tenant=1",
            "https://app.example/%63b?tenant=1",
            "https://app.example/CB?tenant=1",
            "http://localhost/cb?tenant=1",
        ] {
            assert!(!allows(registered, other), "{other}");
        }
        assert!(allows("https://app.example", "https://app.example/"));
        let local = "http://localhost:3118/callback";
        assert!(allows(local, "http://localhost:9/callback"));
        assert!(allows(local, "http://localhost/callback"));
        for other in [
            "http://127.0.0.1:3118/callback",
            "http://[::1]:3118/callback",
            "http://localhost:3118/callback/",
            "http://localhost:3118/callback?x=1",
            "https://localhost:3118/callback",
        ] {
            assert!(!allows(local, other), "{other}");
        }
    }

    #[test]
    fn an_answer_is_added_to_the_query() {
        let answer = |uri: &str| {
            parse(uri)
                .unwrap()
                .answer([("code", "a b"), ("state", "x&y=z")])
        };
        assert_eq!(
            answer("https://app.example/cb?tenant=a%20b"),
            "https://app.example/cb?tenant=a%20b&code=a+b&state=x%26y%3Dz"
        );
        assert_eq!(
            answer("http://localhost:7"),
            "http://localhost:7/?code=a+b&state=x%26y%3Dz"
        );
        assert_eq!(
            answer("vscode://host/path"),
            "vscode://host/path?code=a+b&state=x%26y%3Dz"
        );
    }

    #[test]
    fn people_see_where_it_leads() {
        for (uri, host, is_local) in [
            ("https://app.example/cb", "app.example", false),
            ("https://app.example:8443/cb", "app.example:8443", false),
            ("http://localhost:3118/cb", "localhost:3118", true),
            ("cursor://host/cb", "cursor:", true),
        ] {
            let uri = parse(uri).unwrap();
            assert_eq!((&*uri.shown_host(), uri.is_local()), (host, is_local));
        }
    }

    #[test]
    fn private_schemes_are_names_of_apps() {
        let own: PrivateSchemes = "myapp, com.example.app".parse().unwrap();
        assert!(RedirectUri::parse("com.example.app:/cb", &own).is_ok());
        assert!(RedirectUri::parse("cursor://x/cb", &own).is_err());
        assert_eq!(own.to_string(), "myapp,com.example.app");
        assert_eq!("none".parse(), Ok(PrivateSchemes(Vec::new())));
        for wrong in ["", "javascript", "cursor,data", "My", "a b", "http"] {
            assert!(wrong.parse::<PrivateSchemes>().is_err(), "{wrong}");
        }
        let default = PrivateSchemes::default();
        assert_eq!(default.to_string().parse(), Ok(default));
    }
}
