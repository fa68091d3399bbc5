//! Where a database is: on one server, or on one of several, of which core uses the one that takes writes.

use std::{
    collections::VecDeque,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sqlx::{ConnectOptions as _, PgConnection, Row as _, postgres::PgConnectOptions};
use tokio::{task::JoinSet, time::sleep};

/// How long one server is waited for before the next one is asked as well: one that is cut off does not answer at all.
const HEAD_START: Duration = Duration::from_millis(150);

/// Servers in one URL. Clusters have three or five; each is asked while there is no primary.
const MAX_SERVERS: usize = 16;

/// What libpq has for several servers. It is read here, since sqlx knows nothing of it.
const ATTRIBUTES: &str = "target_session_attrs";

/// Values of [`ATTRIBUTES`] that say nothing but that core uses the server that takes writes.
const ACCEPTED: [&str; 3] = ["any", "read-write", "primary"];

/// The parameters of a URL that sqlx has a use for.
const PARAMETERS: [&str; 18] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

const UNREADABLE: &str = "cannot be read: write postgres://user:password@host:5432/database, or several hosts with commas between them: \
                          @one:5432,two:5432/";

const UNESCAPED: &str = "has a /, ?, # or @ where none can be: percent-encode it in the user, the password and the parameters, for example / as %2F \
                         and # as %23";

/// The servers of a database.
#[derive(Debug, Clone)]
pub(crate) struct Servers {
    all: Vec<PgConnectOptions>,
    /// The one that took writes last.
    last: Arc<AtomicUsize>,
    /// Whether the host may have been forgotten, so that what stands in its place is a user and a password.
    may_be_login: bool,
}

impl Servers {
    /// Reads `postgres://user:password@one:5432,two:5433/database?parameters`.
    ///
    /// # Errors
    /// What is valid. No part of the URL, which may have a password.
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let unreadable = || UNREADABLE.to_owned();
        let (scheme, rest) = url.split_once("://").ok_or_else(unreadable)?;
        if !["postgres", "postgresql"].contains(&scheme) {
            return Err("must begin with sqlite:// or postgres://".to_owned());
        }
        // Else a part of a password is a host, a port or a database, which messages name.
        let is_cut = rest
            .split_once(['/', '?'])
            .is_some_and(|(_, after)| after.contains('@'));
        if is_cut || rest.contains('#') {
            return Err(UNESCAPED.to_owned());
        }
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let parameters = checked(parameters)?;
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (login, hosts) = match authority.rsplit_once('@') {
            Some((login, hosts)) => (format!("{login}@"), hosts),
            None => (String::new(), authority),
        };
        let options = hosts.split(',').map(|host| {
            let url = format!("{scheme}://{login}{host}/{database}?{parameters}");
            let options = PgConnectOptions::from_str(&url).map_err(|_| unreadable())?;
            let options = options.application_name("muster");
            // Poolers such as PgBouncer refuse it, and nothing here is a floating-point number.
            Ok(options.extra_float_digits(None))
        });
        let all: Vec<_> = options.collect::<Result<_, String>>()?;
        let is_one_empty = all.len() > 1 && hosts.split(',').any(str::is_empty);
        if is_one_empty || all.len() > MAX_SERVERS {
            return Err(unreadable());
        }
        Ok(Self {
            all,
            last: Arc::default(),
            may_be_login: login.is_empty() && hosts.contains(':') && !hosts.starts_with('['),
        })
    }

    /// A connection to the server that takes writes; none if those that answered do not.
    pub(crate) async fn connect(&self) -> Result<Option<PgConnection>, sqlx::Error> {
        if let [only] = &self.all[..] {
            return connect_to(only).await;
        }
        let mut waiting: VecDeque<_> = self.all.iter().enumerate().collect();
        waiting.rotate_left(self.last.load(Ordering::Relaxed).min(self.all.len()));
        let mut asked = JoinSet::new();
        // One that answered counts more than one that did not: it may be the next primary.
        let mut outcome = None;
        loop {
            if let Some((number, server)) = waiting.pop_front() {
                let server = server.clone();
                asked.spawn(async move { (number, connect_to(&server).await) });
            }
            let answer = tokio::select! {
                answer = asked.join_next() => answer,
                () = sleep(HEAD_START), if !waiting.is_empty() => continue,
            };
            match answer {
                Some(Ok((number, Ok(Some(connection))))) => {
                    self.last.store(number, Ordering::Relaxed);
                    return Ok(Some(connection));
                }
                Some(Ok((_, Ok(None)))) => outcome = Some(Ok(None)),
                Some(Ok((_, Err(error)))) => outcome = outcome.or(Some(Err(error))),
                Some(Err(_panicked)) => {}
                None => return outcome.unwrap_or(Ok(None)),
            }
        }
    }

    /// The place without login and parameters, for messages. Nothing that may be a password is in it.
    pub(super) fn shown(&self) -> String {
        if self.may_be_login {
            let first = self.all.first().map(PgConnectOptions::get_host);
            return format!("postgres://{}:…", first.unwrap_or_default());
        }
        let hosts = self
            .all
            .iter()
            .map(|one| format!("{}:{}", one.get_host(), one.get_port()));
        let hosts: Vec<String> = hosts.collect();
        let database = self.all.first().and_then(PgConnectOptions::get_database);
        format!(
            "postgres://{}/{}",
            hosts.join(","),
            database.unwrap_or_default()
        )
    }
}

async fn connect_to(server: &PgConnectOptions) -> Result<Option<PgConnection>, sqlx::Error> {
    let mut connection = server.connect().await?;
    let is_primary = takes_writes(&mut connection).await?;
    Ok(is_primary.then_some(connection))
}

/// The parameters that sqlx has a use for. It would log the values of others, which may be secrets.
fn checked(parameters: &str) -> Result<String, String> {
    let mut kept = Vec::new();
    for parameter in parameters.split('&').filter(|one| !one.is_empty()) {
        match parameter.split_once('=') {
            Some((ATTRIBUTES, value)) if ACCEPTED.contains(&value) => {}
            Some((ATTRIBUTES, _)) => {
                return Err(format!(
                    "has another {ATTRIBUTES} than read-write: core uses the server that takes writes; leave it out"
                ));
            }
            Some(("host" | "hostaddr" | "port", value)) if names_several(value) => {
                let text = "names several hosts in a parameter: name them before the database, as in \
                     postgres://one:5432,two:5432/database";
                return Err(text.to_owned());
            }
            Some((name, _)) if is_parameter(name) => kept.push(parameter),
            _ => tracing::warn!(
                parameter = parameter.split('=').next(),
                "a parameter of the database URL is ignored"
            ),
        }
    }
    Ok(kept.join("&"))
}

fn is_parameter(name: &str) -> bool {
    PARAMETERS.contains(&name) || name.starts_with("options[")
}

fn names_several(value: &str) -> bool {
    value.contains(',') || value.to_ascii_lowercase().contains("%2c")
}

/// Returns whether a server is the primary, or any other one that is not told to read only. The statement is not prepared: behind a
/// pooler, what is prepared without a name may be gone when it is used.
pub(super) async fn takes_writes(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let row = sqlx::raw_sql("SELECT current_setting('transaction_read_only') AS read_only");
    let row = row.fetch_one(connection).await?;
    Ok(row.try_get::<&str, _>("read_only")? == "off")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(url: &str) -> Vec<(String, u16)> {
        let servers = Servers::parse(url).unwrap();
        let all = servers.all.iter();
        all.map(|one| (one.get_host().to_owned(), one.get_port()))
            .collect()
    }

    #[test]
    fn hosts_have_commas_between_them_and_share_the_rest() {
        let place = |host: &str, port| (host.to_owned(), port);
        for scheme in ["postgres", "postgresql"] {
            let url = format!(
                "{scheme}://ada:a%2Cb,c@one:5433,two,[::1]:5434/muster?target_session_attrs=read-write&sslmode=disable"
            );
            let all = [place("one", 5433), place("two", 5432), place("[::1]", 5434)];
            assert_eq!(addresses(&url), all);
            let servers = Servers::parse(&url).unwrap();
            for one in &servers.all {
                assert_eq!(one.get_username(), "ada");
                assert_eq!(one.get_database(), Some("muster"));
            }
            assert!(!servers.shown().contains("ada"), "{}", servers.shown());
        }
        assert_eq!(addresses("postgres://one/muster"), [place("one", 5432)]);
        assert_eq!(
            addresses("postgres://one/muster?target_session_attrs=primary"),
            [place("one", 5432)]
        );
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_way_to_write_it() {
        for (url, cure) in [
            ("postgres://one,/muster", "@one:5432,two:5432/"),
            ("postgres://,two/muster", "@one:5432,two:5432/"),
            ("postgres://one:port/muster", "@one:5432,two:5432/"),
            (
                "postgres:///muster?host=one,two",
                "postgres://one:5432,two:5432/database",
            ),
            (
                "postgres://one,two/muster?target_session_attrs=standby",
                "leave it out",
            ),
            (
                "postgres://one/muster?port=5432%2C5433",
                "postgres://one:5432,two:5432/database",
            ),
        ] {
            let text = Servers::parse(url).unwrap_err();
            assert!(text.contains(cure), "{url}: {text}");
        }
    }

    #[test]
    fn no_part_of_a_password_is_shown_however_wrong_the_url_is() {
        for url in [
            "postgres://ada:12/3secret@one/muster",
            "postgres://ada:12?secret@one/muster",
            "postgres://ada:12#secret@one/muster",
            "postgres://ada:1@2/secret@one/muster",
            "postgres://ada:a@b#secret",
            "postgres://ada:secret@one:port/muster",
            "postgres://one/muster?target_session_attrs=secret",
        ] {
            let text = Servers::parse(url).unwrap_err();
            assert!(!text.contains("secret"), "{url}: {text}");
        }
        let cut = Servers::parse("postgres://ada:12/34@one/muster").unwrap_err();
        assert!(cut.contains("percent-encode it"), "{cut}");
        for (forgotten, shown) in [
            ("postgres://ada:12345/muster", "postgres://ada:…"),
            ("postgres://ada:12345/secret", "postgres://ada:…"),
            ("postgres://ada:12345,678/secret", "postgres://ada:…"),
            (
                "postgres://[::1]:5433/muster",
                "postgres://[::1]:5433/muster",
            ),
            ("postgres://one/muster", "postgres://one:5432/muster"),
        ] {
            assert_eq!(Servers::parse(forgotten).unwrap().shown(), shown);
        }
        let fine = "postgres://ada:12%2F34%23@one/muster?password=secret";
        assert_eq!(
            Servers::parse(fine).unwrap().shown(),
            "postgres://one:5432/muster"
        );
    }
}
