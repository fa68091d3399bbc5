//! Rate limits on the calls of accounts and on registrations. Each core counts in its own memory: the effective limit is multiplied by the
//! number of cores, and a restart resets it. The mails to one mailbox are counted in the database (`mailboxes.rs`).

mod limiter;

use std::{hash::Hash, net::IpAddr, num::NonZeroU32, sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    ids::{AccountId, PersonId},
    rate::{Limit, LimitSettings, Period},
};
use server::networks::subscriber;

use super::Error;

pub use self::limiter::Allowance;
pub(super) use self::limiter::{Limiter, whole_seconds};

/// How many private links and check-in codes that nobody has one client may try in a minute: enough for a mistyped one, and for many
/// people behind one address.
const UNKNOWN_LINKS: u32 = 60;

/// How many authorizations one person may begin in a minute: a client that is wrong may begin one again and again.
const AUTHORIZATIONS: u32 = 60;

/// How many calls of the token endpoint are refused for one client's address in a minute, before more are refused unread.
const REFUSED_TOKENS: u32 = 120;

/// How many times an account may ping its webhooks in a minute: each ping is a request to a server of its choice, and waits for the answer.
const PINGS: u32 = 30;

/// The limits on the calls of accounts.
#[derive(Debug, Clone)]
pub struct CallLimits(pub(super) Arc<Limiters>);

impl CallLimits {
    /// Counts a call of an account. Returns what the account has left, if there is a limit.
    pub fn count(&self, account: AccountId, read_only: bool) -> Result<Option<Allowance>, Error> {
        let Limiters { reads, writes, .. } = &*self.0;
        let Some(limiter) = (if read_only { reads } else { writes }) else {
            return Ok(None);
        };
        let refused = |wait| Error::RateLimited {
            wait,
            allowance: Some(limiter.allowance(0, wait)),
        };
        limiter.count(&account).map(Some).map_err(refused)
    }
}

/// The limit on the covers that are drawn for a client.
#[derive(Debug, Clone)]
pub struct CoverLimit(pub(super) Arc<Limiters>);

impl CoverLimit {
    /// Counts a drawing for a client, whose address is not always known.
    pub fn count(&self, client: Option<IpAddr>) -> Result<(), Error> {
        let client = client.map(subscriber);
        client.map_or(Ok(()), |client| count(self.0.covers.as_ref(), &client))
    }
}

/// The limit on private links and check-in codes that nobody has. Known ones do not count.
#[derive(Debug, Clone)]
pub struct LinkLimit(pub(super) Arc<Limiters>);

impl LinkLimit {
    /// What a private link or a code leads to. A client may try only so many that nobody has.
    pub(crate) async fn looked_up<A>(
        &self,
        client: Option<IpAddr>,
        look_up: impl Future<Output = Result<A, Error>>,
    ) -> Result<A, Error> {
        self.check(client)?;
        let found = look_up.await;
        if matches!(found, Err(Error::NotFound { .. })) {
            self.count(client);
        }
        found
    }

    /// Refuses a client, whose address is not always known, that tried too many. Counts nothing.
    pub fn check(&self, client: Option<IpAddr>) -> Result<(), Error> {
        let (Some(limiter), Some(client)) = (&self.0.unknown_links, client) else {
            return Ok(());
        };
        let checked = limiter.check(&subscriber(client), NonZeroU32::MIN);
        checked.map_err(exceeded)
    }

    /// Counts an unknown one for a client.
    pub fn count(&self, client: Option<IpAddr>) {
        if let Some(client) = client.map(subscriber) {
            // What exceeds the limit was under way with those before.
            let _ = count(self.0.unknown_links.as_ref(), &client);
        }
    }
}

/// The rate limiters.
#[derive(Debug)]
pub(super) struct Limiters {
    address: Option<Limiter<IpAddr>>,
    site: Option<Limiter<Site>>,
    event: Option<Limiter<String>>,
    covers: Option<Limiter<IpAddr>>,
    unknown_links: Option<Limiter<IpAddr>>,
    authorizations: Option<Limiter<PersonId>>,
    refused_tokens: Option<Limiter<IpAddr>>,
    pings: Option<Limiter<AccountId>>,
    reads: Option<Limiter<AccountId>>,
    writes: Option<Limiter<AccountId>>,
}

impl Limiters {
    pub(super) fn new(settings: LimitSettings, clock: &Clock) -> Self {
        Self {
            address: Limiter::new("address", settings.per_address, clock),
            site: Limiter::new(
                "address",
                settings.per_address.times(LimitSettings::NETWORKS_PER_SITE),
                clock,
            ),
            event: Limiter::new("event", settings.per_event, clock),
            covers: Limiter::new("covers", settings.covers, clock),
            unknown_links: Limiter::new(
                "unknown-links",
                Limit::new(UNKNOWN_LINKS, Period::Minute),
                clock,
            ),
            authorizations: Limiter::new(
                "authorizations",
                Limit::new(AUTHORIZATIONS, Period::Minute),
                clock,
            ),
            refused_tokens: Limiter::new(
                "refused-tokens",
                Limit::new(REFUSED_TOKENS, Period::Minute),
                clock,
            ),
            pings: Limiter::new("pings", Limit::new(PINGS, Period::Minute), clock),
            reads: Limiter::new("account-reads", settings.account_reads, clock),
            writes: Limiter::new("account-writes", settings.account_writes, clock),
        }
    }

    /// Counts a request of a client, whose address is not always known.
    pub(super) fn count_address(&self, client: Option<IpAddr>) -> Result<Option<Allowance>, Error> {
        let (Some(limiter), Some(client)) = (&self.address, client) else {
            return Ok(None);
        };
        let refused = |wait| Error::RateLimited {
            wait,
            allowance: Some(limiter.allowance(0, wait)),
        };
        let allowance = limiter.count(&subscriber(client)).map_err(refused)?;
        // What a client is refused takes nothing from the others of its site.
        if let (Some(limiter), Some(site)) = (&self.site, site(client)) {
            limiter.count(&site).map_err(refused)?;
        }
        Ok(Some(allowance))
    }

    /// Counts an authorization that a person begins.
    pub(super) fn count_authorization(&self, person: PersonId) -> Result<(), Error> {
        count(self.authorizations.as_ref(), &person)
    }

    /// Counts a ping of an account.
    pub(super) fn count_ping(&self, account: AccountId) -> Result<(), Error> {
        count(self.pings.as_ref(), &account)
    }

    /// Refuses a client, whose address is not always known, to whom too many tokens were refused. Counts nothing.
    pub(super) fn check_refused_tokens(&self, client: Option<IpAddr>) -> Result<(), Error> {
        let (Some(limiter), Some(client)) = (&self.refused_tokens, client) else {
            return Ok(());
        };
        let checked = limiter.check(&subscriber(client), NonZeroU32::MIN);
        checked.map_err(exceeded)
    }

    /// Counts a refused token for a client.
    pub(super) fn count_refused_token(&self, client: Option<IpAddr>) {
        if let Some(client) = client.map(subscriber) {
            // What exceeds the limit was under way with those before.
            let _ = count(self.refused_tokens.as_ref(), &client);
        }
    }

    /// Counts a registration for an event.
    pub(super) fn count_event(&self, slug: &str) -> Result<(), Error> {
        count(self.event.as_ref(), &slug.to_owned())
    }
}

fn count<K: Hash + Eq + Clone>(limiter: Option<&Limiter<K>>, key: &K) -> Result<(), Error> {
    let Some(limiter) = limiter else {
        return Ok(());
    };
    limiter.count(key).map(|_allowance| ()).map_err(exceeded)
}

/// The allowance would reveal requests of others, so the error only says when to try again.
pub(super) const fn exceeded(wait: Duration) -> Error {
    Error::RateLimited {
        wait,
        allowance: None,
    }
}

/// The first 48 bits of an IPv6 address: one site of a provider's customer, which has 65,536 networks.
type Site = [u16; 3];

fn site(address: IpAddr) -> Option<Site> {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            Some([a, b, c])
        }
        IpAddr::V4(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use domain::instant::Instant;

    use super::*;

    fn limiters(clock: &Clock) -> Limiters {
        let settings = LimitSettings {
            per_address: Limit::new(2, Period::Minute),
            covers: Limit::new(1, Period::Hour),
            ..LimitSettings::OFF
        };
        Limiters::new(settings, clock)
    }

    #[test]
    fn an_address_has_so_many_in_a_window_and_is_told_what_is_left() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        let client = "192.0.2.1".parse().ok();
        let left = |remaining| Allowance {
            name: "address",
            quota: 2,
            window_seconds: 60,
            remaining,
            reset_seconds: 30,
        };
        assert_eq!(limiters.count_address(client).unwrap(), Some(left(1)));
        assert_eq!(limiters.count_address(client).unwrap(), Some(left(0)));
        let refused = limiters.count_address(client);
        let Err(Error::RateLimited { wait, allowance }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((wait.as_secs(), allowance), (30, Some(left(0))));
        let other = "192.0.2.2".parse().ok();
        assert!(limiters.count_address(other).is_ok());
        assert!(limiters.count_address(None).unwrap().is_none());
        clock.advance_seconds(30);
        assert!(limiters.count_address(client).is_ok());
    }

    #[test]
    fn the_addresses_of_one_subscriber_count_together() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"] {
            assert!(limiters.count_address(address.parse().ok()).is_ok());
        }
        let next = "2001:db8:1:2::7".parse().ok();
        assert!(limiters.count_address(next).is_err());
        let other = "2001:db8:1:3::1".parse().ok();
        assert!(limiters.count_address(other).is_ok());
    }

    #[test]
    fn a_site_has_as_many_as_ten_of_its_networks() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        let ask = |site: u16, network: u16| {
            let address = Ipv6Addr::new(0x2001, 0xdb8, site, network, 0, 0, 0, 1);
            limiters.count_address(Some(address.into())).is_ok()
        };
        let allowed = (0..100).filter(|network| ask(1, *network)).count();
        assert_eq!(allowed, 20);
        // What one network is refused is not counted for its site.
        let allowed = (0..100).filter(|_| ask(2, 0)).count();
        assert_eq!(allowed, 2);
        assert!((1..10).all(|network| ask(2, network)));
        let clients = (0..=255).map(|last| IpAddr::from([192, 0, 2, last]));
        assert_eq!(
            clients
                .filter(|client| limiters.count_address(Some(*client)).is_ok())
                .count(),
            256
        );
    }

    #[test]
    fn what_is_forgotten_would_be_allowed_anyway() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        let known = || limiters.covers.as_ref().unwrap().states.len();
        let client = |last| IpAddr::from([192, 0, 2, last]);
        let draw = |last| count(limiters.covers.as_ref(), &client(last)).is_ok();
        assert!(draw(1) && !draw(1));
        clock.advance_seconds(120);
        assert!(draw(2) && !draw(1));
        assert_eq!(known(), 2);
        clock.advance_seconds(2 * 3_600);
        assert!(draw(3));
        assert_eq!(known(), 1);
        assert!(draw(1));
        for _ in 0..100 {
            limiters.count_event("meetup").unwrap();
        }
    }

    #[test]
    fn looking_counts_nothing() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        let client = "192.0.2.1".parse().ok();
        let may_try = || limiters.check_refused_tokens(client).is_ok();
        for _ in 0..2 * REFUSED_TOKENS {
            assert!(may_try());
        }
        for _ in 0..REFUSED_TOKENS {
            limiters.count_refused_token(client);
        }
        assert!(!may_try());
        limiters.count_refused_token(client);
        clock.advance_seconds(1);
        assert!(may_try(), "a refused one does not count");
    }
}
