//! The head of a Connect request, and what becomes of it over gRPC.

use base64::{
    Engine as _,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Method, Request, StatusCode, Uri, Version,
    header::{ALLOW, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TE},
};
use http_body_util::Full;
use muster_api::{Reason, deadline, status::status};
use percent_encoding::percent_decode;
use prost_reflect::{
    MethodDescriptor,
    prost_types::{MethodOptions, method_options::IdempotencyLevel},
};
use tonic::{Status, body::Body};

use super::{error::Refusal, message::announced, schema::Schema};

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("connect-protocol-version");
const TIMEOUT: HeaderName = HeaderName::from_static("connect-timeout-ms");
const STREAM_ENCODING: HeaderName = HeaderName::from_static("connect-content-encoding");
const ACCEPT_POST: HeaderName = HeaderName::from_static("accept-post");

/// The protocol allows no more digits of a timeout.
const MOST_DIGITS: usize = 10;

/// The longest timeout that gRPC can write in milliseconds: more than a day, and the gate allows far less.
const LONGEST_MILLIS: u64 = 99_999_999;

/// Whether the rpc answers once or with a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The HTTP bodies are the messages.
    Unary,
    /// Messages have a prefix, as in gRPC.
    Stream,
}

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Json,
    Binary,
}

/// A call by the Connect protocol.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) rpc: MethodDescriptor,
    pub(super) form: Form,
    pub(super) codec: Codec,
}

impl Call {
    /// The content type of the request and of the answer.
    pub(super) const fn content_type(&self) -> &'static str {
        content_type(self.form, self.codec)
    }
}

const fn content_type(form: Form, codec: Codec) -> &'static str {
    match (form, codec) {
        (Form::Unary, Codec::Json) => "application/json",
        (Form::Unary, Codec::Binary) => "application/proto",
        (Form::Stream, Codec::Json) => "application/connect+json",
        (Form::Stream, Codec::Binary) => "application/connect+proto",
    }
}

/// Reads the head of a request. Returns the call and its request over gRPC.
pub(super) fn read(
    schema: &Schema,
    request: Request<Body>,
) -> Result<(Call, Request<Body>), Refusal> {
    let path = request.uri().path();
    let Some(rpc) = schema.rpc(path) else {
        let message = format!("there is no rpc {path}");
        return Err(Refusal::of(Status::unimplemented(message)).with(StatusCode::NOT_FOUND));
    };
    let (call, mut request) = match *request.method() {
        Method::POST => posted(rpc, request)?,
        Method::GET if has_no_side_effects(&rpc) => got(rpc, request)?,
        _ => return Err(wrong_method(&rpc)),
    };
    let headers = request.headers_mut();
    check_version(headers.remove(PROTOCOL_VERSION).as_ref())?;
    let timeout = headers.remove(TIMEOUT).map(|value| timeout(&value));
    headers.remove(deadline::HEADER);
    if let Some(timeout) = timeout.transpose()? {
        headers.insert(deadline::HEADER, timeout);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(TE, HeaderValue::from_static("trailers"));
    *request.version_mut() = Version::HTTP_2;
    request.extensions_mut().insert(call.clone());
    Ok((call, request))
}

/// A call whose message is in the body.
fn posted(
    rpc: MethodDescriptor,
    mut request: Request<Body>,
) -> Result<(Call, Request<Body>), Refusal> {
    let headers = request.headers_mut();
    let given = headers.get(CONTENT_TYPE).map(media_type);
    let form = form(&rpc);
    let codec = given.and_then(|given| {
        let mut codecs = codecs(&rpc).iter().copied();
        codecs.find(|codec| given.eq_ignore_ascii_case(content_type(form, *codec)))
    });
    let Some(codec) = codec else {
        return Err(wrong_media_type(&rpc));
    };
    let encoding = match form {
        Form::Unary => CONTENT_ENCODING,
        Form::Stream => STREAM_ENCODING,
    };
    if let Some(encoding) = headers.remove(encoding)
        && encoding != "identity"
    {
        let message = "compressed messages are not accepted: send them as they are (identity)";
        return Err(Refusal::of(Status::unimplemented(message)));
    }
    let length = headers.remove(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let request = match form {
        Form::Unary => request.map(|body| announced(length, body)),
        Form::Stream => request,
    };
    Ok((Call { rpc, form, codec }, request))
}

/// A call whose message is in the query.
fn got(rpc: MethodDescriptor, request: Request<Body>) -> Result<(Call, Request<Body>), Refusal> {
    let (mut head, _no_body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    let parameter = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(found, _)| *found == name)?;
        // A plus sign is a space there.
        let spaced = value.replace('+', " ");
        Some(percent_decode(spaced.as_bytes()).collect::<Bytes>())
    };
    if parameter("connect").is_some_and(|version| version != "v1") {
        return Err(malformed("connect must be v1"));
    }
    if parameter("compression").is_some_and(|name| name != "identity" && !name.is_empty()) {
        return Err(malformed("compression must be identity"));
    }
    let codec = match parameter("encoding").as_deref() {
        Some(b"json") => Codec::Json,
        Some(b"proto") => Codec::Binary,
        _ => return Err(malformed("encoding must be json or proto")),
    };
    let Some(mut message) = parameter("message") else {
        return Err(malformed(
            "message is required: the request, for example {}",
        ));
    };
    if parameter("base64").is_some_and(|base64| base64 == "1") {
        let bytes = ANY_PADDING.decode(&message);
        message = bytes
            .map_err(|_| malformed("message must be base64 for URLs"))?
            .into();
    }
    let form = Form::Unary;
    head.method = Method::POST;
    head.uri = head.uri.path().parse().unwrap_or_else(|_| Uri::default());
    let body = announced(Some(message.len()), Body::new(Full::new(message)));
    Ok((Call { rpc, form, codec }, Request::from_parts(head, body)))
}

const ANY_PADDING: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn form(rpc: &MethodDescriptor) -> Form {
    if rpc.is_client_streaming() || rpc.is_server_streaming() {
        Form::Stream
    } else {
        Form::Unary
    }
}

/// The codecs of an rpc. Streams of requests pass as they come, so that they are binary.
fn codecs(rpc: &MethodDescriptor) -> &'static [Codec] {
    if rpc.is_client_streaming() {
        &[Codec::Binary]
    } else {
        &[Codec::Json, Codec::Binary]
    }
}

/// Whether it may be called with GET.
fn has_no_side_effects(rpc: &MethodDescriptor) -> bool {
    let options = rpc.method_descriptor_proto().options.as_ref();
    let level = options.map(MethodOptions::idempotency_level);
    level == Some(IdempotencyLevel::NoSideEffects) && form(rpc) == Form::Unary
}

/// A content type without its parameters.
fn media_type(value: &HeaderValue) -> &str {
    let value = value.to_str().unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

/// Clients need not say the version; there is only one.
fn check_version(version: Option<&HeaderValue>) -> Result<(), Refusal> {
    if version.is_none_or(|version| version == "1") {
        return Ok(());
    }
    Err(malformed("connect-protocol-version must be 1"))
}

/// The time limit of a call as gRPC writes it.
fn timeout(millis: &HeaderValue) -> Result<HeaderValue, Refusal> {
    let digits = millis.as_bytes();
    let is_number = digits.iter().all(u8::is_ascii_digit) && digits.len() <= MOST_DIGITS;
    let millis: Option<u64> = millis.to_str().ok().and_then(|text| text.parse().ok());
    let millis = millis.filter(|_| is_number);
    let timeout = millis.map(|millis| format!("{}m", millis.min(LONGEST_MILLIS)));
    timeout
        .and_then(|timeout| timeout.parse().ok())
        .ok_or_else(|| malformed("connect-timeout-ms must be a number of at most 10 digits"))
}

fn malformed(message: &str) -> Refusal {
    Refusal::of(status(Reason::InvalidRequest, message))
}

fn wrong_method(rpc: &MethodDescriptor) -> Refusal {
    let allowed = if has_no_side_effects(rpc) {
        "GET, POST"
    } else {
        "POST"
    };
    let status = Status::unimplemented(format!("this rpc is called with {allowed}"));
    let refusal = Refusal::of(status).with(StatusCode::METHOD_NOT_ALLOWED);
    refusal.saying(ALLOW, HeaderValue::from_static(allowed))
}

fn wrong_media_type(rpc: &MethodDescriptor) -> Refusal {
    let types = codecs(rpc)
        .iter()
        .map(|codec| content_type(form(rpc), *codec));
    let accepted = types.collect::<Vec<_>>().join(", ");
    let status = Status::unimplemented(format!("the content type of this rpc is {accepted}"));
    let refusal = Refusal::of(status).with(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    match accepted.parse() {
        Ok(accepted) => refusal.saying(ACCEPT_POST, accepted),
        Err(_) => refusal,
    }
}
