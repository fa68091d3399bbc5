//! Every metric: its name, which ends with its unit, its meaning and its labels. The documentation has the same list, and alerts and dashboards
//! may name no other (`tests/tests/it/metrics.rs`).
//!
//! Each label is one of a closed set of words or numbers: routes, rpcs and kinds, never what a client sent.

use prometheus_client::registry::Registry;

use super::{Counter, Gauge, Histogram};

/// The declaration of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Its name. A histogram's samples have the endings `_bucket`, `_count` and `_sum` besides.
    pub name: &'static str,
    /// `Counter`, `Gauge` or `Histogram`.
    pub kind: &'static str,
    /// What it means.
    pub help: &'static str,
    /// The names of its labels.
    pub labels: &'static [&'static str],
}

impl Declared {
    pub(super) fn is_time(&self) -> bool {
        self.name.ends_with("_seconds")
    }
}

macro_rules! metrics {
    ($($(#[doc = $help:literal])+ $field:ident: $kind:ident $name:literal [$($label:ident),*];)+) => {
        /// Every metric, in the order of the documentation.
        pub const DECLARED: &[Declared] = &[$(Declared {
            name: $name,
            kind: stringify!($kind),
            help: concat!($($help),+),
            labels: &[$(stringify!($label)),*],
        }),+];

        /// All metrics.
        #[derive(Debug)]
        pub struct Metrics {$(
            $(#[doc = $help])+
            pub $field: $kind<{ const LABELS: &[&str] = &[$(stringify!($label)),*]; LABELS.len() }>,
        )+}

        impl Metrics {
            pub(super) fn registered_in(registry: &mut Registry) -> Self {
                let mut declared = DECLARED.iter();
                let mut next = || declared.next().expect("there is one for each field");
                Self {$($field: $kind::registered(next(), registry),)+}
            }
        }
    };
}

metrics! {
    /// Time from the header of a request on an HTTP port to the end of its answer, by the template of its route (`none`: no route),
    /// method and status (`cancelled`: the client left before). Probes are not among them.
    http_requests: Histogram "muster_http_request_duration_seconds" [method, route, status];
    /// Requests under way on an HTTP port.
    http_in_flight: Gauge "muster_http_requests_in_flight" [];

    /// Calls of MCP's tools, by rpc (`none`: no such tool) and outcome: done (also when a person is asked first), refused (the client is at
    /// fault), failed (Muster is at fault, or away) or cancelled.
    tool_calls: Counter "muster_mcp_tool_calls_total" [rpc, outcome];

    /// Time of a call that core answered, by rpc (`none`: no such rpc) and canonical code of gRPC. Probes are not among them.
    rpcs: Histogram "muster_rpc_duration_seconds" [rpc, code];
    /// Calls that have a permit of core, by kind: read or write.
    permits_taken: Gauge "muster_rpc_permits_taken" [kind];
    /// How many permits core has for calls now. It has fewer while calls are slow.
    permits: Gauge "muster_rpc_permits" [kind];
    /// Calls that core refused at once, since all permits were taken.
    rpcs_shed: Counter "muster_rpc_shed_total" [kind];

    /// Time of an edge's call to one replica of core until the first message of its answer, by rpc and canonical code of gRPC.
    core_calls: Histogram "muster_core_call_duration_seconds" [rpc, code];
    /// Calls that an edge made again, at another replica of core or on another connection.
    core_retries: Counter "muster_core_call_retries_total" [];
    /// Calls that an edge refused at once, since it waited for too many answers of each replica of core.
    core_calls_shed: Counter "muster_core_call_shed_total" [kind];
    /// How often an edge set a replica of core aside that did not answer.
    core_ejections: Counter "muster_core_ejections_total" [];
    /// The replicas of core that an edge knows, by state: working or aside.
    core_replicas: Gauge "muster_core_replicas" [state];
    /// Public answers: from the response cache (hit), asked of core and stored (miss), or old, since core could not be reached (stale).
    cache_answers: Counter "muster_cache_answers_total" [result];

    /// Whether the database answered when core last asked it: 1 or 0.
    database_up: Gauge "muster_database_up" [];
    /// Time that a call waited for a connection to the database, by pool: read or write, and outcome: got or none.
    database_waits: Histogram "muster_database_wait_seconds" [pool, outcome];
    /// Connections to the database, by pool and state: used or idle.
    database_connections: Gauge "muster_database_connections" [pool, state];
    /// How many connections to the database there may be.
    database_most_connections: Gauge "muster_database_connections_limit" [pool];

    /// Registrations that were decided in one transaction.
    batch_sizes: Histogram "muster_registration_batch_size" [];
    /// Time that a registration waited for its batch.
    batch_waits: Histogram "muster_registration_queue_wait_seconds" [];
    /// Registrations that wait for their batch.
    batch_queue: Gauge "muster_registration_queue" [];

    /// Jobs in the database that are due and not done, by kind, up to 10,000, without those of webhooks, which
    /// `muster_webhook_oldest_undelivered_seconds` measures. All cores of a database have the same number.
    jobs_due: Gauge "muster_jobs_due" [kind];
    /// For how long the oldest of them is due.
    jobs_oldest: Gauge "muster_jobs_oldest_due_seconds" [kind];
    /// Jobs that failed and are not tried again, by kind, up to 10,000. All cores of a database have the same number.
    jobs_dead: Gauge "muster_jobs_dead" [kind];
    /// Time of the tries of jobs in this core, by kind and outcome: done, retry, wait (it does not count), unreachable (its destination does not
    /// work) or failed.
    job_tries: Histogram "muster_job_try_duration_seconds" [kind, outcome];
    /// Mails that this core handed over, by outcome: sent, unreachable (the server does not work), later or refused.
    mails: Counter "muster_mails_total" [outcome];
    /// Reports about mails that were handed over, by kind: bounced, complained, repeated (known before), ignored (of an unknown mail that may have failed alone) or unknown (of no mail that was sent).
    mail_reports: Counter "muster_mail_reports_total" [kind];
    /// Messages that this core posted to webhooks, by outcome of the attempt: delivered, refused (its receiver answered another status than
    /// 2xx), busy (429, 502, 503, 504, or an error with `Retry-After`) or unreachable (no answer).
    webhook_deliveries: Counter "muster_webhook_deliveries_total" [outcome];
    /// Webhooks with a URL by state: working, failing (the last attempt was in vain), paused or disabled, up to 10,000. All cores of a database have
    /// the same number.
    webhooks: Gauge "muster_webhooks" [state];
    /// For how long the oldest delivery is due to a webhook in this state: working or failing. What waits for its next attempt is not due.
    webhook_oldest: Gauge "muster_webhook_oldest_undelivered_seconds" [state];

    /// 1, with the version of Muster.
    build: Gauge "muster_build_info" [version];
    /// Tasks of the asynchronous runtime that have not ended.
    tasks: Gauge "muster_runtime_tasks" [];
    /// Processor time of this process.
    cpu: Counter "process_cpu_seconds_total" [];
    /// Memory of this process in RAM.
    resident_memory: Gauge "process_resident_memory_bytes" [];
    /// Address space of this process.
    virtual_memory: Gauge "process_virtual_memory_bytes" [];
    /// Open files and sockets of this process.
    open_files: Gauge "process_open_fds" [];
    /// How many it may have.
    most_open_files: Gauge "process_max_fds" [];
    /// Threads of this process.
    threads: Gauge "process_threads" [];
    /// When this process started, in seconds since the beginning of 1970.
    started: Gauge "process_start_time_seconds" [];
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_follow_the_conventions_of_prometheus() {
        let names: HashSet<&str> = DECLARED.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), DECLARED.len());
        for one in DECLARED {
            let Declared { name, kind, .. } = *one;
            assert!(name.starts_with("muster_") || name.starts_with("process_"));
            let valid = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            assert!(name.bytes().all(valid), "{name}");
            assert_eq!(kind == "Counter", name.ends_with("_total"), "{name}");
            assert!(one.help.trim().ends_with('.'), "{name}");
            let kept = ["le", "job", "instance"];
            assert!(
                one.labels.iter().all(|label| !kept.contains(label)),
                "{name}"
            );
        }
    }
}
