//! Where spans go.

use std::{env, fs};

use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithTonicConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchSpanProcessor, SdkTracerProvider},
};
use tonic::transport::{Certificate, ClientTlsConfig};

/// Settings of spans. Flatten them into a binary's settings.
#[derive(Debug, Clone, Default, clap::Args)]
#[expect(clippy::doc_markdown, reason = "clap shows it as it is")]
#[command(next_help_heading = "Spans")]
pub struct TraceSettings {
    /// URL of a collector of OpenTelemetry, which gets spans by OTLP over gRPC, for example http://127.0.0.1:4317. Without it, there are no
    /// spans. OpenTelemetry's variables set the rest: OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS, OTEL_BSP_MAX_QUEUE_SIZE and others
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL", value_parser = endpoint)]
    pub otlp_endpoint: Option<String>,
}

fn endpoint(text: &str) -> Result<String, &'static str> {
    let wrong = "must be an http:// or https:// URL, for example http://127.0.0.1:4317";
    let uri: http::Uri = text.parse().map_err(|_| wrong)?;
    if matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some() {
        Ok(text.to_owned())
    } else {
        Err(wrong)
    }
}

/// The variable with an endpoint for spans alone, which goes before the general one.
const OF_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

/// OpenTelemetry's variables with the authority that signed the certificate of the collector. Its exporter for Rust does not read them.
const AUTHORITIES: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_CERTIFICATE",
];

/// What exports spans, if an endpoint is set and no variable forbids it.
pub(super) fn provider(
    settings: &TraceSettings,
    program: &str,
) -> Result<Option<SdkTracerProvider>, String> {
    let endpoint = given(OF_TRACES).or_else(|| settings.otlp_endpoint.clone());
    let is_forbidden = given("OTEL_SDK_DISABLED")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || given("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
    let Some(endpoint) = endpoint.filter(|_| !is_forbidden) else {
        return Ok(None);
    };
    let mut exporter = SpanExporter::builder()
        .with_tonic()
        .with_endpoint(&endpoint);
    if endpoint.to_ascii_lowercase().starts_with("https:") {
        exporter = exporter.with_tls_config(tls()?);
    }
    let exporter = exporter.build().map_err(|_| {
        // The cause is left out, since the URL may hold a password.
        format!(
            "--otlp-endpoint (OTEL_EXPORTER_OTLP_ENDPOINT, {OF_TRACES}): no spans can be sent there"
        )
    })?;
    let mut resource = Resource::builder();
    let names_itself = given("OTEL_SERVICE_NAME").is_some()
        || given("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="));
    if !names_itself {
        resource = resource.with_service_name(program.to_owned());
    }
    // The queue is bounded, and whoever ends a span never waits for it: what finds no place is dropped.
    let provider = SdkTracerProvider::builder()
        .with_resource(resource.build())
        .with_span_processor(BatchSpanProcessor::builder(exporter).build())
        .build();
    Ok(Some(provider))
}

/// Whom to trust: the authorities that everyone trusts, or those in a PEM file.
fn tls() -> Result<ClientTlsConfig, String> {
    let tls = ClientTlsConfig::new();
    let mut given = AUTHORITIES
        .into_iter()
        .filter_map(|name| Some((name, given(name)?)));
    let Some((variable, path)) = given.next() else {
        return Ok(tls.with_enabled_roots());
    };
    let pem =
        fs::read(&path).map_err(|error| format!("{variable}: cannot read {path}: {error}"))?;
    Ok(tls.ca_certificate(Certificate::from_pem(pem)))
}

fn given(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}
