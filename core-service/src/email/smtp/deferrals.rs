//! Decides whether temporary refusals are about single mails or about the whole server.

/// This many temporary refusals in a row, without an accepted mail, mean that the server does not work.
const REFUSALS: u32 = 10;

/// They must be about this many domains: when the mail servers of one domain are down, a relay may defer each of its mails, and
/// mails to other domains must not wait.
const DOMAINS: usize = 3;

/// The latest temporary refusals in a row.
#[derive(Debug, Default)]
pub(super) struct Deferrals {
    refusals: u32,
    /// At most [`DOMAINS`].
    domains: Vec<String>,
}

impl Deferrals {
    /// A mail was accepted or refused permanently: the server works.
    pub(super) fn decided(&mut self) {
        *self = Self::default();
    }

    /// A mail to this domain was deferred. Returns whether the server defers everything.
    pub(super) fn deferred(&mut self, domain: &str) -> bool {
        self.refusals = self.refusals.saturating_add(1);
        if self.domains.len() < DOMAINS && self.domains.iter().all(|known| known != domain) {
            self.domains.push(domain.to_owned());
        }
        self.refusals >= REFUSALS && self.domains.len() >= DOMAINS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deferrals_by_one_domain_do_not_count_as_the_servers() {
        let mut deferrals = Deferrals::default();
        assert!((0..1_000).all(|_| !deferrals.deferred("away.example")));
    }

    #[test]
    fn a_server_that_defers_everything_is_noticed_until_it_accepts_a_mail() {
        let mut deferrals = Deferrals::default();
        let mut deferred = |number: u32| deferrals.deferred(&format!("{number}.example"));
        assert!((1..REFUSALS).all(|number| !deferred(number)));
        assert!(deferred(REFUSALS));
        assert!(deferred(REFUSALS));
        deferrals.decided();
        assert!(!deferrals.deferred("1.example"));
    }
}
