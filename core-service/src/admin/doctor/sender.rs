//! What DNS says of the sender of mails. Mailboxes refuse mails, or take them for spam, whose sender it does not confirm.

use std::net::{IpAddr, SocketAddr};

use super::{
    dns::{Dns, Texts, Unreachable},
    finding::Finding,
};
use crate::{email::Mailer, settings::MailSettings};

/// What the findings are called.
const SPF: &str = "SPF";
const DKIM: &str = "DKIM";
const DMARC: &str = "DMARC";
const REVERSE: &str = "reverse DNS";

/// A failed look-up is no error of the installation: this machine may have no DNS, while the mail server has.
const UNKNOWN: &str = "DNS does not answer here, so this could not be checked";

/// The outcome of one check: what is fine, or what is missing.
type Checked = Result<Result<String, String>, Unreachable>;

/// Checks the sender, if a mail server sends and the sender is known on the Internet.
pub(super) async fn confirmed(
    settings: &MailSettings,
    mailer: &Mailer,
    name_server: Option<SocketAddr>,
) -> Vec<Finding> {
    let Some(server) = &settings.smtp_url else {
        return Vec::new();
    };
    let Some((_, domain)) = mailer.sender().address().rsplit_once('@') else {
        return Vec::new();
    };
    // `localhost`, and names of a local network.
    if !domain.contains('.') {
        return Vec::new();
    }
    let Ok(dns) = Dns::new(name_server) else {
        return vec![Finding::note(SPF, UNKNOWN.to_owned())];
    };
    let envelope = mailer.envelope_domain();
    vec![
        finding(SPF, spf(&dns, envelope).await),
        finding(DKIM, dkim(&dns, domain).await),
        finding(DMARC, dmarc(&dns, domain, envelope).await),
        finding(REVERSE, reverse(&dns, server.host()).await),
    ]
}

fn finding(name: &'static str, checked: Checked) -> Finding {
    match checked {
        Ok(Ok(fine)) => Finding::new(name, Ok(fine)),
        Ok(Err(missing)) => Finding::note(name, missing),
        Err(Unreachable) => Finding::note(name, UNKNOWN.to_owned()),
    }
}

/// Which servers may send for the domain in the envelope (RFC 7208).
async fn spf(dns: &Dns, domain: &str) -> Checked {
    let texts = dns.texts(domain).await?;
    let mut records = texts.beginning("v=spf1");
    records.retain(|record| record.len() == 6 || record.as_bytes().get(6) == Some(&b' '));
    Ok(match *records {
        [] => Err(format!(
            "{domain} does not say which servers send its emails: add a TXT record there that names yours, for example \
             \"v=spf1 mx -all\", or what your mail provider tells you"
        )),
        [record] if allows_all(record) => Err(format!(
            "{domain} lets every server send its emails ({record}): replace +all by -all after the servers that do"
        )),
        [record] if !ends(record) => Err(format!(
            "{domain} does not forbid other servers to send its emails ({record}): end the record with -all or ~all"
        )),
        [record] => Ok(format!(
            "{domain} says which servers send its emails: {record}"
        )),
        _ => Err(format!(
            "{domain} has {} SPF records, so none of them counts: merge them into one",
            records.len()
        )),
    })
}

fn allows_all(record: &str) -> bool {
    let mut terms = record.split_whitespace();
    terms.any(|term| term.eq_ignore_ascii_case("+all") || term.eq_ignore_ascii_case("all"))
}

fn ends(record: &str) -> bool {
    record.split_whitespace().any(|term| {
        let term = term.to_ascii_lowercase();
        matches!(&*term, "-all" | "~all" | "?all") || term.starts_with("redirect=")
    })
}

/// Whether there are keys by which mails of the domain are signed (RFC 6376). Under which name is known to the signing server only, but
/// something must be below `_domainkey`.
async fn dkim(dns: &Dns, domain: &str) -> Checked {
    Ok(match dns.texts(&format!("_domainkey.{domain}")).await? {
        Texts::Some(_) => Ok(format!(
            "there are keys below _domainkey.{domain}; the header of a test email says whether emails are signed: dkim=pass"
        )),
        Texts::Nothing => Err(format!(
            "there are no keys below _domainkey.{domain}: let your mail server sign emails as {domain}, and publish its key there"
        )),
    })
}

/// What receivers are to do with mails that nothing confirms (RFC 7489). A parent domain may say it, too.
async fn dmarc(dns: &Dns, domain: &str, envelope: &str) -> Checked {
    let mut name = domain;
    loop {
        let texts = dns.texts(&format!("_dmarc.{name}")).await?;
        if let Some(record) = texts.beginning("v=DMARC1").first() {
            if !is_related(domain, envelope) {
                return Ok(Err(format!(
                    "{name} has a policy ({record}), but bounces go to {envelope}, so that SPF does not confirm emails of \
                     {domain}: sign them as {domain} (DKIM), or choose a --bounce-address of its domain"
                )));
            }
            return Ok(Ok(format!("{name} has a policy: {record}")));
        }
        match name.split_once('.') {
            Some((_, parent)) if parent.contains('.') => name = parent,
            _ => break,
        }
    }
    Ok(Err(format!(
        "{domain} has no policy, and large providers accept fewer emails from such senders: add a TXT record at _dmarc.{domain}, for \
         example \"v=DMARC1; p=none; rua=mailto:postmaster@{domain}\""
    )))
}

/// Whether one of two domains is below the other, or is the same.
fn is_related(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_ascii_lowercase(), other.to_ascii_lowercase());
    let is_below = |lower: &str, upper: &str| {
        lower
            .strip_suffix(upper)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    is_below(&one, &other) || is_below(&other, &one)
}

/// Whether the address of the mail server has a name that leads back to it. Receivers ask that of the server that sends to them; behind a
/// provider's server that is another one, of which the provider takes care.
async fn reverse(dns: &Dns, host: &str) -> Checked {
    let addresses = dns.addresses(host).await?;
    let public: Vec<IpAddr> = addresses.into_iter().filter(is_public).collect();
    if public.is_empty() {
        return Ok(Ok(format!(
            "{host} has no public address; check the one from which it sends"
        )));
    }
    for address in &public {
        let names = dns.names(*address).await?;
        let mut is_confirmed = false;
        for name in &names {
            is_confirmed |= dns.addresses(name).await?.contains(address);
        }
        if names.is_empty() {
            return Ok(Err(format!(
                "{address}, the address of {host}, has no name: let its provider set one (a PTR record), if it sends mails itself"
            )));
        }
        if !is_confirmed {
            return Ok(Err(format!(
                "{address}, the address of {host}, is called {}, which does not lead back to it: correct one of the records",
                names.join(" and ")
            )));
        }
    }
    Ok(Ok(format!(
        "the addresses of {host} have names that lead back to them"
    )))
}

const fn is_public(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified())
        }
        IpAddr::V6(address) => {
            !(address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_related_to_those_above_and_below_it() {
        assert!(is_related("example.org", "Example.org"));
        assert!(is_related("example.org", "bounces.example.org"));
        assert!(is_related("events.example.org", "example.org"));
        assert!(!is_related("example.org", "badexample.org"));
        assert!(!is_related("example.org", "example.com"));
    }

    #[test]
    fn a_record_that_lets_everyone_send_is_known() {
        assert!(allows_all("v=spf1 +all"));
        assert!(allows_all("v=spf1 mx all"));
        assert!(!allows_all("v=spf1 mx ~all"));
        assert!(ends("v=spf1 redirect=_spf.example.org"));
        assert!(!ends("v=spf1 mx"));
    }
}
