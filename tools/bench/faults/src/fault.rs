//! The faults: what each is called, what it needs, and what is asked of it.

use std::time::Duration;

use clap::ValueEnum;

use crate::{
    part::{Kind, Parts},
    system::{Disk, Layout, Paths},
};

/// A way in which parts of Muster fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fault {
    /// `kill -9` of one of two cores
    KillCore,
    /// `kill -9` of one of two gateways
    KillGateway,
    /// `kill -9` of one of two bridges
    KillBridge,
    /// `kill -9` of one of two sites
    KillSite,
    /// SIGSTOP of one of two cores
    FreezeCore,
    /// SIGSTOP of one of two gateways
    FreezeGateway,
    /// SIGSTOP of one of two bridges
    FreezeBridge,
    /// SIGSTOP of one of two sites
    FreezeSite,
    /// One of two cores is cut from its database
    CutCore,
    /// One of two gateways is cut from all cores
    CutGateway,
    /// One of two bridges is cut from all cores
    CutBridge,
    /// One of two sites is cut from all cores
    CutSite,
    /// One of two cores is cut from everything
    LoseCore,
    /// Rounds in which everything is restarted, one replica of each kind at a time
    Roll,
    /// `kill -9` of PostgreSQL
    KillDatabase,
    /// A restart of PostgreSQL
    RestartDatabase,
    /// No space on PostgreSQL's disk
    FullDatabaseDisk,
    /// No space for the files of SQLite
    FullDisk,
    /// No space on the disk of SQLite and the data folder; afterwards core is restarted
    FullDataDisk,
    /// The mail server is away
    MailAway,
    /// The clock of one of two cores is 5 s ahead
    ClockAhead,
    /// Ten times as many writes as the system can do
    Overload,
}

/// What a fault does, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Kill(Kind),
    Freeze(Kind),
    Cut(Kind),
    Lose,
    Roll,
    KillDatabase,
    RestartDatabase,
    FillDatabaseDisk,
    LimitFiles,
    FillDisk,
    LeaveMails,
    SetClock,
    Overload,
}

/// How long faults last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lengths {
    pub(crate) frozen: Duration,
    pub(crate) cut: Duration,
    pub(crate) without_mails: Duration,
    pub(crate) clock_ahead: Duration,
    pub(crate) overload: Duration,
    /// How often everything is restarted.
    pub(crate) rounds: usize,
    /// Whether to wait for mails that may come once more: a core that was killed holds them for a minute and a half.
    pub(crate) awaits_repetitions: bool,
}

impl Lengths {
    pub(crate) const FULL: Self = Self {
        frozen: Duration::from_secs(5),
        cut: Duration::from_secs(30),
        without_mails: Duration::from_mins(10),
        clock_ahead: Duration::from_secs(20),
        overload: Duration::from_secs(6),
        rounds: 10,
        awaits_repetitions: true,
    };

    /// As short as can be, so that each fault still shows.
    pub(crate) const SHORT: Self = Self {
        frozen: Duration::from_secs(4),
        cut: Duration::from_secs(6),
        without_mails: Duration::from_secs(8),
        clock_ahead: Duration::from_secs(4),
        overload: Duration::from_secs(2),
        rounds: 1,
        awaits_repetitions: false,
    };
}

/// Two of everything.
const ALL: Parts = Parts {
    cores: 2,
    edges: 2,
    only_gateways: false,
};

impl Fault {
    pub(crate) const fn deed(self) -> Deed {
        match self {
            Self::KillCore => Deed::Kill(Kind::Core),
            Self::KillGateway => Deed::Kill(Kind::Gateway),
            Self::KillBridge => Deed::Kill(Kind::Bridge),
            Self::KillSite => Deed::Kill(Kind::Site),
            Self::FreezeCore => Deed::Freeze(Kind::Core),
            Self::FreezeGateway => Deed::Freeze(Kind::Gateway),
            Self::FreezeBridge => Deed::Freeze(Kind::Bridge),
            Self::FreezeSite => Deed::Freeze(Kind::Site),
            Self::CutCore => Deed::Cut(Kind::Core),
            Self::CutGateway => Deed::Cut(Kind::Gateway),
            Self::CutBridge => Deed::Cut(Kind::Bridge),
            Self::CutSite => Deed::Cut(Kind::Site),
            Self::LoseCore => Deed::Lose,
            Self::Roll => Deed::Roll,
            Self::KillDatabase => Deed::KillDatabase,
            Self::RestartDatabase => Deed::RestartDatabase,
            Self::FullDatabaseDisk => Deed::FillDatabaseDisk,
            Self::FullDisk => Deed::LimitFiles,
            Self::FullDataDisk => Deed::FillDisk,
            Self::MailAway => Deed::LeaveMails,
            Self::ClockAhead => Deed::SetClock,
            Self::Overload => Deed::Overload,
        }
    }

    /// The system that it happens to.
    pub(crate) const fn layout(self) -> Layout {
        let layout = Layout {
            parts: ALL,
            disk: Disk::Postgres,
            paths: Paths::Loopback,
        };
        match self.deed() {
            Deed::Cut(_) | Deed::Lose => Layout {
                paths: Paths::Namespaces,
                ..layout
            },
            Deed::FillDatabaseDisk => Layout {
                disk: Disk::SmallPostgres,
                ..layout
            },
            Deed::LimitFiles => Layout {
                parts: Parts { cores: 1, ..ALL },
                disk: Disk::Sqlite,
                ..layout
            },
            Deed::FillDisk => Layout {
                parts: Parts { cores: 1, ..ALL },
                disk: Disk::SmallSqlite,
                ..layout
            },
            Deed::Overload => Layout {
                parts: Parts {
                    cores: 2,
                    edges: 1,
                    only_gateways: true,
                },
                ..layout
            },
            _ => layout,
        }
    }

    /// What it is called in the table.
    pub(crate) fn title(self, lengths: &Lengths) -> String {
        let for_seconds = |time: Duration| format!("for {} s", time.as_secs());
        match self.deed() {
            Deed::Kill(kind) => format!("`kill -9` of one {}", kind.name()),
            Deed::Freeze(kind) => format!(
                "SIGSTOP of one {} {}",
                kind.name(),
                for_seconds(lengths.frozen)
            ),
            Deed::Cut(Kind::Core) => {
                format!("one core cut from PostgreSQL {}", for_seconds(lengths.cut))
            }
            Deed::Cut(kind) => format!(
                "one {} cut from the cores {}",
                kind.name(),
                for_seconds(lengths.cut)
            ),
            Deed::Lose => format!("one core cut from everything {}", for_seconds(lengths.cut)),
            Deed::Roll => format!("restart of everything, {} rounds", lengths.rounds),
            Deed::KillDatabase => "`kill -9` of PostgreSQL".to_owned(),
            Deed::RestartDatabase => "restart of PostgreSQL".to_owned(),
            Deed::FillDatabaseDisk => "full disk of PostgreSQL".to_owned(),
            Deed::LimitFiles => "full disk of SQLite, one core".to_owned(),
            Deed::FillDisk => "full disk of SQLite and its folder, one core, restarted".to_owned(),
            Deed::LeaveMails => {
                format!("mail server away {}", for_seconds(lengths.without_mails))
            }
            Deed::SetClock => format!(
                "clock of one core 5 s ahead {}",
                for_seconds(lengths.clock_ahead)
            ),
            Deed::Overload => "overload".to_owned(),
        }
    }

    /// What the issues ask for, in words.
    pub(crate) const fn aim(self) -> &'static str {
        match self.deed() {
            Deed::Freeze(Kind::Core) => {
                "at most 0.5 % of writes and 0.1 % of reads fail; longest answer 3 s"
            }
            Deed::RestartDatabase | Deed::KillDatabase => "longest refusal 1.5 s",
            Deed::Roll => "none fails",
            Deed::FillDisk => "no read fails after the restart",
            _ => "",
        }
    }

    /// Whether no call may fail for good, on any machine.
    pub(crate) const fn must_not_fail(self) -> bool {
        matches!(self.deed(), Deed::Roll)
    }
}
