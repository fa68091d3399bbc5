//! What `muster` prints once it serves: URLs and commands to try.

use std::io::Write;

use core_service::demo::{DemoKey, EMAIL, KeyOrigin};
use server::{command_line, probe::reachable, serve::Address};

use crate::config::Config;

/// Prints it to standard output; logs go to standard error.
pub(crate) fn print(config: &Config, demo: Option<&DemoKey>, sign_in: Option<&str>) {
    // Output that cannot be written must not stop the service.
    let _unread = writeln!(std::io::stdout(), "{}", text(config, demo, sign_in));
}

fn text(config: &Config, demo: Option<&DemoKey>, sign_in: Option<&str>) -> String {
    let key = demo.map_or("$KEY", |demo| demo.key.expose());
    let parts = [
        addresses(config),
        demo.map(demo_key).unwrap_or_default(),
        sign_in.map(sign_in_link).unwrap_or_default(),
        examples(config, key),
        if demo.is_none() {
            first_key()
        } else {
            String::new()
        },
    ];
    parts.concat()
}

fn addresses(config: &Config) -> String {
    let (base, grpc, data) = (config.public_url(), &config.port.grpc_addr, data(config));
    let mail = mail(config);
    format!(
        "
Muster is running; data in {data}. Stop it with Ctrl-C.

  Site       {base}/
  API        {base}/api/v1
  Reference  {base}/docs
  MCP        {base}/mcp
  gRPC       {grpc}
  Mail       {mail}
"
    )
}

fn demo_key(demo: &DemoKey) -> String {
    let (key, file) = (demo.key.expose(), demo.file.display());
    let kept = match demo.origin {
        KeyOrigin::New | KeyOrigin::Existing => "stored in",
        KeyOrigin::Replaced => "a new key, since the last one was lost; stored in",
    };
    format!("  Demo key   {key}  ({kept} {file})\n")
}

/// The link works once, and may have been used by the time someone reads it again.
fn sign_in_link(url: &str) -> String {
    let another = command_line(&format!("account sign-in-link --email {EMAIL}"));
    format!(
        "  Dashboard  {url}\n             (signs in once, within 15 minutes; for another link: {another})\n"
    )
}

fn examples(config: &Config, key: &str) -> String {
    let base = config.public_url();
    let plaintext = if config.port.tls.tls_cert.is_some() {
        ""
    } else {
        "-plaintext "
    };
    let target = target(&config.port.grpc_addr);
    format!(
        r#"
Try it:

  curl '{base}/api/v1/events?limit=3'

  curl {base}/api/v1/events -H "Authorization: Bearer {key}" -H 'Content-Type: application/json' \
    -d '{{"title":"Rust Meetup","description":"Two talks","location":"c-base","start_date":"2030-05-14T19:00","timezone":"Europe/Berlin"}}'

  grpcurl {plaintext}-H "authorization: Bearer {key}" -d '{{"status":"all"}}' {target} \
    muster.v1.EventService/ListMyEvents

  claude mcp add --transport http muster {base}/mcp
"#
    )
}

/// Shown when there is no demo account.
fn first_key() -> String {
    let account = command_line("account create --email you@example.org --name 'Your Name'");
    let key = command_line("key create --email you@example.org --name laptop");
    format!(
        "
Create an account and a key:

  {account}
  KEY=$({key})
"
    )
}

/// How grpcurl names the port.
fn target(address: &Address) -> String {
    match address {
        Address::Tcp(address) => reachable(*address).to_string(),
        Address::Unix(path) => format!("-unix {}", path.display()),
    }
}

/// How mails leave.
fn mail(config: &Config) -> String {
    match &config.mail.smtp_url {
        Some(_) => "sent through the mail server".to_owned(),
        None => format!(
            "written to {}, since no mail server is set",
            config.data.mail_folder().display()
        ),
    }
}

/// Where the data is, without the password that a URL may hold.
fn data(config: &Config) -> String {
    match &config.data.database_url {
        None => config.data.data_dir.join("muster.db").display().to_string(),
        Some(url) => storage::Options::place(url),
    }
}
