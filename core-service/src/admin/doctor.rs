//! `doctor`: finds errors of an installation and says how to repair them.

mod dns;
mod finding;
mod keys;
mod mail;
mod place;
mod sender;

use std::{net::SocketAddr, sync::Arc};

use clap::Args;
use domain::{
    clock::Clock, date_time::EventTime, email::Email, entropy::Entropy, instant::Instant,
    zone::Zone,
};
use seal::SecretKeys;
use server::{command_line, exposure::Exposure};
use storage::Store;

use self::finding::{Finding, report};
use super::{Format, Output};
use crate::settings::{DataSettings, MailSettings};

/// Muster did not exist before this (2026-01-01): an earlier clock was never set.
const EARLIEST: Instant = Instant::from_micros(1_767_225_600_000_000);

/// A clock beyond this (2100-01-01) was set wrong.
const LATEST: Instant = Instant::from_micros(4_102_444_800_000_000);

/// The largest difference between this machine's clock and the database server's. Leases of jobs are longer than a minute; keys
/// are revoked within seconds.
const SKEW_SECONDS: i64 = 5;

/// Years after which zone data is certainly out of date: governments change zones several times a year.
const ZONE_DATA_YEARS: i64 = 3;

/// The arguments of `doctor`.
#[derive(Debug, Clone, Args)]
pub struct DoctorCommand {
    /// Also send a test email to this address. Without it, `doctor` only connects to the mail server
    #[arg(long, value_name = "ADDRESS")]
    mail_to: Option<Email>,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
    /// What of the installation others can reach.
    #[arg(skip)]
    pub(super) exposure: Exposure,
    /// The keys that seal secrets, if they are set.
    #[arg(skip)]
    pub(super) keys: Option<Arc<SecretKeys>>,
    /// The name server to ask instead of that of the machine.
    #[arg(skip)]
    pub(super) name_server: Option<SocketAddr>,
}

impl DoctorCommand {
    /// Checks everything that Muster depends on. It changes nothing and creates no database.
    pub(super) async fn examine(
        &self,
        data: &DataSettings,
        mail: &MailSettings,
        clock: &Clock,
        entropy: &Entropy,
    ) -> Output {
        let now = clock.now();
        let mut findings = vec![
            Finding::new("clock", clock_is_set(now)),
            Finding::new("time zones", zones_are_known(now)),
            Finding::new("data folder", place::data_folder_is_writable(data)),
        ];
        match place::reach_database(data).await {
            Ok(store) => {
                findings.push(Finding::new("database", Ok("answers".to_owned())));
                if data.database_pooler {
                    findings.push(Finding::new("database role", role_is_set(&store).await));
                }
                findings.extend(self.look_into(&store, data, clock).await);
                store.close().await;
            }
            Err(problem) => findings.push(Finding::new("database", Err(problem))),
        }
        let to = self.mail_to.as_ref();
        findings.push(mail::goes_out(data, mail, to, now, entropy).await);
        if let Ok(mailer) = mail.mailer(data) {
            findings.extend(sender::confirmed(mail, &mailer, self.name_server).await);
        }
        findings.extend(self.exposed().await);
        report(&findings)
    }
}

impl DoctorCommand {
    /// The checks that need a working database.
    async fn look_into(&self, store: &Store, data: &DataSettings, clock: &Clock) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some(compared) = clocks_agree(store, clock).await {
            findings.push(Finding::new("database clock", compared));
        }
        match store.require_schema().await {
            Ok(()) => {
                let now = clock.now();
                findings.push(Finding::new("schema", Ok("up to date".to_owned())));
                findings.push(mail::queue(store).await);
                findings.push(clocks_are_followed(store, now).await);
                let keys = self.keys.as_deref();
                findings.push(keys::open_secrets(store, keys, &data.data_dir, now).await);
            }
            Err(error) => findings.push(Finding::new("schema", Err(error.to_string()))),
        }
        findings
    }

    /// What others can reach that they should not, or cannot reach that they should. A network may make up for it, so it is no error.
    async fn exposed(&self) -> Vec<Finding> {
        let warnings = self.exposure.warnings().into_iter();
        let warnings = warnings.chain(self.exposure.unanswered().await);
        let notes: Vec<_> = warnings
            .map(|warning| Finding::note("exposure", warning))
            .collect();
        if notes.is_empty() {
            let fine = "what others can reach is as it should be".to_owned();
            return vec![Finding::new("exposure", Ok(fine))];
        }
        notes
    }
}

fn clock_is_set(now: Instant) -> Result<String, String> {
    if (EARLIEST..LATEST).contains(&now) {
        return Ok(format!("shows {}", now.to_the_second()));
    }
    Err(format!(
        "shows {now}; set this machine's clock, or synchronize it with a time server"
    ))
}

/// Behind a pooler, the role has what core sets elsewhere.
async fn role_is_set(store: &Store) -> Result<String, String> {
    let lacking = store.lacking_settings().await;
    let lacking = lacking.map_err(|error| error.to_string())?;
    if lacking.is_empty() {
        return Ok("has the settings for a pooler".to_owned());
    }
    Err(format!(
        "lacks settings for a pooler: {}",
        lacking.join(" ")
    ))
}

/// Compares this clock with the database server's, if there is a server: cores on several machines share it.
async fn clocks_agree(store: &Store, clock: &Clock) -> Option<Result<String, String>> {
    let before = clock.now();
    let server = match store.server_time().await {
        Ok(server) => server?,
        Err(error) => return Some(Err(error.to_string())),
    };
    let after = clock.now();
    let off = (before.micros() - server.micros()).max(server.micros() - after.micros());
    let seconds = off.max(0) / 1_000_000;
    if seconds < SKEW_SECONDS {
        return Some(Ok("agrees with this machine's".to_owned()));
    }
    Some(Err(format!(
        "shows {}, {seconds} s off this machine's; synchronize both with a time server",
        server.to_the_second()
    )))
}

/// Events whose moments an older release of the time zone data made.
async fn clocks_are_followed(store: &Store, now: Instant) -> Finding {
    const NAME: &str = "event clocks";
    let release = Zone::release();
    match store.count_events_of_older_zones(release, now).await {
        Ok(0) => Finding::new(NAME, Ok(format!("follow time zone data {release}"))),
        Ok(count) => {
            let command = command_line("event clocks --dry-run");
            let text = format!(
                "events that follow older time zone data than {release}: {count}. Maintenance looks at them; see what changes with: {command}"
            );
            Finding::note(NAME, text)
        }
        Err(error) => Finding::new(NAME, Err(error.to_string())),
    }
}

/// Checks a summer and a winter date, to find wrong data, and the data's age.
fn zones_are_known(now: Instant) -> Result<String, String> {
    let shown = |month: i8| {
        let zone = Zone::find("America/New_York").ok()?;
        let noon = jiff::civil::date(2030, month, 1).at(12, 0, 0, 0);
        let time = EventTime::of_wall_time(noon, &zone).ok()?;
        Some(time.rfc3339())
    };
    let expected = ["2030-01-01T12:00:00-05:00", "2030-07-01T12:00:00-04:00"];
    if [1, 7].map(shown) != expected.map(|text| Some(text.to_owned())) {
        let wrong = "the time zone data in this binary is wrong; install a newer release";
        return Err(wrong.to_owned());
    }
    let version = Zone::release();
    let year = version.get(..4).and_then(|year| year.parse::<i64>().ok());
    let Some(years) = year.map(|year| i64::from(now.to_utc().year()) - year) else {
        return Ok("time zone data of unknown age".to_owned());
    };
    if years > ZONE_DATA_YEARS {
        return Err(format!(
            "the time zone data {version} in this binary is {years} years old; install a newer release"
        ));
    }
    let age = match years {
        ..=0 => "of this year".to_owned(),
        1 => "of last year".to_owned(),
        _ => format!("{years} years old"),
    };
    Ok(format!("time zone data {version}, {age}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR_2027: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn a_clock_that_was_never_set_is_noticed() {
        assert!(clock_is_set(Instant::from_micros(0)).is_err());
        assert!(clock_is_set(EARLIEST).is_ok());
        assert!(clock_is_set(LATEST).is_err());
    }

    #[test]
    fn the_bundled_zone_data_is_right_until_it_is_old() {
        let found = zones_are_known(YEAR_2027).unwrap();
        assert!(found.starts_with("time zone data 20"), "{found}");
        let old = zones_are_known(LATEST).unwrap_err();
        assert!(old.contains("years old; install"), "{old}");
    }
}
