//! Encryption, with the certificates that the other TLS tests use.

use std::sync::Arc;

use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
};

/// See crates/rpc-client/tests/it/tls.rs; the certificate is that of `localhost`.
const CERTIFICATE: &[u8] = include_bytes!("../../../crates/rpc-client/tests/it/tls/core.pem");
const KEY: &[u8] = include_bytes!("../../../crates/rpc-client/tests/it/tls/core.key");

/// Whether and when a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Never.
    None,
    /// When the client asks for it (STARTTLS).
    Offered,
    /// From the first byte (`smtps://`).
    Always,
}

/// The authority that signed the server's certificate, as a PEM file's path.
pub const fn authority() -> &'static str {
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/rpc-client/tests/it/tls/ca.pem"
    )
}

pub(crate) fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(KEY).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring has the default versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the key is the certificate's");
    TlsAcceptor::from(Arc::new(config))
}
