//! The model of the proto files. The modules that write outputs read only this.

use proc_macro2::TokenStream;
use serde_json::Value;

use crate::{
    options::{
        ApiRules, FieldMeaning, FieldRules, Int32Rules, MethodRules, Reason, ScopeRule, StringRules,
    },
    route::Route,
};

/// The field mask that names lists which are meant to be empty, though they have a default.
pub(crate) const EMPTY_LISTS: &str = "empty_lists";

/// One package.
#[derive(Debug)]
pub(crate) struct Api {
    /// For example `muster.v1`.
    pub(crate) package: String,
    /// Whether it is internal: plain gRPC, without JSON, documents, tools and reflection.
    pub(crate) is_internal: bool,
    /// The path of the runtime crate in generated code.
    pub(crate) runtime: TokenStream,
    pub(crate) rules: ApiRules,
    pub(crate) services: Vec<Service>,
    pub(crate) messages: Vec<Message>,
    /// The public package's, which internal packages share.
    pub(crate) reasons: Vec<Reason>,
    /// The public package's, which internal packages share.
    pub(crate) scopes: Vec<ScopeRule>,
    /// The public package's webhook messages, if it has any.
    pub(crate) webhooks: Option<Webhooks>,
}

impl Api {
    /// The runtime's path as text, for attributes.
    pub(crate) fn runtime_path(&self) -> String {
        self.runtime.to_string().replace(' ', "")
    }

    /// The message of this name. The reader has checked all references.
    pub(crate) fn message(&self, name: &str) -> &Message {
        self.messages
            .iter()
            .find(|message| message.name == name)
            .expect("references were checked when read")
    }

    /// Every rpc of every service.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &Method> {
        self.services.iter().flat_map(|service| &service.methods)
    }
}

/// A gRPC service.
#[derive(Debug)]
pub(crate) struct Service {
    /// For example `EventService`.
    pub(crate) name: String,
    pub(crate) comment: String,
    pub(crate) methods: Vec<Method>,
}

/// An rpc.
#[derive(Debug)]
pub(crate) struct Method {
    /// For example `CreateEvent`.
    pub(crate) name: String,
    pub(crate) comment: String,
    /// For example `/muster.v1.EventService/CreateEvent`.
    pub(crate) grpc_path: String,
    /// Name of the request message.
    pub(crate) request: String,
    pub(crate) response: Response,
    pub(crate) server_streaming: bool,
    /// Whether it changes nothing.
    pub(crate) read_only: bool,
    /// Whether it is idempotent.
    pub(crate) idempotent: bool,
    /// Its title in the OpenAPI document: its own, or that of its tool; empty if it has none.
    pub(crate) summary: String,
    /// Its HTTP routes: none, or one and additional ones.
    pub(crate) routes: Vec<Route>,
    pub(crate) rules: MethodRules,
}

/// The content of an rpc's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Response {
    /// The message of this name.
    Message(String),
    /// `google.api.HttpBody`.
    File {
        /// For example `image/png`.
        media_type: String,
    },
}

/// A message.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) name: String,
    pub(crate) comment: String,
    pub(crate) fields: Vec<Field>,
    /// Whether it is part of a request.
    pub(crate) is_input: bool,
}

impl Message {
    /// Whether the field may be null in JSON.
    pub(crate) fn may_be_null(&self, field: &Field) -> bool {
        if self.is_input {
            field.meaning.nullable
        } else {
            field.cardinality == Cardinality::Optional
        }
    }

    /// Whether the field must be present in JSON.
    pub(crate) fn must_have(&self, field: &Field) -> bool {
        if self.is_input {
            field.must_be_given()
        } else {
            field.cardinality != Cardinality::Optional
        }
    }
}

/// A field of a message.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) comment: String,
    pub(crate) kind: Kind,
    pub(crate) cardinality: Cardinality,
    pub(crate) rules: FieldRules,
    pub(crate) meaning: FieldMeaning,
}

impl Field {
    /// Whether a request without it is refused. A list that is left out is empty.
    pub(crate) fn must_be_given(&self) -> bool {
        self.rules.required || self.rules.repeated.min_items.is_some_and(|least| least > 0)
    }

    /// The rules on its values, if they are strings.
    pub(crate) const fn string_rules(&self) -> &StringRules {
        match (&self.rules.repeated.items, self.cardinality) {
            (Some(items), Cardinality::Many) => &items.string,
            _ => &self.rules.string,
        }
    }

    /// The rules on its values, if they are integers.
    pub(crate) const fn int32_rules(&self) -> &Int32Rules {
        match (&self.rules.repeated.items, self.cardinality) {
            (Some(items), Cardinality::Many) => &items.int32,
            _ => &self.rules.int32,
        }
    }

    /// Whether it names the fields that a partial update changes.
    pub(crate) fn is_update_mask(&self) -> bool {
        self.kind == Kind::FieldMask && self.name != EMPTY_LISTS
    }

    /// Whether it is a list that is not empty if it is left out.
    pub(crate) const fn is_defaulted_list(&self) -> bool {
        !self.meaning.default_ints.is_empty()
    }
}

/// The type of one value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    Int32,
    /// Only in internal packages: JSON has no such numbers.
    Int64,
    Bool,
    /// The enum of this name. Only in internal packages: in JSON, closed sets are strings.
    Enum(String),
    /// The message of this name.
    Message(String),
    /// `google.protobuf.FieldMask`, made from the keys of a body.
    FieldMask,
    /// `google.api.HttpBody` in a request: a file, which is the whole body over HTTP. It has no JSON form.
    File,
}

/// The cardinality of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cardinality {
    /// Exactly one; the type's zero when absent.
    One,
    /// One or none.
    Optional,
    /// Any number.
    Many,
}

/// Webhook messages.
#[derive(Debug)]
pub(crate) struct Webhooks {
    /// What they are for.
    pub(crate) comment: String,
    /// Name of the message that is their body.
    pub(crate) body: String,
    /// Names of the fields of its data that are null with thin content.
    pub(crate) full: Vec<String>,
    pub(crate) types: Vec<WebhookType>,
}

/// A type of webhook messages.
#[derive(Debug)]
pub(crate) struct WebhookType {
    /// For example `event.created`.
    pub(crate) name: String,
    /// When a message has it.
    pub(crate) comment: String,
    /// What is different in its example from that of the body: an object.
    pub(crate) example: Value,
}
