//! The parts of a deployed system: what each is, and where it listens.

use std::net::{IpAddr, SocketAddr};

/// A kind of part. Of each there may be several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Core,
    Gateway,
    Bridge,
    Site,
}

/// What stands between clients and core.
pub(crate) const EDGES: [Kind; 3] = [Kind::Gateway, Kind::Bridge, Kind::Site];

/// All kinds, in the order in which they are started.
pub(crate) const ALL: [Kind; 4] = [Kind::Core, Kind::Gateway, Kind::Bridge, Kind::Site];

impl Kind {
    /// Its program.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Core => "core-service",
            Self::Gateway => "http-gateway",
            Self::Bridge => "mcp-bridge",
            Self::Site => "website",
        }
    }

    /// As the table names it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Gateway => "gateway",
            Self::Bridge => "bridge",
            Self::Site => "site",
        }
    }

    /// Where it listens at this address. Each part has an address of its own, so that no connection of another takes its port while it
    /// is away.
    pub(crate) const fn at(self, ip: IpAddr) -> SocketAddr {
        let port = match self {
            Self::Core => 50_051,
            Self::Gateway | Self::Bridge | Self::Site => 8_080,
        };
        SocketAddr::new(ip, port)
    }

    /// The setting that says where it listens.
    pub(crate) const fn address_setting(self) -> &'static str {
        match self {
            Self::Core => "MUSTER_GRPC_ADDR",
            Self::Gateway | Self::Bridge | Self::Site => "MUSTER_HTTP_ADDR",
        }
    }
}

/// How many parts a system has of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) cores: usize,
    /// Of each of [`EDGES`], if they are all there.
    pub(crate) edges: usize,
    /// Whether the gateway is the only kind of edge.
    pub(crate) only_gateways: bool,
}

impl Parts {
    /// How many in all.
    pub(crate) fn all(self) -> u8 {
        let count: usize = ALL.iter().map(|kind| self.of(*kind)).sum();
        u8::try_from(count).unwrap_or(u8::MAX)
    }

    /// How many of this kind.
    pub(crate) const fn of(self, kind: Kind) -> usize {
        match kind {
            Kind::Core => self.cores,
            Kind::Gateway => self.edges,
            Kind::Bridge | Kind::Site => {
                if self.only_gateways {
                    0
                } else {
                    self.edges
                }
            }
        }
    }
}
