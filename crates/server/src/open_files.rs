//! The limit of open files, which is also a limit of connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for the connections of every port of a program and everything else that it opens.
const ENOUGH: u64 = 8192;

/// Raises the limit of open files if the system allows it, and warns if it stays low.
pub fn raise_limit() {
    let before = getrlimit(Resource::Nofile);
    let allowed = before.maximum.map_or(ENOUGH, |most| most.min(ENOUGH));
    if before.current.is_none_or(|limit| limit >= allowed) {
        // Already as high as it may be.
    } else if let Err(error) = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(allowed),
            ..before
        },
    ) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
    if let Some(limit) = limit().filter(|limit| *limit < ENOUGH) {
        tracing::warn!(
            limit,
            "the limit of open files is low, so ports accept fewer connections; raise the hard limit (ulimit -Hn, \
             LimitNOFILE=) to {ENOUGH} or more"
        );
    }
}

/// How many connections a port may have: `wanted`, but at most one in `part` of the open files.
pub fn connections(wanted: usize, part: u64) -> usize {
    let possible = limit().and_then(|limit| usize::try_from(limit / part).ok());
    possible.map_or(wanted, |possible| wanted.min(possible).max(1))
}

fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
