//! Settings of the connection to core.

use std::path::PathBuf;

use http::Uri;
use secrecy::SecretString;
use server::Failure;
use tonic::transport::ClientTlsConfig;

use super::{Core, pool::Resolver, tls};

/// Settings of the connection to core. Flatten them into an edge's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Core")]
pub struct CoreSettings {
    /// Address of core: `http://HOST:PORT`, `https://HOST:PORT` or `unix:///PATH`. Each IP address of HOST is a replica.
    /// Several hosts are separated by commas
    #[arg(
        long,
        env = "MUSTER_CORE_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:50051"
    )]
    pub core_url: CoreUrl,
    /// For https: PEM file with the authority that signed core's certificate
    #[arg(long, env = "MUSTER_CORE_CA", value_name = "FILE")]
    pub core_ca: Option<PathBuf>,
    /// For mutual TLS: PEM file with this edge's certificate
    #[arg(long, env = "MUSTER_CORE_CERT", value_name = "FILE")]
    pub core_cert: Option<PathBuf>,
    /// For mutual TLS: PEM file with the certificate's private key
    #[arg(long, env = "MUSTER_CORE_KEY", value_name = "FILE")]
    pub core_key: Option<PathBuf>,
    /// Secret that proves to core that this is an edge: the same as core's `--edge-token`. Not needed with mutual TLS
    #[arg(
        long,
        env = "MUSTER_EDGE_TOKEN",
        value_name = "SECRET",
        hide_env_values = true,
        value_parser = server::settings::token
    )]
    pub edge_token: Option<SecretString>,
}

/// A parsed address of core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoreUrl {
    /// Over TCP. The replicas are the addresses of the hosts.
    Hosts {
        /// Host names or IP addresses, each with a port.
        hosts: Vec<(String, u16)>,
        /// Whether to use TLS.
        tls: bool,
    },
    /// A Unix socket's path.
    Unix(String),
}

const ADVICE: &str = "must be http://HOST:PORT, https://HOST:PORT or unix:///PATH";

impl std::str::FromStr for CoreUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = text.strip_prefix("unix://") {
            return if path.starts_with('/') {
                Ok(Self::Unix(path.to_owned()))
            } else {
                Err(ADVICE)
            };
        }
        let parsed = text
            .split(',')
            .map(parse_host)
            .collect::<Result<Vec<_>, _>>()?;
        let tls = parsed.iter().any(|(_, tls)| *tls);
        if parsed.iter().any(|(_, other)| *other != tls) {
            return Err("must be all http or all https");
        }
        Ok(Self::Hosts {
            hosts: parsed.into_iter().map(|(host, _)| host).collect(),
            tls,
        })
    }
}

fn parse_host(text: &str) -> Result<((String, u16), bool), &'static str> {
    let uri: Uri = text.trim().parse().map_err(|_| ADVICE)?;
    let tls = match uri.scheme_str() {
        Some("http") => false,
        Some("https") => true,
        _ => return Err(ADVICE),
    };
    match (
        uri.host(),
        uri.port_u16(),
        uri.path_and_query().map(http::uri::PathAndQuery::as_str),
    ) {
        (Some(host), Some(port), Some("/")) => {
            // An IPv6 address stands in brackets.
            Ok(((host.trim_matches(['[', ']']).to_owned(), port), tls))
        }
        _ => Err(ADVICE),
    }
}

const NO_PROOF: &str = "--edge-token (MUSTER_EDGE_TOKEN): required, to prove to core that this is an edge; set it to the \
same secret as core's; or use mutual TLS (--core-cert and --core-key with an https --core-url)";

impl CoreSettings {
    /// A client for an edge that calls for others. It has a proof that it is an edge.
    ///
    /// # Errors
    /// [`Failure::Settings`] as for [`CoreSettings::client`], and when there is no proof.
    pub fn edge(&self) -> Result<Core, Failure> {
        let core = self.client();
        let Some(token) = &self.edge_token else {
            if self.has_certificate() {
                return core;
            }
            let mut problems = vec![NO_PROOF.to_owned()];
            if let Err(Failure::Settings(others)) = core {
                problems.extend(others);
            }
            return Err(Failure::Settings(problems));
        };
        core?.with_token(token)
    }

    fn has_certificate(&self) -> bool {
        let is_tls = matches!(self.core_url, CoreUrl::Hosts { tls: true, .. });
        is_tls && self.core_cert.is_some()
    }

    /// An ordinary client without a proof. It connects at the first call, and again when necessary.
    ///
    /// # Errors
    /// [`Failure::Settings`] with every setting that is missing or cannot be read.
    pub fn client(&self) -> Result<Core, Failure> {
        match &self.core_url {
            CoreUrl::Unix(path) => Ok(Core::unix(path)),
            CoreUrl::Hosts { hosts, tls } => {
                let tls = if *tls { Some(self.tls()?) } else { None };
                Ok(Core::resolving(Resolver::new(hosts.clone(), tls)))
            }
        }
    }

    fn tls(&self) -> Result<ClientTlsConfig, Failure> {
        let mut problems = Vec::new();
        let mut read = |flag: &str, path: Option<&PathBuf>| {
            let path = path?;
            let pem = std::fs::read(path);
            pem.map_err(|error| {
                problems.push(format!("{flag}: cannot read {}: {error}", path.display()));
            })
            .ok()
        };
        let ca = read("--core-ca (MUSTER_CORE_CA)", self.core_ca.as_ref());
        let cert = read("--core-cert (MUSTER_CORE_CERT)", self.core_cert.as_ref());
        let key = read("--core-key (MUSTER_CORE_KEY)", self.core_key.as_ref());
        if self.core_ca.is_none() {
            problems.push("--core-ca (MUSTER_CORE_CA): needed when --core-url is https".to_owned());
        }
        if self.core_cert.is_some() != self.core_key.is_some() {
            problems.push(
                "--core-cert and --core-key (MUSTER_CORE_CERT, MUSTER_CORE_KEY): set both or none"
                    .to_owned(),
            );
        }
        if !problems.is_empty() {
            return Err(Failure::Settings(problems));
        }
        let own = cert.as_deref().zip(key.as_deref());
        tls::config(ca.as_deref().unwrap_or_default(), own).map_err(|error| {
            Failure::setting(format!(
                "--core-ca, --core-cert, --core-key: cannot be used: {error}"
            ))
        })
    }
}
