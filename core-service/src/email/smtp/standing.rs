//! Whether temporary refusals are about single mails, or about the server and everything that is sent by it.

/// Temporary refusals in a row, with no mail taken in between, that a server which works does not give.
const REFUSALS: u32 = 10;

/// Domains that they must concern: when the mail servers of one domain are away, a relay may say so for each of its
/// mails, and the others' mails must not wait for them.
const DOMAINS: usize = 3;

/// What the server has said lately.
#[derive(Debug, Default)]
pub(super) struct Standing {
    refusals: u32,
    /// At most [`DOMAINS`].
    domains: Vec<String>,
}

impl Standing {
    /// A mail was taken, or refused for good: the server works.
    pub(super) fn decided(&mut self) {
        *self = Self::default();
    }

    /// A mail to this domain was put off; answers whether the server puts everything off.
    pub(super) fn put_off(&mut self, domain: &str) -> bool {
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
    fn one_domain_that_is_away_says_nothing_of_the_server() {
        let mut standing = Standing::default();
        assert!((0..1_000).all(|_| !standing.put_off("away.example")));
    }

    #[test]
    fn a_server_that_puts_everything_off_is_noticed_until_it_takes_a_mail() {
        let mut standing = Standing::default();
        let mut put_off = |number: u32| standing.put_off(&format!("{number}.example"));
        assert!((1..REFUSALS).all(|number| !put_off(number)));
        assert!(put_off(REFUSALS));
        assert!(put_off(REFUSALS));
        standing.decided();
        assert!(!standing.put_off("1.example"));
    }
}
