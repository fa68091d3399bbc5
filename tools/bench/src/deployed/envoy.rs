//! Envoy in the gateway's place: its gRPC-JSON transcoder in front of the same core.

use std::{fs, process::Command};

use muster_api::FILE_DESCRIPTOR_SET;
use programs::free_port;
use serde_json::{Value, json};

use super::{deployment::Deployment, surface::Surface};
use crate::peers::ENVOY;

/// Worker threads, as many as the machine has cores when the figures are taken.
const THREADS: &str = "2";

const SERVICES: [&str; 3] = [
    "muster.v1.CatalogueService",
    "muster.v1.EventService",
    "muster.v1.RegistrationService",
];

/// Starts Envoy in front of a core on TCP; `None` if it is not installed.
pub(super) async fn start(deployment: &Deployment) -> anyhow::Result<Option<Surface>> {
    let Some(program) = ENVOY.find() else {
        return Ok(None);
    };
    let folder = deployment.folder();
    let descriptors = folder.join("descriptors.bin");
    fs::write(&descriptors, without_response_body(FILE_DESCRIPTOR_SET))?;
    let (address, core) = (free_port()?, deployment.core_address()?);
    let transcoder = json!({
        "@type": type_of("extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder"),
        "proto_descriptor": descriptors,
        "services": SERVICES,
        "print_options": {"always_print_primitive_fields": true, "preserve_proto_field_names": true},
        "convert_grpc_status": true,
    });
    let log = json!({
        "@type": type_of("extensions.access_loggers.file.v3.FileAccessLog"),
        "path": folder.join("envoy-requests.log"),
    });
    let manager = json!({
        "@type": type_of("extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"),
        "stat_prefix": "muster",
        "access_log": [{"name": "file", "typed_config": log}],
        "route_config": {"virtual_hosts": [{
            "name": "core",
            "domains": ["*"],
            // Services are in no prefix of their own: by the name after the transcoding.
            "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "core"}}],
        }]},
        "http_filters": [
            {"name": "transcoder", "typed_config": transcoder},
            {"name": "router", "typed_config": {"@type": type_of("extensions.filters.http.router.v3.Router")}},
        ],
    });
    let http2 = json!({
        "@type": type_of("extensions.upstreams.http.v3.HttpProtocolOptions"),
        "explicit_http_config": {"http2_protocol_options": {}},
    });
    let configuration = json!({"static_resources": {
        "listeners": [{
            "name": "clients",
            "address": socket(address),
            "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
        }],
        "clusters": [{
            "name": "core",
            "type": "STATIC",
            "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": http2},
            "load_assignment": {"cluster_name": "core", "endpoints": [{"lb_endpoints": [{"endpoint": {"address": socket(core)}}]}]},
        }],
    }});
    let file = folder.join("envoy.json");
    fs::write(&file, configuration.to_string())?;
    let mut command = Command::new(program);
    command.arg("-c").arg(file).args(["--concurrency", THREADS]);
    command.args(["--disable-hot-restart", "--log-level", "warning"]);
    let log = folder.join("envoy.log");
    // It is there once it answers anything of core's.
    Surface::of(command, &log, address, "/api/v1/events?limit=1")
        .await
        .map(Some)
}

/// The descriptors without `response_body: "items"` (field 12), which Envoy refuses: as field 15, which it does not know.
fn without_response_body(descriptors: &[u8]) -> Vec<u8> {
    const ITEMS: &[u8] = b"\x62\x05items";
    let mut changed = descriptors.to_vec();
    for start in 0..changed.len().saturating_sub(ITEMS.len()) {
        if let Some(field) = changed.get_mut(start..start + ITEMS.len())
            && field == ITEMS
        {
            field.copy_from_slice(b"\x7a\x05items");
        }
    }
    changed
}

fn type_of(name: &str) -> String {
    format!("type.googleapis.com/envoy.{name}")
}

fn socket(address: std::net::SocketAddr) -> Value {
    json!({"socket_address": {"address": address.ip(), "port_value": address.port()}})
}
