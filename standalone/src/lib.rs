//! All of Muster in one process, and its admin commands.

mod config;
pub mod listen;
mod surfaces;
mod welcome;

use std::io::stdout;

use core_service::{Core, Options, demo, grpc::port, open_store, service::Links};
use domain::{clock::Clock, entropy::Entropy};
use futures_util::future::BoxFuture;
use server::{Failure, probe, serve, shutdown};
use storage::Purpose;
use website::Views;

use self::config::{Command, WebhookCommand};

pub use config::Config;
pub use surfaces::router;

/// Runs an admin command, or serves until the signal to stop.
///
/// # Errors
/// When it cannot start, or the command fails.
pub fn run(mut config: Config) -> BoxFuture<'static, Result<(), Failure>> {
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
            Some(Command::Webhook(WebhookCommand::Listen(settings))) => {
                let demo_key = config.data.demo_key_file();
                let options = settings.options(config.http.http_addr, &demo_key)?;
                let stop = listen::interrupt();
                return listen::listen(&options, clock, &entropy, &mut stdout(), stop).await;
            }
            Some(Command::Health) => return probe::is_ready(config.http.http_addr).await,
            None => {}
        }
        config.program.telemetry.metrics.serve().await?;
        let mailer = config.mail.mailer(&config.data)?;
        let mut options = Options::from_settings(&config.rules, &config.port, &config.data)?;
        let stop = shutdown::on_signal(config.stop)?;
        let http = serve::bind("--http-addr (MUSTER_HTTP_ADDR)", config.http.http_addr).await?;
        let grpc = port::bind(&config.port.grpc_addr).await?;
        // With port 0 the system chose the port.
        config.http.http_addr = http.local_addr().unwrap_or(config.http.http_addr);
        config.port.grpc_addr = grpc.address().unwrap_or(config.port.grpc_addr);

        let store = open_store(&config.data, Purpose::Serve, config.data.database_wait()).await?;
        store
            .migrate()
            .await
            .map_err(|error| Failure::Environment(error.to_string()))?;
        options.policy.links = Links::new(&config.public_url()).with_grpc(Some(config.grpc_url()));
        let core = Core::compose(store, mailer, options).await?;

        let demo = if config.shows_demo() {
            demo::prepare(core.use_cases(), config.data.demo_key_file()).await?
        } else {
            demo::warn_of_leftovers(core.use_cases()).await?;
            None
        };

        // The edges call core's services without sockets, through the same gate as calls from the network.
        let views = Views::default();
        let edge = rpc_client::Core::in_process(core.in_process());
        let surfaces = surfaces::router(&edge, &config, views.clone())?;

        // Whoever sees this output may do everything on this machine; from other machines nobody must get in by it.
        let sign_in = if demo.is_some() && config.is_local() {
            Some(demo::sign_in_link(core.use_cases()).await?)
        } else {
            None
        };
        config.exposure().warn();
        welcome::print(&config, demo.as_ref(), sign_in.as_deref());
        let (background, grpc) = (
            core.run_background(stop.announced),
            core.serve(grpc, &config.port.tls, stop.begun.clone()),
        );
        let recording = tokio::spawn(views.clone().record_each_minute());
        let surfaces = async {
            http_kit::serve(http, surfaces, config.http.limits(), stop.begun).await;
            recording.abort();
            views.record().await;
        };
        let ((), served, ()) = tokio::join!(background, grpc, surfaces);
        served
    })
}
