//! Messages, clients and servers by prost and tonic, with serde attributes that make JSON as strict as the contract: names as
//! in the proto, unknown fields refused, no numbers in strings, absent optional fields shown as null. Messages of internal
//! packages have no JSON form.

use anyhow::{Context as _, Result};

use crate::{
    descriptors::Descriptors,
    model::{Api, Cardinality, Field, Kind, Message},
};

/// The generated source of the package.
pub(crate) fn emit(api: &Api, descriptors: &Descriptors) -> Result<String> {
    let folder =
        std::env::temp_dir().join(format!("muster-codegen-{}-{:p}", std::process::id(), api));
    std::fs::create_dir_all(&folder)?;
    let mut builder = tonic_prost_build::configure()
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .out_dir(&folder)
        .extern_path(
            ".google.api.HttpBody",
            format!("{}::http_body::HttpBody", api.runtime_path()),
        );
    let shown = if api.is_internal {
        &[][..]
    } else {
        &api.messages
    };
    for message in shown {
        let path = format!(".{}.{}", api.package, message.name);
        builder =
            builder.message_attribute(&path, "#[derive(serde::Serialize, serde::Deserialize)]");
        // Requests are closed. Answers may gain fields, so readers ignore unknown ones.
        let container = if message.is_input {
            "#[serde(deny_unknown_fields, default)]"
        } else {
            "#[serde(default)]"
        };
        builder = builder.message_attribute(&path, container);
        for field in &message.fields {
            if let Some(attribute) = attribute(api, message, field) {
                builder = builder.field_attribute(format!("{path}.{}", field.name), attribute);
            }
        }
    }
    builder
        .compile_fds(descriptors.files_of(&api.package))
        .context("prost cannot generate the messages")?;
    let source = std::fs::read_to_string(folder.join(format!("{}.rs", api.package)))?;
    std::fs::remove_dir_all(&folder)?;
    Ok(source)
}

/// How serde reads a field, where its default would be more lenient than the contract.
fn attribute(api: &Api, message: &Message, field: &Field) -> Option<String> {
    let nullable = message.may_be_null(field);
    let reader = match (&field.kind, field.cardinality) {
        (Kind::FieldMask | Kind::File, _) => return Some("#[serde(skip)]".into()),
        (Kind::Int32, Cardinality::One) => "int32",
        (Kind::Int32, Cardinality::Optional) if nullable => "nullable_int32",
        (Kind::Int32, Cardinality::Optional) => "present_int32",
        (Kind::Int32, Cardinality::Many) => "int32s",
        (Kind::Message(_), Cardinality::Many) if message.is_input => "objects",
        (Kind::Message(_), Cardinality::Optional) if nullable => "nullable_object",
        (Kind::Message(_), Cardinality::Optional) => "present_object",
        (_, Cardinality::Optional) if !nullable => "present",
        _ => return None,
    };
    Some(format!(
        "#[serde(deserialize_with = \"{}::json::{reader}\")]",
        api.runtime_path()
    ))
}
