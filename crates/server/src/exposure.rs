//! What of an installation others can reach, and what is probably wrong with that. It is told at the start and by the command `doctor`;
//! nothing is refused, since a network may protect what a program cannot see.

use std::net::{IpAddr, SocketAddr};

use http::Uri;

use crate::{probe, serve::Address};

/// How often the public URL is asked at the start before its silence is told: a proxy may start later.
const TRIES: u32 = 12;

/// The pause between two of them.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(5);

/// What others can reach, as the settings say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// The public URL, if it is set.
    pub public_url: Option<String>,
    /// The HTTP port, which is always plain, if the program has one.
    pub http: Option<SocketAddr>,
    /// Whether a proxy in front of it is named.
    pub has_proxies: bool,
    /// The gRPC port, if the program has one, and whether it has a certificate.
    pub grpc: Option<(Address, bool)>,
}

impl Exposure {
    /// What is probably wrong, with what to do about it.
    pub fn warnings(&self) -> Vec<String> {
        let all = [self.plain_http(), self.plain_grpc(), self.unnamed_proxy()];
        all.into_iter().flatten().collect()
    }

    /// Logs what is probably wrong. Whether the public URL answers is asked later, beside everything else.
    pub fn warn(self) {
        for warning in self.warnings() {
            tracing::warn!("{warning}");
        }
        tokio::spawn(async move {
            for _ in 0..TRIES {
                tokio::time::sleep(PAUSE).await;
                if self.unanswered().await.is_none() {
                    return;
                }
            }
            if let Some(warning) = self.unanswered().await {
                tracing::warn!("{warning}");
            }
        });
    }

    /// Why the public URL does not lead here, if it is not one of this machine alone.
    pub async fn unanswered(&self) -> Option<String> {
        let url = self.public_url.as_deref()?;
        if is_on_loopback(url) {
            return None;
        }
        let why = probe::answers(url, "/healthz").await.err()?;
        Some(format!(
            "{url}/healthz does not answer from here: {why}; check --public-url (MUSTER_PUBLIC_URL), the proxy and the name's address"
        ))
    }

    fn plain_http(&self) -> Option<String> {
        let url = self.public_url.as_deref().unwrap_or("http://localhost");
        let is_plain = !url.starts_with("https://");
        if is_plain && !is_on_loopback(url) {
            return Some(format!(
                "the public URL {url} is plain http: codes, sessions and keys can be read on the way; put a proxy with TLS in front and \
                 set --public-url (MUSTER_PUBLIC_URL) to https"
            ));
        }
        let address = self.http.filter(|address| !address.ip().is_loopback())?;
        (is_plain && self.public_url.is_none()).then(|| {
            format!(
                "the HTTP port {address} is open to other machines without TLS: put a proxy with TLS in front and set --public-url \
                 (MUSTER_PUBLIC_URL), or listen on 127.0.0.1 (--http-addr)"
            )
        })
    }

    fn plain_grpc(&self) -> Option<String> {
        let (Address::Tcp(address), false) = self.grpc.as_ref()? else {
            return None;
        };
        (!address.ip().is_loopback()).then(|| {
            format!(
                "the gRPC port {address} is open to other machines without TLS: keys can be read on the way; give it a certificate \
                 (--tls-cert, --tls-key), listen on 127.0.0.1 (--grpc-addr), or let only your own network reach it"
            )
        })
    }

    fn unnamed_proxy(&self) -> Option<String> {
        let is_secure = self
            .public_url
            .as_deref()
            .is_some_and(|url| url.starts_with("https://"));
        (self.http.is_some() && is_secure && !self.has_proxies).then(|| {
            "no proxy is named, although the public URL is https: limits count the proxy for all of its clients; name it with \
             --trusted-proxies (MUSTER_TRUSTED_PROXIES)"
                .to_owned()
        })
    }
}

/// Whether only this machine can open a URL.
fn is_on_loopback(url: &str) -> bool {
    let uri: Option<Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn muster(public_url: Option<&str>, http: &str, grpc: &str) -> Exposure {
        Exposure {
            public_url: public_url.map(str::to_owned),
            http: Some(http.parse().unwrap()),
            has_proxies: false,
            grpc: Some((grpc.parse().unwrap(), false)),
        }
    }

    fn words(exposure: &Exposure) -> String {
        exposure.warnings().join("\n")
    }

    #[test]
    fn on_this_machine_alone_nothing_is_wrong() {
        for public_url in [
            None,
            Some("http://localhost:8080"),
            Some("http://[::1]:8080"),
        ] {
            let local = muster(public_url, "127.0.0.1:8080", "127.0.0.1:50051");
            assert_eq!(words(&local), "", "{public_url:?}");
        }
        let socket = muster(None, "[::1]:8080", "unix:///run/muster.sock");
        assert_eq!(words(&socket), "");
    }

    #[test]
    fn what_others_read_on_the_way_is_told() {
        let plain = muster(
            Some("http://events.example.org"),
            "127.0.0.1:8080",
            "127.0.0.1:1",
        );
        assert!(words(&plain).contains("is plain http"));
        let open = muster(None, "0.0.0.0:8080", "0.0.0.0:50051");
        let told = words(&open);
        assert!(told.contains("the HTTP port 0.0.0.0:8080"), "{told}");
        assert!(told.contains("the gRPC port 0.0.0.0:50051"), "{told}");
        let secure = Exposure {
            has_proxies: true,
            grpc: Some(("0.0.0.0:50051".parse().unwrap(), true)),
            ..muster(
                Some("https://events.example.org"),
                "0.0.0.0:8080",
                "127.0.0.1:1",
            )
        };
        assert_eq!(words(&secure), "");
    }

    #[test]
    fn a_proxy_that_nobody_named_is_told() {
        let behind = muster(
            Some("https://events.example.org"),
            "127.0.0.1:8080",
            "127.0.0.1:1",
        );
        assert!(words(&behind).contains("--trusted-proxies"));
        let core = Exposure {
            http: None,
            ..behind
        };
        assert_eq!(words(&core), "");
    }

    #[tokio::test]
    async fn a_public_url_that_does_not_answer_is_told() {
        let nowhere = muster(
            Some("http://muster.invalid"),
            "127.0.0.1:8080",
            "127.0.0.1:1",
        );
        let told = nowhere.unanswered().await.unwrap();
        assert!(told.contains("http://muster.invalid/healthz"), "{told}");
        let local = muster(Some("http://127.0.0.1:1"), "127.0.0.1:8080", "127.0.0.1:1");
        assert_eq!(local.unanswered().await, None);
    }
}
