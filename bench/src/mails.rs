//! Mails a second.

use std::time::Instant;

use anyhow::ensure;
use core_service::email::{Mailer, SmtpUrl};
use test_postgres::Server;

use crate::{
    processor,
    report::Report,
    system::{System, engines},
};

/// Mails of each measurement: a few seconds' worth.
const MAILS: u32 = 4_000;

/// Measures how fast jobs become mails at an SMTP server on this machine: claimed, looked up, written, sent, noted. The server is
/// in this process, too, so its work counts as ours.
pub(crate) async fn measure(postgres: Option<&Server>, report: &mut Report) -> anyhow::Result<()> {
    for (engine, server) in engines(postgres) {
        let smtp = test_smtp::Server::start();
        let url: SmtpUrl = smtp.url().parse()?;
        let sender = "Muster <events@muster.example>".parse()?;
        let mailer = Mailer::smtp(&url, sender);
        let system = System::start_with(server, mailer, tempfile::tempdir()?).await?;
        let slug = system.publish(10_000).await?.slug;
        system
            .register_all(MAILS as usize, move |_| slug.clone())
            .await?;

        let (started, worked) = (Instant::now(), processor::seconds()?);
        system.core.runner().drain().await?;
        let took = started.elapsed().as_secs_f64();
        let worked = processor::seconds()? - worked;
        ensure!(smtp.mails().len() == MAILS as usize, "mails are missing");
        let figure = format!("{:.0}/s", f64::from(MAILS) / took);
        let compared = format!(
            "{:.0} for each second of one core, the SMTP server's work included; aim: 500",
            f64::from(MAILS) / worked
        );
        report.add("mails to an SMTP server", engine, figure, compared);
    }
    Ok(())
}
