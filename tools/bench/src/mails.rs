//! Mails a second.

use std::time::Instant;

use anyhow::ensure;
use core_service::email::{Mailer, SmtpUrl};

use crate::{
    processor,
    report::{Figure, Row},
    run::{Run, Size},
    system::System,
};

/// Mails of each measurement: a few seconds' worth.
const MAILS: Size<u32> = Size {
    full: 4_000,
    quick: 50,
};

const AIM: Figure = Figure::per_second(500.0);

/// Measures how fast jobs become mails at an SMTP server on this machine: claimed, looked up, written, sent, noted. The server is
/// in this process, too, so its work counts as ours.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let mails = run.of(MAILS);
    for (engine, server) in run.engines() {
        let smtp = test_smtp::Server::start();
        let url: SmtpUrl = smtp.url().parse()?;
        let sender = "Muster <events@muster.example>".parse()?;
        let mailer = Mailer::smtp(&url, sender);
        let system = System::start_with(server, mailer, tempfile::tempdir()?).await?;
        let slug = system.publish(10_000).await?.slug;
        let guests = usize::try_from(mails)?;
        // The owner's notice about their key.
        system.core.runner().drain().await?;
        let before = smtp.mails().len();
        system.register_all(guests, move |_| slug.clone()).await?;

        let (started, worked) = (Instant::now(), processor::seconds()?);
        system.core.runner().drain().await?;
        let took = started.elapsed().as_secs_f64();
        let worked = processor::seconds()? - worked;
        ensure!(smtp.mails().len() == before + guests, "mails are missing");
        let measure = "mails to an SMTP server, for each second of one core";
        let figure = Figure::per_second(f64::from(mails) / worked);
        let all = Figure::per_second(f64::from(mails) / took);
        let row = Row::new(measure, engine, figure).note(format!("{all} in all"));
        run.add(row.note("the SMTP server's work included").at_least(AIM));
    }
    Ok(())
}
