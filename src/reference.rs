//! The reference that people read: generated pages of Markdown about every operation.

include!(concat!(env!("OUT_DIR"), "/muster.v1/reference.rs"));

use crate::EXAMPLE_URL;

/// The address of core in the documents: the host of [`EXAMPLE_URL`] with core's usual port.
const EXAMPLE_CORE: &str = "muster.example:50051";

/// A page about an operation or a group of them.
#[derive(Debug, Clone, Copy)]
pub struct ReferencePage {
    /// Its name in paths: `create-event`.
    pub slug: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it is about, in one sentence.
    pub summary: &'static str,
    /// The slug of its group; none for a group.
    pub group: Option<&'static str>,
    /// What people look for: the names of the operation on every surface, and those of its fields.
    pub names: &'static [&'static str],
    /// Its text, which begins with the title. [`of_instance`] puts the addresses of the instance in.
    pub markdown: &'static str,
}

/// A text of the documents with the addresses of an instance: the public URL, and that of the gRPC port, whose scheme says whether it has TLS.
pub fn of_instance(text: &str, public_url: &str, grpc_url: &str) -> String {
    let (scheme, authority) = grpc_url.split_once("://").unwrap_or(("http", grpc_url));
    let text = text.replace(&format!("http://{EXAMPLE_CORE}"), grpc_url);
    let text = text.replace(EXAMPLE_CORE, &with_port(scheme, authority));
    let text = text.replace(EXAMPLE_URL, public_url);
    if scheme == "https" {
        // It is for ports without TLS.
        return text.replace(" --http2-prior-knowledge", "");
    }
    text.replace("grpcurl ", "grpcurl -plaintext ")
}

/// A host with its port, which `grpcurl` needs also where the URL has the usual one of its scheme.
fn with_port(scheme: &str, authority: &str) -> String {
    let last = authority.rsplit(':').next();
    match last.map(str::parse::<u16>) {
        Some(Ok(_)) => authority.to_owned(),
        _ if scheme == "https" => format!("{authority}:443"),
        _ => format!("{authority}:80"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_addresses_of_the_instance() {
        let text = "curl https://muster.example/api\ngrpcurl muster.example:50051 list\n\
                    buf curl --http2-prior-knowledge http://muster.example:50051";
        assert_eq!(
            of_instance(text, "http://127.0.0.1:8080", "http://127.0.0.1:9000"),
            "curl http://127.0.0.1:8080/api\ngrpcurl -plaintext 127.0.0.1:9000 list\n\
             buf curl --http2-prior-knowledge http://127.0.0.1:9000"
        );
        // The port may have no TLS though the pages have it, and the other way round.
        let (pages, port) = ("https://events.example.org", "grpc.example.org:443");
        assert_eq!(
            of_instance(text, pages, &format!("https://{port}")),
            "curl https://events.example.org/api\ngrpcurl grpc.example.org:443 list\n\
             buf curl https://grpc.example.org:443"
        );
        for (url, expected) in [
            ("https://grpc.example.org", "grpcurl grpc.example.org:443 "),
            (
                "http://grpc.example.org",
                "grpcurl -plaintext grpc.example.org:80 ",
            ),
            ("https://[::1]", "grpcurl [::1]:443 "),
        ] {
            let shown = of_instance(text, pages, url);
            assert!(shown.contains(expected), "{shown}");
            assert!(shown.ends_with(url), "{shown}");
        }
        let plain = of_instance(text, pages, &format!("http://{port}"));
        assert!(plain.contains("grpcurl -plaintext grpc.example.org:443"));
    }
}
