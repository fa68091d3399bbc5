//! The binary `core-service`: core on a gRPC port, and the admin commands.

use std::process::ExitCode;

use clap::Parser;
use core_service::{
    Core, Options, admin,
    grpc::port,
    open_store,
    settings::{DataSettings, MailSettings, PortSettings, RuleSettings},
};
use domain::{clock::Clock, entropy::Entropy};
use futures_util::future::BoxFuture;
use server::{
    Failure,
    exposure::Exposure,
    program::{self, ProgramSettings},
    shutdown::{self, StopSettings},
};
use storage::Purpose;

/// Muster's core: the gRPC service that holds all rules and all data.
///
/// On PostgreSQL, any number of cores may serve one database. On SQLite, one core serves a file.
#[derive(Debug, Parser)]
#[command(version = server::version!(), after_help = EXAMPLES)]
struct Config {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    data: DataSettings,
    #[command(flatten)]
    rules: RuleSettings,
    #[command(flatten)]
    mail: MailSettings,
    #[command(flatten)]
    port: PortSettings,
    #[command(flatten)]
    stop: StopSettings,
    #[command(flatten)]
    program: ProgramSettings,
}

/// What it does in place of serving.
#[derive(Debug, Clone, clap::Subcommand)]
enum Command {
    #[command(flatten)]
    Admin(admin::Command),
    /// Ask the core that runs at this gRPC address whether it serves (gRPC's health service): exit code 0, or 1 with the cause
    ///
    /// Over TLS it trusts the certificate that is set here. With mutual TLS it has no certificate to show, so it only finds out
    /// that the port answers.
    Health,
}

const EXAMPLES: &str = "\
Examples:
  core-service migrate
  core-service --grpc-addr 0.0.0.0:50051 --public-url https://events.example.org
  core-service --grpc-addr unix:///run/muster/core.sock

Run `core-service migrate` before the first start and after an upgrade: core itself never changes the schema.

Exit codes: 0 stopped by a signal, 1 problem of the environment (port in use, database unreachable), 64 invalid settings,
70 a defect.";

fn main() -> ExitCode {
    program::run(|config: &Config| &config.program, run)
}

impl Config {
    /// What of this core others can reach.
    fn exposure(&self) -> Exposure {
        Exposure {
            public_url: self.rules.public_url.clone(),
            grpc: Some((
                self.port.grpc_addr.clone(),
                self.port.tls.tls_cert.is_some(),
            )),
            ..Exposure::default()
        }
    }
}

fn run(config: Config) -> BoxFuture<'static, Result<(), Failure>> {
    Box::pin(async move {
        let (clock, entropy) = (Clock::system(), Entropy::system());
        match &config.command {
            Some(Command::Admin(command)) => {
                let (data, mail) = (&config.data, &config.mail);
                let keys = config.rules.webhooks.secret_key.clone();
                let command = command.clone().exposed(config.exposure());
                let command = command.with_secret_keys(keys);
                return command.run(data, mail, clock, entropy).await;
            }
            Some(Command::Health) => {
                return port::is_serving(&config.port.grpc_addr, &config.port.tls).await;
            }
            None => {}
        }
        config.program.telemetry.metrics.serve().await?;
        let mailer = config.mail.mailer(&config.data)?;
        let options = Options::from_settings(&config.rules, &config.port, &config.data)?;
        let stop = shutdown::on_signal(config.stop)?;
        let listener = port::bind(&config.port.grpc_addr).await?;
        let store = open_store(&config.data, Purpose::Serve, config.data.database_wait()).await?;
        let core = Core::compose(store, mailer, options).await?;
        config.exposure().warn();
        let background = core.run_background(stop.announced);
        let (served, ()) = tokio::join!(
            core.serve(listener, &config.port.tls, stop.begun),
            background
        );
        served
    })
}
