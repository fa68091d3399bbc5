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

/// A text of the documents with the addresses of the instance at this public URL.
pub fn of_instance(text: &str, public_url: &str) -> String {
    let host = public_url.split("://").last().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _port)| host);
    let text = text.replace(EXAMPLE_CORE, &format!("{host}:50051"));
    let text = text.replace(EXAMPLE_URL, public_url);
    if public_url.starts_with("https://") {
        return text;
    }
    text.replace("grpcurl ", "grpcurl -plaintext ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_addresses_of_the_instance() {
        let text = "curl https://muster.example/api\ngrpcurl muster.example:50051 list";
        assert_eq!(
            of_instance(text, "http://127.0.0.1:8080"),
            "curl http://127.0.0.1:8080/api\ngrpcurl -plaintext 127.0.0.1:50051 list"
        );
        assert_eq!(
            of_instance(text, "https://events.example.org"),
            "curl https://events.example.org/api\ngrpcurl events.example.org:50051 list"
        );
    }
}
