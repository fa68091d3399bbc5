//! TLS to core, with or without a certificate of one's own.

use std::{io, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// What is spoken within.
const HTTP_2: &[u8] = b"h2";

/// The TLS of connections to a host.
#[derive(Clone)]
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    /// The name in the certificate.
    host: ServerName<'static>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Tls").field(&self.host).finish()
    }
}

impl Tls {
    pub(crate) fn to(host: &str, config: Arc<ClientConfig>) -> Result<Self, String> {
        let host = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
        Ok(Self { config, host })
    }

    pub(crate) async fn connect(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        let stream = connector.connect(self.host.clone(), stream).await?;
        if stream.get_ref().1.alpn_protocol() == Some(HTTP_2) {
            return Ok(stream);
        }
        Err(io::Error::other("core does not speak HTTP/2"))
    }
}

/// The configuration that trusts these authorities and shows this certificate, if any, with its key; all as PEM.
///
/// # Errors
/// What cannot be used.
pub(crate) fn config(
    authorities: &[u8],
    own: Option<(&[u8], &[u8])>,
) -> Result<Arc<ClientConfig>, String> {
    let unusable = |error: rustls::Error| error.to_string();
    let mut roots = RootCertStore::empty();
    // One of a list of many may be strange.
    let (added, _ignored) = roots.add_parsable_certificates(certificates(authorities)?);
    if added == 0 {
        return Err("no authority's certificate is usable".to_owned());
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(unusable)?.with_root_certificates(roots);
    let mut config = match own {
        Some((certificate, key)) => {
            let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| error.to_string())?;
            let shown = builder.with_client_auth_cert(certificates(certificate)?, key);
            shown.map_err(unusable)?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols.push(HTTP_2.to_vec());
    Ok(Arc::new(config))
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|error| error.to_string())?;
    if read.is_empty() {
        return Err("there is no certificate".to_owned());
    }
    Ok(read)
}
