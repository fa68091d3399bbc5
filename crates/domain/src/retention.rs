//! How long old rows are kept.

/// Days for which old rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The audit log.
    pub audit_days: u32,
    /// Jobs that failed.
    pub failed_job_days: u32,
    /// Messages of webhooks.
    pub webhook_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            // Long enough for a yearly audit of the past year.
            audit_days: 730,
            failed_job_days: 90,
            webhook_days: 30,
        }
    }
}
