//! What `muster` prints once it serves: where everything is, and lines to paste.

use core_service::{
    demo::{DemoKey, KeyOrigin},
    grpc::server::Address,
};

use crate::config::Config;

/// Prints it to standard output; logs go to standard error.
pub(crate) fn print(config: &Config, demo: Option<&DemoKey>) {
    println!("{}", text(config, demo));
}

fn text(config: &Config, demo: Option<&DemoKey>) -> String {
    let base = config.public_url();
    let grpc = &config.port.grpc_addr;
    let mut text = format!(
        "\nMuster is running; data in {data}. Stop it with Ctrl-C.\n\n  \
         API        {base}/api/v1\n  \
         Reference  {base}/docs\n  \
         gRPC       {grpc}\n",
        data = data(config),
    );
    if let Some(DemoKey { key, file, origin }) = demo {
        let (key, file) = (key.expose(), file.display());
        let kept = match origin {
            KeyOrigin::New | KeyOrigin::Kept => "kept in",
            KeyOrigin::Replaced => "a new one, since the last was lost; kept in",
        };
        text += &format!("  Demo key   {key}  ({kept} {file})\n");
    }
    let key = demo.map_or("$KEY", |demo| demo.key.expose());
    text += &format!(
        "\nTry it:\n\n  \
         curl '{base}/api/v1/events?limit=3'\n\n  \
         curl {base}/api/v1/events -H \"Authorization: Bearer {key}\" -H 'Content-Type: application/json' \\\n    \
         -d '{{\"title\":\"Rust Meetup\",\"description\":\"Two talks\",\"location\":\"c-base\",\"start_date\":\"2030-05-14T19:00\",\
         \"timezone\":\"Europe/Berlin\"}}'\n\n  \
         grpcurl {plaintext}-H \"authorization: Bearer {key}\" -d '{{\"status\":\"all\"}}' {target} \\\n    \
         muster.v1.EventService/ListMyEvents\n",
        plaintext = if config.port.tls.tls_cert.is_some() {
            ""
        } else {
            "-plaintext "
        },
        target = target(grpc),
    );
    if demo.is_none() {
        text += "\nMake an account and a key:\n\n  \
                 muster account create --email you@example.org --name 'Your Name' --plan free\n  \
                 muster key create --email you@example.org --name laptop\n";
    }
    text
}

/// How grpcurl names the port.
fn target(address: &Address) -> String {
    match address {
        Address::Tcp(address) => address.to_string(),
        Address::Unix(path) => format!("-unix {}", path.display()),
    }
}

/// Where the data is, without the password that a URL may hold.
fn data(config: &Config) -> String {
    match &config.data.database_url {
        None => config.data.data_dir.join("muster.db").display().to_string(),
        Some(url) => match (url.split_once("://"), url.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
            _ => url.clone(),
        },
    }
}
