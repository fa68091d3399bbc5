//! Settings of an edge's memory.

use std::time::Duration;

use super::{Clock, Memory};

/// Settings of the memory. Flatten them into an edge's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Memory")]
pub struct MemorySettings {
    /// Megabytes for answers about the public catalogue, which are kept until it changes; 0 keeps none
    #[arg(long, env = "MUSTER_MEMORY_MB", value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(0..=65_536))]
    pub memory_mb: u32,
    /// While core is away, an answer is served that was right up to so many seconds ago, even if it is known to have changed
    /// since; 0 serves none
    #[arg(long, env = "MUSTER_STALE_SECONDS", value_name = "SECONDS", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(0..=300))]
    pub stale_seconds: u32,
}

/// Options of a memory.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// How much it may take.
    pub bytes: u64,
    /// How old an answer may be while core is away.
    pub stale: Duration,
    /// Its clock.
    pub clock: Clock,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            stale: Duration::from_mins(5),
            clock: Clock::system(),
        }
    }
}

impl MemorySettings {
    /// The memory that they describe, if any.
    pub fn memory(&self) -> Option<Memory> {
        let options = MemoryOptions {
            bytes: u64::from(self.memory_mb) << 20,
            stale: Duration::from_secs(self.stale_seconds.into()),
            ..MemoryOptions::default()
        };
        (options.bytes > 0).then(|| Memory::new(options))
    }
}
