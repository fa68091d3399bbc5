//! Look-ups in DNS, of records that the system's own look-ups do not know.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolverConfig},
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{Name, RData, RecordType},
};

/// How long one look-up may take, with both tries.
const TIMEOUT: Duration = Duration::from_secs(3);

/// DNS as this machine sees it.
pub(super) struct Dns(TokioResolver);

/// DNS does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unreachable;

/// What there is at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Texts {
    /// Neither the name nor one below it.
    Nothing,
    /// Texts; none if there are other records, or only names below it.
    Some(Vec<String>),
}

impl Texts {
    /// The texts that begin so.
    pub(super) fn beginning(&self, beginning: &str) -> Vec<&str> {
        let Self::Some(texts) = self else {
            return Vec::new();
        };
        let is_one = |text: &&str| {
            let found = text.get(..beginning.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(beginning))
        };
        texts.iter().map(String::as_str).filter(is_one).collect()
    }
}

impl Dns {
    /// By the name servers of this machine, or by this one.
    pub(super) fn new(server: Option<SocketAddr>) -> Result<Self, Unreachable> {
        let builder = match server {
            None => TokioResolver::builder_tokio().map_err(|_| Unreachable)?,
            Some(server) => {
                let mut connection = ConnectionConfig::udp();
                connection.port = server.port();
                let server = NameServerConfig::new(server.ip(), true, vec![connection]);
                let config = ResolverConfig::from_name_servers(vec![server]);
                TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
            }
        };
        let mut builder = builder;
        let options = builder.options_mut();
        options.timeout = TIMEOUT / 2;
        options.attempts = 1;
        builder.build().map(Self).map_err(|_| Unreachable)
    }

    /// The texts at a name.
    pub(super) async fn texts(&self, name: &str) -> Result<Texts, Unreachable> {
        let looked_up = self.look_up(absolute(name)?, RecordType::TXT).await?;
        let Some(records) = looked_up else {
            return Ok(Texts::Nothing);
        };
        let text = |data: RData| match data {
            RData::TXT(text) => {
                let bytes: Vec<u8> = text
                    .txt_data
                    .iter()
                    .flat_map(|part| part.to_vec())
                    .collect();
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => None,
        };
        Ok(Texts::Some(records.into_iter().filter_map(text).collect()))
    }

    /// The addresses of a host.
    pub(super) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Unreachable> {
        if let Ok(address) = host.parse() {
            return Ok(vec![address]);
        }
        let mut addresses = Vec::new();
        for kind in [RecordType::A, RecordType::AAAA] {
            let records = self.look_up(absolute(host)?, kind).await?;
            let address = |data| match data {
                RData::A(address) => Some(IpAddr::V4(address.0)),
                RData::AAAA(address) => Some(IpAddr::V6(address.0)),
                _ => None,
            };
            addresses.extend(records.into_iter().flatten().filter_map(address));
        }
        Ok(addresses)
    }

    /// The names of an address.
    pub(super) async fn names(&self, address: IpAddr) -> Result<Vec<String>, Unreachable> {
        let records = self.look_up(Name::from(address), RecordType::PTR).await?;
        let name = |data| match data {
            RData::PTR(name) => Some(name.0.to_string().trim_end_matches('.').to_owned()),
            _ => None,
        };
        Ok(records.into_iter().flatten().filter_map(name).collect())
    }

    /// The records of a kind at a name; `None` if there is no such name.
    async fn look_up(
        &self,
        name: Name,
        kind: RecordType,
    ) -> Result<Option<Vec<RData>>, Unreachable> {
        let found = tokio::time::timeout(TIMEOUT, self.0.lookup(name, kind)).await;
        match found.map_err(|_elapsed| Unreachable)? {
            Ok(found) => {
                let records = found.answers().iter();
                Ok(Some(records.map(|record| record.data.clone()).collect()))
            }
            Err(error) if error.is_nx_domain() => Ok(None),
            Err(error) if error.is_no_records_found() && !is_failure(&error) => {
                Ok(Some(Vec::new()))
            }
            Err(_) => Err(Unreachable),
        }
    }
}

/// Whether a name server says that it could not find out.
fn is_failure(error: &NetError) -> bool {
    use hickory_resolver::{net::DnsError, proto::op::ResponseCode};
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => {
            none.response_code != ResponseCode::NoError
        }
        _ => true,
    }
}

/// With a dot at its end, so that this machine's own domains are not added.
fn absolute(name: &str) -> Result<Name, Unreachable> {
    Name::from_ascii(format!("{}.", name.trim_end_matches('.'))).map_err(|_| Unreachable)
}
