//! TLS on the gRPC port.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, ServerConfig, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
    server::WebPkiClientVerifier,
};
use server::Failure;
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// Settings of TLS on the gRPC port.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "TLS on the gRPC port (off unless a certificate is given)")]
pub struct TlsSettings {
    /// PEM file with the certificate chain
    #[arg(
        long,
        env = "MUSTER_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key
    #[arg(
        long,
        env = "MUSTER_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,
    /// PEM file with the authority of client certificates (mutual TLS). A client certificate proves an edge, as --edge-token
    /// does, so this authority must sign certificates for edges only
    #[arg(
        long,
        env = "MUSTER_TLS_CLIENT_CA",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_client_ca: Option<PathBuf>,
}

impl TlsSettings {
    /// What makes connections secure; `None` if the port is plain.
    pub(super) fn acceptor(&self) -> Result<Option<TlsAcceptor>, Failure> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let unusable =
            |error: rustls::Error| Failure::setting(format!("cannot use the TLS files: {error}"));
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions();
        let builder = builder.map_err(unusable)?;
        let builder = match &self.tls_client_ca {
            Some(authority) => builder.with_client_cert_verifier(verifier(authority, provider)?),
            None => builder.with_no_client_auth(),
        };
        let certificate = certificates(certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&pem(key)?).map_err(|error| {
            Failure::setting(format!("cannot read a key from {}: {error}", key.display()))
        })?;
        let mut config = builder
            .with_single_cert(certificate, key)
            .map_err(unusable)?;
        config.alpn_protocols.push(b"h2".to_vec());
        Ok(Some(TlsAcceptor::from(Arc::new(config))))
    }
}

impl TlsSettings {
    /// What connects to the port that has these settings; `None` if it is plain.
    pub(super) fn connector_to_itself(&self) -> Result<Option<TlsConnector>, Failure> {
        let Some(certificate) = &self.tls_cert else {
            return Ok(None);
        };
        let provider = Arc::new(ring::default_provider());
        let own = certificates(certificate)?.into_iter().next();
        let verifier = OneCertificate {
            certificate: own.ok_or_else(|| Failure::setting("--tls-cert has no certificate"))?,
            provider: Arc::clone(&provider),
        };
        let builder = ClientConfig::builder_with_provider(provider);
        let config = builder
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::setting(format!("cannot use the TLS files: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(Some(TlsConnector::from(Arc::new(config))))
    }
}

/// Trusts one certificate, whatever its name, its age and its signer.
#[derive(Debug)]
struct OneCertificate {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for OneCertificate {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *shown == self.certificate {
            return Ok(ServerCertVerified::assertion());
        }
        Err(Error::General(
            "the port shows another certificate".to_owned(),
        ))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

fn verifier(
    authority: &Path,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, Failure> {
    let unusable = |error: &dyn std::fmt::Display| {
        let path = authority.display();
        Failure::setting(format!("cannot use the authority in {path}: {error}"))
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authority)? {
        roots.add(certificate).map_err(|error| unusable(&error))?;
    }
    WebPkiClientVerifier::builder_with_provider(roots.into(), provider)
        .build()
        .map_err(|error| unusable(&error))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let pem = pem(path)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let unreadable = |problem: String| {
        let path = path.display();
        Failure::setting(format!("cannot read a certificate from {path}: {problem}"))
    };
    let certificates = read.map_err(|error| unreadable(error.to_string()))?;
    if certificates.is_empty() {
        return Err(unreadable("it has none".to_owned()));
    }
    Ok(certificates)
}

fn pem(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::setting(format!("cannot read {}: {error}", path.display())))
}
