//! Mails a second.

use std::{fs, time::Instant};

use anyhow::{Context as _, ensure};
use core_service::email::{Mailer, SmtpUrl};
use test_postgres::Server;

use crate::{
    report::Report,
    system::{System, engines},
};

/// Mails of each measurement: a few seconds' worth.
const MAILS: u32 = 4_000;

/// Ticks a second in `/proc/self/stat`, on every Linux that Rust supports.
const TICKS: f64 = 100.0;

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

        let (started, worked) = (Instant::now(), processor_seconds()?);
        system.core.runner().drain().await?;
        let took = started.elapsed().as_secs_f64();
        let worked = processor_seconds()? - worked;
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

/// What this process has worked so far.
fn processor_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The program's name, in parentheses, may hold spaces.
    let (_, fields) = stat.rsplit_once(')').context("stat names the program")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |index: usize| -> anyhow::Result<f64> {
        Ok(fields.get(index).context("stat has times")?.parse()?)
    };
    Ok((ticks(11)? + ticks(12)?) / TICKS)
}
