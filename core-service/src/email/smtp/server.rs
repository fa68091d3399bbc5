//! The mail server's URL, and opening connections to it.

use std::{borrow::Cow, fmt, net::IpAddr, str::FromStr, time::Duration};

use lettre::transport::smtp::{
    self,
    authentication::{Credentials, DEFAULT_MECHANISMS},
    client::{AsyncSmtpConnection, Certificate, TlsParameters},
    extension::ClientId,
};
use url::Url;

/// The port for mail without a login.
const RELAY_PORT: u16 = 25;

/// The port for mail with a login, after STARTTLS.
const SUBMISSION_PORT: u16 = 587;

/// The port for mail with a login, encrypted from the first byte.
const SUBMISSIONS_PORT: u16 = 465;

/// A mail server as `--smtp-url` names it. Shown without the login.
#[derive(Clone)]
pub struct SmtpUrl {
    host: String,
    port: u16,
    encryption: Encryption,
    login: Option<Credentials>,
    /// An authority besides the public ones, in PEM.
    authority: Option<Certificate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    /// `tls=off`.
    Never,
    /// STARTTLS if the server offers it, with any certificate: without encryption the mail would be sent in plain text.
    IfOffered,
    /// STARTTLS with a valid certificate is required.
    Insisted,
    /// `smtps://`.
    FromTheStart,
}

/// An invalid `--smtp-url`. The message does not contain the URL, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSmtpUrl(&'static str);

impl InvalidSmtpUrl {
    const FORM: Self = Self(
        "must be smtp://HOST, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST, with what is special in the \
         password percent-encoded",
    );
    const TLS: Self =
        Self("may end with ?tls=required or ?tls=off after smtp://, and with nothing else");
    const LOGIN: Self = Self("must have both a user and a password, or neither");
    const AUTHORITY: Self = Self("must be a certificate in PEM");
}

impl SmtpUrl {
    /// The server's host.
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl FromStr for SmtpUrl {
    type Err = InvalidSmtpUrl;

    fn from_str(text: &str) -> Result<Self, InvalidSmtpUrl> {
        let url = Url::parse(text).map_err(|_| InvalidSmtpUrl::FORM)?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or(InvalidSmtpUrl::FORM)?;
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(InvalidSmtpUrl::FORM);
        }
        let login = login(&url)?;
        let encryption = match (url.scheme(), url.query()) {
            ("smtps", None) => Encryption::FromTheStart,
            ("smtp", Some("tls=required")) => Encryption::Insisted,
            ("smtp", Some("tls=off")) => Encryption::Never,
            // A password must not leave this machine unencrypted, nor go to a server without a valid certificate.
            ("smtp", None) if login.is_some() && !is_here(&host) => Encryption::Insisted,
            ("smtp", None) => Encryption::IfOffered,
            ("smtp" | "smtps", Some(_)) => return Err(InvalidSmtpUrl::TLS),
            _ => return Err(InvalidSmtpUrl::FORM),
        };
        let default_port = match (encryption, &login) {
            (Encryption::FromTheStart, _) => SUBMISSIONS_PORT,
            (_, Some(_)) => SUBMISSION_PORT,
            (_, None) => RELAY_PORT,
        };
        Ok(Self {
            port: url.port().unwrap_or(default_port),
            host,
            encryption,
            login,
            authority: None,
        })
    }
}

fn login(url: &Url) -> Result<Option<Credentials>, InvalidSmtpUrl> {
    let decoded = |text: &str| {
        let text = percent_encoding::percent_decode_str(text).decode_utf8();
        text.map(Cow::into_owned).map_err(|_| InvalidSmtpUrl::FORM)
    };
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) | (_, None) => Err(InvalidSmtpUrl::LOGIN),
        (user, Some(password)) => Ok(Some(Credentials::new(decoded(user)?, decoded(password)?))),
    }
}

fn is_here(host: &str) -> bool {
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

impl SmtpUrl {
    /// The same server, with an additional certificate authority.
    ///
    /// # Errors
    /// When this is no certificate.
    pub fn trusting(self, pem: &[u8]) -> Result<Self, InvalidSmtpUrl> {
        let authority = Certificate::from_pem(pem).map_err(|_| InvalidSmtpUrl::AUTHORITY)?;
        Ok(Self {
            authority: Some(authority),
            ..self
        })
    }

    /// Connects, encrypts and logs in as the URL says. The error names the step, without the server's answer.
    pub(super) async fn connect(
        &self,
        hello: &ClientId,
        limit: Duration,
    ) -> Result<AsyncSmtpConnection, String> {
        let tls = self
            .tls()
            .map_err(|error| self.failed("encryption", &error))?;
        let (address, limit) = ((self.host.as_str(), self.port), Some(limit));
        let from_the_start = tls
            .clone()
            .filter(|_| self.encryption == Encryption::FromTheStart);
        let connected =
            AsyncSmtpConnection::connect_tokio1(address, limit, hello, from_the_start, None).await;
        let mut connection = connected.map_err(|error| self.failed("connecting", &error))?;
        let upgrades = match self.encryption {
            Encryption::Insisted => true,
            Encryption::IfOffered => connection.can_starttls(),
            Encryption::Never | Encryption::FromTheStart => false,
        };
        if let Some(tls) = tls.filter(|_| upgrades) {
            let encrypted = connection.starttls(tls, hello).await;
            encrypted.map_err(|error| self.failed("STARTTLS", &error))?;
        }
        if let Some(login) = &self.login {
            let authenticated = connection.auth(DEFAULT_MECHANISMS, login).await;
            authenticated.map_err(|error| self.failed("the login", &error))?;
        }
        Ok(connection)
    }

    fn tls(&self) -> Result<Option<TlsParameters>, smtp::Error> {
        if self.encryption == Encryption::Never {
            return Ok(None);
        }
        let builder = TlsParameters::builder(self.host.clone())
            .dangerous_accept_invalid_certs(self.encryption == Encryption::IfOffered);
        let builder = match &self.authority {
            Some(authority) => builder.add_root_certificate(authority.clone()),
            None => builder,
        };
        builder.build().map(Some)
    }

    /// The error of a step before any mail. It may be logged, and a server's answer may contain addresses, so it contains only
    /// the code of the answer.
    pub(super) fn failed(&self, step: &str, error: &smtp::Error) -> String {
        if let Some(code) = error.status() {
            return format!("{self} answers {code} at {step}");
        }
        let cause = std::error::Error::source(error).map(ToString::to_string);
        let cause = cause.unwrap_or_else(|| error.to_string());
        format!("{self} fails at {step}: {cause}")
    }

    /// Whether connections log in.
    pub(super) const fn has_login(&self) -> bool {
        self.login.is_some()
    }
}

impl fmt::Display for SmtpUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the mail server {}:{}", self.host, self.port)
    }
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_where_how_encrypted_and_as_whom() {
        for (url, port, encryption, login) in [
            ("smtp://mail.example.org", 25, Encryption::IfOffered, false),
            ("smtp://[::1]:2525/", 2525, Encryption::IfOffered, false),
            ("smtp://u:p@localhost", 587, Encryption::IfOffered, true),
            (
                "smtp://u:p@mail.example.org",
                587,
                Encryption::Insisted,
                true,
            ),
            (
                "smtp://mail.example.org?tls=required",
                25,
                Encryption::Insisted,
                false,
            ),
            (
                "smtp://u:p@mail.example.org?tls=off",
                587,
                Encryption::Never,
                true,
            ),
            (
                "smtps://u:p%40ss@mail.example.org",
                465,
                Encryption::FromTheStart,
                true,
            ),
        ] {
            let server: SmtpUrl = url.parse().unwrap();
            let found = (server.port, server.encryption, server.has_login());
            assert_eq!(found, (port, encryption, login), "{url}");
        }
    }

    #[test]
    fn a_url_that_cannot_be_used_is_refused_without_repeating_it() {
        for (url, expected) in [
            ("mail.example.org", InvalidSmtpUrl::FORM),
            ("http://mail.example.org", InvalidSmtpUrl::FORM),
            ("smtp://", InvalidSmtpUrl::FORM),
            ("smtp://host/path", InvalidSmtpUrl::FORM),
            ("smtp://u:p%ff@host", InvalidSmtpUrl::FORM),
            ("smtp://host?tls=maybe", InvalidSmtpUrl::TLS),
            ("smtps://host?tls=off", InvalidSmtpUrl::TLS),
            ("smtp://user@host", InvalidSmtpUrl::LOGIN),
            ("smtp://:secret@host", InvalidSmtpUrl::LOGIN),
        ] {
            let refused = url.parse::<SmtpUrl>().unwrap_err();
            assert_eq!(refused, expected, "{url}");
            assert!(!refused.to_string().contains("secret"));
        }
    }
}
