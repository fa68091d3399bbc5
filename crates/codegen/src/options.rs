//! The options in the proto files, as plain structs: `google.api.http`, `buf.validate` and Muster's own.
//!
//! Each is closed (`deny_unknown_fields`), so that an unsupported option stops the build.

use anyhow::{Context as _, Result};
use prost_reflect::{DynamicMessage, ReflectMessage as _, SerializeOptions, Value};
use serde::{Deserialize, de::DeserializeOwned};

/// Reads one extension of an options message; its default when it is not set.
pub(crate) fn read<T: DeserializeOwned + Default>(
    options: &DynamicMessage,
    name: &str,
) -> Result<T> {
    let pool = options.descriptor().parent_pool().clone();
    let Some(extension) = pool.get_extension_by_name(name) else {
        return Ok(T::default());
    };
    if !options.has_extension(&extension) {
        return Ok(T::default());
    }
    let value = options.get_extension(&extension);
    let Value::Message(message) = value.as_ref() else {
        anyhow::bail!("{name} is not a message");
    };
    let json = SerializeOptions::new()
        .use_proto_field_name(true)
        .stringify_64_bit_integers(false);
    let json = message.serialize_with_options(serde_json::value::Serializer, &json)?;
    serde_json::from_value(json)
        .with_context(|| format!("{name} contains something that the generator does not support"))
}

/// `google.api.http`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Http {
    pub(crate) get: Option<String>,
    pub(crate) put: Option<String>,
    pub(crate) post: Option<String>,
    pub(crate) delete: Option<String>,
    pub(crate) patch: Option<String>,
    pub(crate) body: String,
    pub(crate) response_body: String,
    pub(crate) additional_bindings: Vec<Http>,
}

/// `buf.validate.field`, as far as it is supported.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FieldRules {
    pub(crate) required: bool,
    pub(crate) string: StringRules,
    pub(crate) int32: Int32Rules,
    pub(crate) repeated: RepeatedRules,
}

/// `buf.validate.StringRules`, as far as it is supported. Lengths are in characters.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StringRules {
    pub(crate) min_len: Option<usize>,
    pub(crate) max_len: Option<usize>,
    pub(crate) r#in: Vec<String>,
    pub(crate) email: bool,
}

/// `buf.validate.Int32Rules`, as far as it is supported.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Int32Rules {
    pub(crate) gte: Option<i32>,
    pub(crate) lte: Option<i32>,
}

/// `buf.validate.RepeatedRules`, as far as it is supported.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RepeatedRules {
    pub(crate) min_items: Option<usize>,
    pub(crate) max_items: Option<usize>,
    pub(crate) unique: bool,
    pub(crate) items: Option<ItemRules>,
}

/// The rules on items of a repeated field, as far as they are supported.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ItemRules {
    pub(crate) string: StringRules,
    pub(crate) int32: Int32Rules,
}

/// `muster.options.v1.api`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ApiRules {
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) base_path: String,
    pub(crate) credential: String,
    pub(crate) license: String,
    pub(crate) instructions: String,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) scopes: Vec<ScopeRule>,
    pub(crate) public_url: String,
    pub(crate) reading_order: Vec<String>,
}

/// `muster.options.v1.ScopeRule`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScopeRule {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) session_only: bool,
    pub(crate) only_reads: bool,
}

/// `muster.options.v1.Prompt`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Prompt {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) arguments: Vec<PromptArgument>,
    pub(crate) text: String,
}

/// `muster.options.v1.PromptArgument`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PromptArgument {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) required: bool,
}

/// `muster.options.v1.method`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as the proto states them"
)]
pub(crate) struct MethodRules {
    pub(crate) access: Access,
    pub(crate) errors: Vec<String>,
    pub(crate) tool: Option<Tool>,
    pub(crate) addition: bool,
    pub(crate) answers: String,
    pub(crate) media_type: String,
    pub(crate) resource: Option<Resource>,
    /// For example `events:read`.
    pub(crate) scope: Option<String>,
    pub(crate) no_scope: bool,
    pub(crate) idempotency_key: bool,
    pub(crate) caching: Option<Caching>,
    pub(crate) step_up: bool,
    pub(crate) summary: String,
    pub(crate) links: Vec<Link>,
    pub(crate) changes_catalogue: bool,
    pub(crate) collects_mistakes: bool,
    pub(crate) some_events: bool,
}

/// `muster.options.v1.Link`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Link {
    pub(crate) rpcs: Vec<String>,
    pub(crate) variable: String,
    pub(crate) from: String,
}

/// `muster.options.v1.Caching`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Caching {
    pub(crate) max_age_seconds: u32,
    pub(crate) stale_while_revalidate_seconds: u32,
}

/// `muster.options.v1.Access`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Access {
    #[default]
    #[serde(rename = "ACCESS_UNSPECIFIED")]
    Unspecified,
    #[serde(rename = "ACCESS_PUBLIC")]
    Public,
    #[serde(rename = "ACCESS_BEARER")]
    Bearer,
    #[serde(rename = "ACCESS_PAID")]
    Paid,
    #[serde(rename = "ACCESS_SESSION")]
    Session,
}

/// `muster.options.v1.Tool`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    pub(crate) open_world: bool,
    pub(crate) confirmation: Option<Confirmation>,
}

/// `muster.options.v1.Confirmation`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Confirmation {
    pub(crate) preview_rpc: String,
    pub(crate) question: String,
    pub(crate) unless: String,
}

/// `muster.options.v1.Resource`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Resource {
    pub(crate) uri_template: String,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) media_type: String,
    pub(crate) text: String,
    pub(crate) list_rpc: String,
}

/// `muster.options.v1.field`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FieldMeaning {
    pub(crate) format: Format,
    pub(crate) text: Text,
    pub(crate) nullable: bool,
    pub(crate) default_int: Option<i32>,
    pub(crate) default_string: Option<String>,
    pub(crate) default_bool: Option<bool>,
    pub(crate) default_ints: Vec<i32>,
    pub(crate) example: String,
    pub(crate) addition: bool,
    pub(crate) upload: Option<Upload>,
}

/// `muster.options.v1.Upload`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Upload {
    pub(crate) media_types: Vec<String>,
    pub(crate) max_mebibytes: usize,
}

impl Upload {
    /// The media type of a file whose own is not named.
    pub(crate) const BYTES: &str = "application/octet-stream";
}

/// `muster.options.v1.Format`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Format {
    #[default]
    #[serde(rename = "FORMAT_UNSPECIFIED")]
    Unspecified,
    #[serde(rename = "FORMAT_DATE_TIME")]
    DateTime,
    #[serde(rename = "FORMAT_URI")]
    Uri,
    #[serde(rename = "FORMAT_EMAIL")]
    Email,
    #[serde(rename = "FORMAT_UUID")]
    Uuid,
}

/// `muster.options.v1.Text`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Text {
    #[default]
    #[serde(rename = "TEXT_UNSPECIFIED")]
    Unspecified,
    #[serde(rename = "TEXT_LINE")]
    Line,
    #[serde(rename = "TEXT_PARAGRAPHS")]
    Paragraphs,
}

/// `muster.options.v1.reason`, and the code of the error.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Reason {
    /// For example `NOT_FOUND`.
    #[serde(skip)]
    pub(crate) code: String,
    pub(crate) http_status: u16,
    pub(crate) grpc_status: String,
    pub(crate) description: String,
    pub(crate) example: String,
    pub(crate) remedy: String,
}

/// `muster.options.v1.webhook`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WebhookRules {
    pub(crate) name: String,
    pub(crate) example: String,
}

/// `muster.options.v1.webhooks`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WebhooksRules {
    pub(crate) body: String,
    pub(crate) full: Vec<String>,
}
