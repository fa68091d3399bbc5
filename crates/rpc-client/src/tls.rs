//! TLS to core, with or without a certificate of one's own.

use std::error::Error as _;

use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tonic::transport::{ClientTlsConfig, Endpoint, Identity};

/// Returns the configuration that trusts these authorities and shows this certificate, if any, with its key; all as PEM.
///
/// # Errors
/// What cannot be used.
pub(crate) fn config(
    authorities: &[u8],
    own: Option<(&[u8], &[u8])>,
) -> Result<ClientTlsConfig, String> {
    let authorities: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(authorities).collect();
    let mut roots = RootCertStore::empty();
    // One of a list of many may be strange.
    let (added, _ignored) =
        roots.add_parsable_certificates(authorities.map_err(|error| error.to_string())?);
    if added == 0 {
        return Err("no authority's certificate is usable".to_owned());
    }
    let mut config = ClientTlsConfig::new().trust_anchors(roots.roots);
    if let Some((certificate, key)) = own {
        config = config.identity(Identity::from_pem(certificate, key));
    }
    // Tonic reads the identity only here.
    let read = Endpoint::from_static("https://localhost").tls_config(config.clone());
    read.map_err(|error| {
        let cause = error.source().map(ToString::to_string);
        cause.unwrap_or_else(|| error.to_string())
    })?;
    Ok(config)
}
