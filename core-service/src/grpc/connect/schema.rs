//! The rpcs that there are, and the canonical JSON of their messages, by descriptors: the generated messages have the JSON of the HTTP
//! API, which is stricter (docs/adr/0002-json-by-serde.md).

use muster_api::{FILE_DESCRIPTOR_SET, status::invalid, violation::Violation};
use process::Failure;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use tonic::Status;

/// The descriptors of all public services, and of the details of errors.
#[derive(Debug, Clone)]
pub(in crate::grpc) struct Schema {
    /// One for each source: they have files of the same names, made by other compilers.
    services: Vec<DescriptorPool>,
    details: DescriptorPool,
}

impl Schema {
    /// Reads the descriptors.
    ///
    /// # Errors
    /// Never for descriptors that the build has compiled.
    pub(in crate::grpc) fn new() -> Result<Self, Failure> {
        let read = |set: &[u8]| {
            DescriptorPool::decode(set).map_err(|error| Failure::Internal(error.to_string()))
        };
        let services = [
            FILE_DESCRIPTOR_SET,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ];
        Ok(Self {
            services: services.into_iter().map(read).collect::<Result<_, _>>()?,
            details: read(tonic_types::pb::FILE_DESCRIPTOR_SET)?,
        })
    }

    /// The public rpc at a path, for example `/muster.v1.EventService/CreateEvent`.
    pub(super) fn rpc(&self, path: &str) -> Option<MethodDescriptor> {
        let (service, name) = path.strip_prefix('/')?.split_once('/')?;
        let mut pools = self.services.iter();
        let service = pools.find_map(|pool| pool.get_service_by_name(service))?;
        service.methods().find(|method| method.name() == name)
    }

    /// A detail of an error, to be written as JSON; `None` for a type that no error here has.
    pub(super) fn detail(&self, type_name: &str, bytes: &[u8]) -> Option<DynamicMessage> {
        let detail = self.details.get_message_by_name(type_name)?;
        DynamicMessage::decode(detail, bytes).ok()
    }
}

/// Reads a request in canonical JSON. Unknown fields are refused, as the mapping recommends.
///
/// # Errors
/// A status that names the field and what is wrong with it.
pub(super) fn read_json(message: MessageDescriptor, json: &[u8]) -> Result<Vec<u8>, Status> {
    let mut source = serde_json::Deserializer::from_slice(json);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut source, &mut track);
    let read = DynamicMessage::deserialize(message, tracked);
    let read = read.and_then(|message| source.end().map(|()| message));
    let message = read.map_err(|error| invalid(&[violation(&track.path().to_string(), &error)]))?;
    Ok(message.encode_to_vec())
}

/// What is wrong there. A question mark in the path stands for what was not read far enough to have a name.
fn violation(path: &str, error: &serde_json::Error) -> Violation {
    const UNKNOWN: &str = "unrecognized field name '";
    let parent = path.trim_end_matches(['?', '.']);
    let error = error.to_string();
    let unknown = error.strip_prefix(UNKNOWN);
    let (field, message) = match unknown.and_then(|rest| rest.split_once('\'')) {
        Some((name, _)) if parent.is_empty() => (name.to_owned(), "is not known here".to_owned()),
        Some((name, _)) => (format!("{parent}.{name}"), "is not known here".to_owned()),
        None if parent.is_empty() => ("body".to_owned(), format!("cannot be read: {error}")),
        None => (parent.to_owned(), format!("cannot be read: {error}")),
    };
    Violation { field, message }
}

/// Writes an answer as canonical JSON.
///
/// # Errors
/// Never for an answer of the rpc that the descriptor is of.
pub(super) fn write_json(message: MessageDescriptor, bytes: &[u8]) -> Result<Vec<u8>, Status> {
    let read = DynamicMessage::decode(message, bytes);
    let message = read.map_err(|error| unwritable(&error))?;
    serde_json::to_vec(&message).map_err(|error| unwritable(&error))
}

fn unwritable(error: &dyn std::error::Error) -> Status {
    tracing::error!(%error, "cannot write an answer as JSON");
    Status::internal("the answer cannot be written as JSON")
}
