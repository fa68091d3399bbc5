//! Settings of core, in `core-service` and in `muster`.

mod oauth;
mod people;
mod webhooks;

use std::{
    fs::DirBuilder,
    path::{Path, PathBuf},
    time::Duration,
};

use covers::stock::{Provider, Stock, StockSettings};
use domain::{
    plan::{InvalidQuotas, NEW_ACCOUNT_MAILS, Plans, Quotas},
    rate::{Limit, LimitSettings, MailboxLimits},
    retention::Retention,
    zone::Zone,
};
use secrecy::SecretString;
use server::{Failure, brand::Brand, command_line, cors::CorsSettings, serve::Address};
use sha2::{Digest as _, Sha256};

use crate::{
    email::{BounceAddress, Mailer, Sender, SmtpUrl},
    grpc::{edges::EdgeTokens, port::TlsSettings},
    service::SharedSecrets,
};

pub use oauth::OAuthArgs;
pub use people::{PeopleArgs, WhoSignsUp, WhoWrites};
pub(crate) use webhooks::KEY_FILE;
pub use webhooks::WebhookArgs;

/// Settings of the database and the data folder.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Data")]
pub struct DataSettings {
    /// Database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`; with several hosts, separated by commas, the one that takes
    /// writes is used. `MUSTER_DATABASE_URL_FILE` names a file with the URL [default: `sqlite://<data-dir>/muster.db`]
    #[arg(
        long,
        env = "MUSTER_DATABASE_URL",
        value_name = "URL",
        value_parser = database_url,
        hide_env_values = true,
        global = true
    )]
    pub database_url: Option<String>,
    /// Folder for the SQLite file, the demo key and, if no mail server is set, the emails
    #[arg(
        long,
        env = "MUSTER_DATA_DIR",
        value_name = "DIR",
        default_value = "./data",
        global = true
    )]
    pub data_dir: PathBuf,
    /// Maximum number of connections to PostgreSQL
    #[arg(long, env = "MUSTER_DATABASE_CONNECTIONS", value_name = "N", global = true,
        default_value_t = storage::Options::DEFAULT_POOL_SIZE, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub database_connections: u32,
    /// Whether the URL leads to a pooler in transaction mode, such as PgBouncer 1.21 or newer with `max_prepared_statements`: core then sets
    /// nothing for its sessions, and the role has the settings instead (docs/operations.md)
    #[arg(long, env = "MUSTER_DATABASE_POOLER", value_name = "BOOL", global = true, default_value_t = false, num_args = 0..=1,
        default_missing_value = "true", action = clap::ArgAction::Set)]
    pub database_pooler: bool,
    /// Seconds for which the start, and `migrate`, wait for a database server that cannot be reached yet; 0 does not wait
    #[arg(long, env = "MUSTER_DATABASE_WAIT_SECONDS", value_name = "SECONDS", global = true, default_value_t = 30,
        value_parser = clap::value_parser!(u16).range(0..=600))]
    pub database_wait_seconds: u16,
}

impl DataSettings {
    /// The options to open the database with. Creates the folder of a SQLite file.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn options(&self, purpose: storage::Purpose) -> Result<storage::Options, Failure> {
        let sqlite = self.sqlite_path();
        if let Some(folder) = sqlite.as_deref().and_then(Path::parent) {
            make_folder(folder)?;
        }
        Ok(storage::Options {
            pool_size: self.database_connections,
            is_pooled: self.database_pooler,
            migrate_command: command_line("migrate"),
            ..storage::Options::new(self.url(), purpose)
        })
    }

    /// How long the start waits for a database server. A file is there or not.
    pub fn database_wait(&self) -> Duration {
        match self.sqlite_path() {
            Some(_) => Duration::ZERO,
            None => Duration::from_secs(self.database_wait_seconds.into()),
        }
    }

    /// The path of the SQLite file; none on PostgreSQL.
    pub fn sqlite_path(&self) -> Option<PathBuf> {
        let url = self.url();
        let path = url.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        path.split('?').next().map(PathBuf::from)
    }

    /// The folder to which mails are written when no mail server is set.
    pub fn mail_folder(&self) -> PathBuf {
        self.data_dir.join("mail")
    }

    /// The file that stores the demo key. Each database has its own, so that a second one in the folder leaves the first one's
    /// key alone.
    pub fn demo_key_file(&self) -> PathBuf {
        let name = match &self.database_url {
            Some(url) if self.sqlite_path() != Some(self.default_path()) => {
                let place = url
                    .rsplit_once('@')
                    .map_or(url.as_str(), |(_, place)| place);
                // Four bytes of a hash tell the databases of one folder apart.
                let [a, b, c, d, ..]: [u8; 32] = Sha256::digest(place).into();
                let id = u32::from_be_bytes([a, b, c, d]);
                format!("demo-{id:08x}.key")
            }
            _ => "demo.key".to_owned(),
        };
        self.data_dir.join(name)
    }

    fn url(&self) -> String {
        let default = || format!("sqlite://{}", self.default_path().display());
        self.database_url.clone().unwrap_or_else(default)
    }

    fn default_path(&self) -> PathBuf {
        self.data_dir.join("muster.db")
    }
}

/// Makes the folder if there is none, for its owner only: it has names, addresses and keys. One that is there stays as it is.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        Failure::Environment(format!(
            "cannot create the folder {}: {error}; choose another with --data-dir",
            folder.display()
        ))
    })
}

fn database_url(text: &str) -> Result<String, String> {
    storage::Options::check(text)?;
    Ok(text.to_owned())
}

/// Settings of the mail server.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Mail")]
pub struct MailSettings {
    /// Mail server [default: none; emails are written as `.eml` files to `<data-dir>/mail`]
    ///
    /// `smtps://USER:PASSWORD@HOST` is encrypted from the start (port 465). `smtp://HOST` is a relay (port 25); STARTTLS is used if
    /// the server offers it. With a login, `smtp://USER:PASSWORD@HOST` (port 587), the server must offer STARTTLS with a valid
    /// certificate, unless it is on this machine. `?tls=required` always requires that, `?tls=off` never encrypts. Special
    /// characters in a password are percent-encoded.
    #[arg(
        long,
        env = "MUSTER_SMTP_URL",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub smtp_url: Option<SmtpUrl>,
    /// Additional certificate authority for the mail server's certificate (PEM)
    #[arg(long, env = "MUSTER_SMTP_CA", value_name = "FILE", global = true)]
    pub smtp_ca: Option<PathBuf>,
    /// Sender of emails; the site's name is shown with an address alone
    #[arg(
        long,
        env = "MUSTER_MAIL_FROM",
        value_name = "NAME <ADDRESS>",
        default_value = "events@localhost",
        global = true
    )]
    pub mail_from: Sender,
    /// Address to which servers report emails that they cannot deliver. In each email's envelope it has `+TOKEN` before its at sign, by
    /// which `muster mail bounce` recognizes the email (docs/operations.md) [default: that of the sender, without a token]
    #[arg(
        long,
        env = "MUSTER_BOUNCE_ADDRESS",
        value_name = "ADDRESS",
        global = true
    )]
    pub bounce_address: Option<BounceAddress>,
    /// The name and the colour of the site.
    #[command(flatten)]
    pub brand: Brand,
}

impl MailSettings {
    /// The mailer that these settings describe.
    ///
    /// # Errors
    /// When the authority's certificate cannot be used.
    pub fn mailer(&self, data: &DataSettings) -> Result<Mailer, Failure> {
        let mailer = self.plain_mailer(data)?;
        let mailer = mailer.with_bounces(self.bounce_address.clone());
        Ok(mailer.with_brand(self.brand.clone()))
    }

    fn plain_mailer(&self, data: &DataSettings) -> Result<Mailer, Failure> {
        let sender = self.mail_from.clone();
        let Some(url) = &self.smtp_url else {
            return Ok(Mailer::files(data.mail_folder(), sender));
        };
        let Some(path) = &self.smtp_ca else {
            return Ok(Mailer::smtp(url, sender));
        };
        let authority = std::fs::read(path).map_err(|error| {
            Failure::setting(format!("--smtp-ca cannot read {}: {error}", path.display()))
        })?;
        let url = url.clone().trusting(&authority);
        let url = url.map_err(|error| Failure::setting(format!("--smtp-ca {error}")))?;
        Ok(Mailer::smtp(&url, sender))
    }
}

/// Settings of the use cases.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Events")]
pub struct RuleSettings {
    /// Base of every URL in answers and emails [default: the HTTP address; `core-service` uses `http://127.0.0.1:8080`]
    #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = server::settings::public_url)]
    pub public_url: Option<String>,
    /// URL of the gRPC port as clients reach it, which the reference and guides show; `https://` says that it has TLS [default: port 50051 of
    /// the public URL; `muster` uses its gRPC address]
    #[arg(long, env = "MUSTER_GRPC_URL", value_name = "URL", value_parser = server::settings::public_url)]
    pub grpc_url: Option<String>,
    /// Default time zone of new events, as an IANA name; used when neither the request nor the account has one
    #[arg(long, env = "MUSTER_DEFAULT_TIMEZONE", value_name = "ZONE", default_value = "UTC", value_parser = zone)]
    pub default_timezone: Zone,
    /// Default of `confirm_by_email` for new events: whether people who register must confirm from the email that they get
    #[arg(long, env = "MUSTER_CONFIRM_BY_EMAIL", value_name = "BOOL", default_value_t = false, num_args = 0..=1,
          default_missing_value = "true", action = clap::ArgAction::Set)]
    pub confirm_by_email: bool,
    /// Maximum number of active events for each plan, as plan=number or plan=unlimited, separated by commas
    #[arg(long, env = "MUSTER_PLANS", value_name = "PLANS", default_value_t = Plans::DEFAULT.active_events, value_parser = active_events)]
    pub plans: Quotas,
    /// Maximum number of emails a day for each plan: messages to guests, emails about new times and places of events, and emails to people
    /// whom organizers add. Days begin at 00:00 UTC
    #[arg(long, env = "MUSTER_DAILY_MAILS", value_name = "PLANS", default_value_t = Plans::DEFAULT.daily_mails, value_parser = daily_mails)]
    pub daily_mails: Quotas,
    /// Emails a day that a new account may send to people who did not register themselves. The limit ends once 20 people have registered
    /// themselves and pressed a button on their page, or by `account trust`. With `--sign-up closed` there is no limit
    #[arg(long, env = "MUSTER_NEW_ACCOUNT_MAILS", value_name = "NUMBER", default_value_t = NEW_ACCOUNT_MAILS)]
    pub new_account_mails: u32,
    /// Which accounts may write messages to the people who registered for their events: none (`off`), those with a paid plan, or all.
    /// Scheduled messages of others are stopped when they are due
    #[arg(
        long,
        env = "MUSTER_MESSAGES",
        value_name = "off|paid|all",
        default_value = "paid",
        hide_possible_values = true
    )]
    pub messages: WhoWrites,
    /// Secret of at least 32 characters with which a mail provider reports emails that came back or were reported as spam, at
    /// `/mail-events` (docs/operations.md). Without it, no report is accepted there. To change it, set two, separated by a comma
    #[arg(
        long,
        env = "MUSTER_MAIL_EVENTS_SECRET",
        value_name = "SECRET",
        help_heading = "Mail",
        hide_env_values = true
    )]
    pub mail_events_secret: Option<SharedSecrets>,
    /// Limits on calls and registrations.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Who may sign up, and what pages link to.
    #[command(flatten)]
    pub people: PeopleArgs,
    /// Which pages may register people.
    #[command(flatten)]
    pub cors: CorsSettings,
    /// Apps that act for people.
    #[command(flatten)]
    pub oauth: OAuthArgs,
    /// Where changes may be posted.
    #[command(flatten)]
    pub webhooks: WebhookArgs,
    /// The source of covers.
    #[command(flatten)]
    pub covers: CoverArgs,
    /// How long old rows are kept, in days.
    #[command(flatten)]
    pub retention: RetentionArgs,
}

/// Limits on calls and registrations, on each core.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(
    next_help_heading = "Limits for each core, for example 60/minute (second, minute, hour, day), or off"
)]
pub struct LimitArgs {
    /// Registrations from one client address (for IPv6, one /64 network; a /48 network may make 10 times as many)
    #[arg(long, env = "MUSTER_LIMIT_PER_ADDRESS", value_name = "RATE", default_value_t = LimitSettings::default().per_address)]
    pub limit_per_address: Limit,
    /// Public registrations for one event
    #[arg(long, env = "MUSTER_LIMIT_PER_EVENT", value_name = "RATE", default_value_t = LimitSettings::default().per_event)]
    pub limit_per_event: Limit,
    /// Emails to one mailbox, whatever the +tag, over all causes, accounts and cores. Public registrations and codes beyond it are refused
    #[arg(long, env = "MUSTER_LIMIT_PER_RECIPIENT", value_name = "RATE", default_value_t = LimitSettings::default().mailboxes.all)]
    pub limit_per_recipient: Limit,
    /// Emails to one mailbox that organizers cause: to people whom they add or invite, and about changes of events. They count for
    /// --limit-per-recipient, too. Beyond this limit, adding and inviting is refused, and other emails wait
    #[arg(long, env = "MUSTER_LIMIT_PER_ADDED_RECIPIENT", value_name = "RATE",
          default_value_t = LimitSettings::default().mailboxes.by_organizers)]
    pub limit_per_added_recipient: Limit,
    /// Covers drawn for one client address; recently drawn ones do not count
    #[arg(long, env = "MUSTER_LIMIT_COVERS", value_name = "RATE", default_value_t = LimitSettings::default().covers)]
    pub limit_covers: Limit,
    /// Calls of one account, by any of its keys, that change nothing
    #[arg(long, env = "MUSTER_LIMIT_ACCOUNT_READS", value_name = "RATE", default_value_t = LimitSettings::default().account_reads)]
    pub limit_account_reads: Limit,
    /// Calls of one account, by any of its keys, that may change something
    #[arg(long, env = "MUSTER_LIMIT_ACCOUNT_WRITES", value_name = "RATE", default_value_t = LimitSettings::default().account_writes)]
    pub limit_account_writes: Limit,
}

/// How long old rows are kept, in days.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Retention")]
pub struct RetentionArgs {
    /// Days for which the audit log is kept
    #[arg(long, env = "MUSTER_AUDIT_DAYS", value_name = "DAYS", default_value_t = Retention::default().audit_days,
          value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub audit_days: u32,
    /// Days for which failed jobs (emails among them) are kept, to be listed and retried
    #[arg(long, alias = "dead-job-days", env = "MUSTER_FAILED_JOB_DAYS", value_name = "DAYS",
          default_value_t = Retention::default().failed_job_days, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub failed_job_days: u32,
}

/// The source of covers for events with an `image_query`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Covers")]
pub struct CoverArgs {
    /// Source of covers. `generated` draws them. The others search for photographs on the Internet; until one is found, a
    /// drawing is shown
    #[arg(
        long,
        env = "MUSTER_COVERS",
        value_name = "PROVIDER",
        default_value = "generated"
    )]
    pub covers: CoverSource,
    /// API key for `unsplash` (the access key) or `pexels`
    #[arg(
        long,
        env = "MUSTER_COVERS_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub covers_key: Option<SecretString>,
    /// Address to use instead of the provider's API, for example of a proxy
    #[arg(long, env = "MUSTER_COVERS_URL", value_name = "URL", value_parser = server::settings::base_url)]
    pub covers_url: Option<String>,
}

/// A value of `--covers`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CoverSource {
    /// Drawn from the event's words.
    Generated,
    /// Photographs of openverse.org.
    Openverse,
    /// Photographs of unsplash.com.
    Unsplash,
    /// Photographs of pexels.com.
    Pexels,
}

impl CoverArgs {
    /// The provider of photographs; none if covers are drawn.
    ///
    /// # Errors
    /// When a key is missing or malformed.
    pub fn stock(&self) -> Result<Option<Stock>, Failure> {
        let provider = match self.covers {
            CoverSource::Generated => return Ok(None),
            CoverSource::Openverse => Provider::Openverse,
            CoverSource::Unsplash => Provider::Unsplash,
            CoverSource::Pexels => Provider::Pexels,
        };
        let settings = StockSettings {
            provider,
            key: self.covers_key.clone(),
            url: self.covers_url.clone(),
        };
        let stock = Stock::new(settings).map_err(|error| Failure::setting(error.to_string()))?;
        Ok(Some(stock))
    }
}

impl From<RetentionArgs> for Retention {
    fn from(args: RetentionArgs) -> Self {
        Self {
            audit_days: args.audit_days,
            failed_job_days: args.failed_job_days,
            ..Self::default()
        }
    }
}

impl From<LimitArgs> for LimitSettings {
    fn from(args: LimitArgs) -> Self {
        Self {
            per_address: args.limit_per_address,
            per_event: args.limit_per_event,
            mailboxes: MailboxLimits {
                all: args.limit_per_recipient,
                by_organizers: args.limit_per_added_recipient,
            },
            covers: args.limit_covers,
            account_reads: args.limit_account_reads,
            account_writes: args.limit_account_writes,
        }
    }
}

fn active_events(text: &str) -> Result<Quotas, InvalidQuotas> {
    Plans::DEFAULT.active_events.with(text)
}

fn daily_mails(text: &str) -> Result<Quotas, InvalidQuotas> {
    Plans::DEFAULT.daily_mails.with(text)
}

fn zone(name: &str) -> Result<Zone, String> {
    Zone::find(name).map_err(|error| error.to_string())
}

/// The gRPC port.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "gRPC port")]
pub struct PortSettings {
    /// Address of the gRPC port: `IP:PORT` or `unix:///PATH`
    #[arg(
        long,
        env = "MUSTER_GRPC_ADDR",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:50051"
    )]
    pub grpc_addr: Address,
    /// Secret of at least 32 characters that edges (`http-gateway`, `mcp-bridge`) must send. Core accepts client addresses only
    /// from edges that know it. To change it, set two, separated by a comma
    #[arg(
        long,
        env = "MUSTER_EDGE_TOKEN",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub edge_token: Option<EdgeTokens>,
    /// TLS.
    #[command(flatten)]
    pub tls: TlsSettings,
}
