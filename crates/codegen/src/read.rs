//! Reads descriptors into the model. Everything that is not supported is refused here, by name, at build time.

mod webhooks;

use std::collections::HashSet;

use anyhow::{Context as _, Result, bail, ensure};
use proc_macro2::TokenStream;
use prost_reflect::{
    DescriptorPool, FieldDescriptor, FileDescriptor, Kind as ProtoKind, MessageDescriptor,
    MethodDescriptor, ServiceDescriptor,
};
use prost_types::{MethodOptions, method_options::IdempotencyLevel};

use crate::{
    check,
    model::{Api, Cardinality, EMPTY_LISTS, Field, Kind, Message, Method, Response, Service},
    options::{
        self, Access, ApiRules, FieldMeaning, FieldRules, Http, MethodRules, Reason, Upload,
    },
    route,
};

/// The enum whose values are the reasons for errors.
const REASONS: &str = "ErrorReason";
/// What the values of that enum start with.
const REASON_PREFIX: &str = "ERROR_REASON_";

/// Reads the public package.
pub(crate) fn public(pool: &DescriptorPool, package: &str, runtime: &TokenStream) -> Result<Api> {
    let rules = rules(pool, package)?;
    let api = Api {
        package: package.to_owned(),
        is_internal: false,
        runtime: runtime.clone(),
        services: services(pool, package)?,
        messages: messages(pool, package, false)?,
        reasons: reasons(pool, package)?,
        webhooks: webhooks::read(pool, package)?,
        scopes: rules.scopes.clone(),
        rules,
    };
    check::public(&api)?;
    Ok(api)
}

/// Reads an internal package, with the reasons and scopes of the public one.
pub(crate) fn internal(pool: &DescriptorPool, package: &str, public: &Api) -> Result<Api> {
    let api = Api {
        package: package.to_owned(),
        is_internal: true,
        runtime: public.runtime.clone(),
        services: services(pool, package)?,
        messages: messages(pool, package, true)?,
        reasons: public.reasons.clone(),
        webhooks: None,
        scopes: public.scopes.clone(),
        rules: ApiRules::default(),
    };
    check::internal(&api)?;
    Ok(api)
}

fn services(pool: &DescriptorPool, package: &str) -> Result<Vec<Service>> {
    let services = pool
        .services()
        .filter(|service| service.parent_file().package_name() == package);
    in_order(services, ServiceDescriptor::parent_file)
        .iter()
        .map(service)
        .collect()
}

fn messages(pool: &DescriptorPool, package: &str, is_internal: bool) -> Result<Vec<Message>> {
    let inputs = inputs(pool, package);
    let messages = pool
        .all_messages()
        .filter(|message| message.parent_file().package_name() == package);
    in_order(messages, MessageDescriptor::parent_file)
        .iter()
        .map(|descriptor| message(descriptor, &inputs, is_internal))
        .collect()
}

/// In the order of the names of their files. The pool has imported files first, and documents must not change with an import.
fn in_order<T>(found: impl Iterator<Item = T>, file: impl Fn(&T) -> FileDescriptor) -> Vec<T> {
    let mut found: Vec<T> = found.collect();
    found.sort_by_cached_key(|one| file(one).name().to_owned());
    found
}

/// The API's option, which one of its files has.
fn rules(pool: &DescriptorPool, package: &str) -> Result<ApiRules> {
    for file in pool.files().filter(|file| file.package_name() == package) {
        let rules: ApiRules = options::read(&file.options(), "muster.options.v1.api")?;
        if rules.base_path.starts_with('/') {
            return Ok(rules);
        }
    }
    bail!("no file of {package} has the option muster.options.v1.api with a base_path")
}

/// Full names of the messages in requests.
fn inputs(pool: &DescriptorPool, package: &str) -> HashSet<String> {
    let services = pool
        .services()
        .filter(|service| service.parent_file().package_name() == package);
    let mut waiting: Vec<MessageDescriptor> = services
        .flat_map(|service| {
            service
                .methods()
                .map(|method| method.input())
                .collect::<Vec<_>>()
        })
        .collect();
    let mut inputs = HashSet::new();
    while let Some(message) = waiting.pop() {
        if inputs.insert(message.full_name().to_owned()) {
            waiting.extend(
                message
                    .fields()
                    .filter_map(|field| field.kind().as_message().cloned()),
            );
        }
    }
    inputs
}

fn service(descriptor: &ServiceDescriptor) -> Result<Service> {
    let methods = descriptor
        .methods()
        .map(|method_descriptor| {
            method(descriptor, &method_descriptor)
                .with_context(|| format!("rpc {}", method_descriptor.full_name()))
        })
        .collect::<Result<_>>()?;
    Ok(Service {
        name: descriptor.name().to_owned(),
        comment: comment(&descriptor.parent_file(), descriptor.path()),
        methods,
    })
}

fn method(service: &ServiceDescriptor, descriptor: &MethodDescriptor) -> Result<Method> {
    let rules: MethodRules = options::read(&descriptor.options(), "muster.options.v1.method")?;
    let http: Http = options::read(&descriptor.options(), "google.api.http")?;
    says_who_may_call(&rules)?;
    ensure!(
        rules.caching.is_none() || rules.access == Access::Public,
        "it is not public, so no cache may keep what it answers"
    );
    ensure!(
        !descriptor.is_client_streaming(),
        "client streaming is not supported"
    );
    let response = match descriptor.output().full_name() {
        "google.api.HttpBody" => Response::File {
            media_type: rules.media_type.clone(),
        },
        _ => Response::Message(descriptor.output().name().to_owned()),
    };
    ensure!(
        !descriptor.is_server_streaming() || matches!(response, Response::File { .. }),
        "server streaming is supported for google.api.HttpBody only"
    );
    let level = descriptor
        .method_descriptor_proto()
        .options
        .as_ref()
        .map(MethodOptions::idempotency_level);
    ensure!(
        !rules.idempotency_key || level != Some(IdempotencyLevel::NoSideEffects),
        "it changes nothing, so it takes no idempotency key"
    );
    let is_read = level == Some(IdempotencyLevel::NoSideEffects);
    ensure!(
        !rules.changes_catalogue || !is_read,
        "it changes nothing, so not the catalogue either"
    );
    let title = rules.tool.as_ref().map_or("", |tool| &tool.title);
    let summary = match rules.summary.as_str() {
        "" => title.to_owned(),
        summary => summary.to_owned(),
    };
    Ok(Method {
        name: descriptor.name().to_owned(),
        comment: comment(&descriptor.parent_file(), descriptor.path()),
        grpc_path: format!("/{}/{}", service.full_name(), descriptor.name()),
        request: descriptor.input().name().to_owned(),
        response,
        server_streaming: descriptor.is_server_streaming(),
        read_only: is_read,
        idempotent: level.is_some_and(|level| level != IdempotencyLevel::IdempotencyUnknown),
        summary,
        routes: route::read(http)?,
        rules,
    })
}

/// Ensures that access and scope are set and fit each other.
fn says_who_may_call(rules: &MethodRules) -> Result<()> {
    let names_scope = rules.scope.is_some();
    ensure!(
        !rules.step_up || rules.access == Access::Session,
        "only sessions step up, so its access must be ACCESS_SESSION"
    );
    ensure!(
        !rules.some_events || names_scope,
        "members of some events are kept only from what needs a scope, so it must name one"
    );
    match rules.access {
        Access::Unspecified => bail!("it does not say its access"),
        Access::Public => {
            ensure!(
                !names_scope && !rules.no_scope,
                "it is public, so it needs no scope"
            );
            ensure!(
                !rules.idempotency_key,
                "it is public, but idempotency keys belong to accounts"
            );
        }
        Access::Bearer | Access::Paid | Access::Session => ensure!(
            names_scope != rules.no_scope,
            "it has to name the scope that it needs, or say no_scope: true"
        ),
    }
    Ok(())
}

fn message(
    descriptor: &MessageDescriptor,
    inputs: &HashSet<String>,
    is_internal: bool,
) -> Result<Message> {
    ensure!(
        descriptor.oneofs().all(|oneof| oneof.is_synthetic()),
        "message {}: oneof is not supported",
        descriptor.name()
    );
    ensure!(
        descriptor.parent_message().is_none() || descriptor.is_map_entry(),
        "message {}: a message within another is not supported",
        descriptor.full_name()
    );
    let fields = descriptor
        .fields()
        .map(|descriptor| {
            field(&descriptor, is_internal)
                .with_context(|| format!("field {}", descriptor.full_name()))
        })
        .collect::<Result<Vec<Field>>>()?;
    ensure!(
        !fields.iter().any(Field::is_defaulted_list)
            || fields.iter().any(|field| field.name == EMPTY_LISTS),
        "message {}: a list with a default needs a field mask {EMPTY_LISTS}",
        descriptor.name()
    );
    Ok(Message {
        name: descriptor.name().to_owned(),
        comment: comment(&descriptor.parent_file(), descriptor.path()),
        fields,
        is_input: inputs.contains(descriptor.full_name()),
    })
}

fn field(descriptor: &FieldDescriptor, is_internal: bool) -> Result<Field> {
    ensure!(!descriptor.is_map(), "maps are not supported");
    let package = descriptor.parent_file().package_name().to_owned();
    let kind = match descriptor.kind() {
        ProtoKind::String => Kind::String,
        ProtoKind::Int32 => Kind::Int32,
        ProtoKind::Bool => Kind::Bool,
        ProtoKind::Int64 if is_internal => Kind::Int64,
        ProtoKind::Enum(one) if is_internal && one.package_name() == package => {
            Kind::Enum(one.name().to_owned())
        }
        ProtoKind::Message(message) if message.full_name() == "google.protobuf.FieldMask" => {
            Kind::FieldMask
        }
        ProtoKind::Message(message) if message.full_name() == "google.api.HttpBody" => Kind::File,
        ProtoKind::Message(message) if message.package_name() == package => {
            Kind::Message(message.name().to_owned())
        }
        other => bail!("type {other:?} is not supported"),
    };
    let cardinality = match (descriptor.is_list(), descriptor.supports_presence()) {
        (true, _) => Cardinality::Many,
        (_, true) => Cardinality::Optional,
        _ => Cardinality::One,
    };
    let rules: FieldRules = options::read(&descriptor.options(), "buf.validate.field")?;
    let meaning: FieldMeaning = options::read(&descriptor.options(), "muster.options.v1.field")?;
    ensure!(
        !rules.required || cardinality == Cardinality::Optional,
        "a required field is declared optional, so that a missing one can be told from an empty one"
    );
    ensure!(
        meaning.default_ints.is_empty()
            || (kind == Kind::Int32 && cardinality == Cardinality::Many),
        "only a list of int32 has default_ints"
    );
    let is_bounded = |upload: &Upload| !upload.media_types.is_empty() && upload.max_mebibytes > 0;
    ensure!(
        (kind == Kind::File) == meaning.upload.as_ref().is_some_and(is_bounded),
        "a file, and nothing else, says its media types and its largest size (upload)"
    );
    let takes_bytes = |upload: &Upload| match &upload.media_types[..] {
        [_, _, ..] => upload.media_types.iter().any(|name| name == Upload::BYTES),
        _ => true,
    };
    ensure!(
        meaning.upload.as_ref().is_none_or(takes_bytes),
        "a file of one of several media types may also be sent as {}: many generated clients know one type",
        Upload::BYTES
    );
    Ok(Field {
        name: descriptor.name().to_owned(),
        comment: comment(&descriptor.parent_file(), descriptor.path()),
        kind,
        cardinality,
        rules,
        meaning,
    })
}

fn reasons(pool: &DescriptorPool, package: &str) -> Result<Vec<Reason>> {
    let Some(descriptor) = pool.get_enum_by_name(&format!("{package}.{REASONS}")) else {
        bail!("{package} has no enum {REASONS}");
    };
    let mut reasons = Vec::new();
    for value in descriptor.values().filter(|value| value.number() != 0) {
        let mut reason: Reason = options::read(&value.options(), "muster.options.v1.reason")?;
        let code = value.name().strip_prefix(REASON_PREFIX);
        let code =
            code.with_context(|| format!("{} does not start with {REASON_PREFIX}", value.name()))?;
        ensure!(
            (400..=599).contains(&reason.http_status),
            "{code}: {} is no HTTP error",
            reason.http_status
        );
        code.clone_into(&mut reason.code);
        reasons.push(reason);
    }
    Ok(reasons)
}

/// The comment above a declaration, unwrapped: lines joined, paragraphs kept.
fn comment(file: &FileDescriptor, path: &[i32]) -> String {
    let info = file.file_descriptor_proto().source_code_info.as_ref();
    let location =
        info.and_then(|info| info.location.iter().find(|location| location.path == path));
    let text = location.map_or("", |location| location.leading_comments());
    let paragraphs = text.trim().split("\n\n");
    let unwrap = |paragraph: &str| {
        paragraph
            .lines()
            .map(str::trim)
            .collect::<Vec<_>>()
            .join(" ")
    };
    paragraphs.map(unwrap).collect::<Vec<_>>().join("\n\n")
}
