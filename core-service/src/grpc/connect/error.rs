//! Errors as the Connect protocol writes them, and their HTTP statuses.

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use prost::Message as _;
use prost_reflect::DynamicMessage;
use serde::Serialize;
use tonic::{Code, Status, body::Body};

use super::schema::Schema;

/// An error in JSON.
#[derive(Debug, Serialize)]
pub(super) struct ConnectError<'a> {
    code: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail>,
}

/// A detail: the message in base64, and for people as JSON.
#[derive(Debug, Serialize)]
struct Detail {
    r#type: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<DynamicMessage>,
}

impl<'a> ConnectError<'a> {
    pub(super) fn of(schema: &Schema, status: &'a Status) -> Self {
        let whole = tonic_types::Status::decode(status.details()).unwrap_or_default();
        let details = whole.details.into_iter().map(|detail| {
            let name = detail.type_url.rsplit('/').next().unwrap_or_default();
            Detail {
                debug: schema.detail(name, &detail.value),
                r#type: name.to_owned(),
                value: BASE64_STANDARD_NO_PAD.encode(&detail.value),
            }
        });
        Self {
            code: name(status.code()),
            message: status.message(),
            details: details.collect(),
        }
    }
}

/// A refusal of a request.
#[derive(Debug)]
pub(super) struct Refusal {
    status: Status,
    http_status: StatusCode,
    headers: HeaderMap,
}

impl Refusal {
    pub(super) fn of(status: Status) -> Self {
        Self {
            http_status: http_status(status.code()),
            status,
            headers: HeaderMap::new(),
        }
    }

    /// With another HTTP status than that of its code.
    pub(super) fn with(self, http_status: StatusCode) -> Self {
        Self {
            http_status,
            ..self
        }
    }

    /// With one more header.
    pub(super) fn saying(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// With these headers as well.
    pub(super) fn under(mut self, headers: HeaderMap) -> Self {
        self.headers.extend(headers);
        self
    }

    /// The HTTP answer.
    pub(super) fn answer(self, schema: &Schema) -> Response<Body> {
        let error = ConnectError::of(schema, &self.status);
        let json = serde_json::to_vec(&error).unwrap_or_else(|error| {
            tracing::error!(%error, "cannot write an error as JSON");
            b"{\"code\":\"internal\"}".to_vec()
        });
        let mut answer = Response::new(Body::new(Full::new(Bytes::from(json))));
        *answer.status_mut() = self.http_status;
        *answer.headers_mut() = self.headers;
        let json = HeaderValue::from_static("application/json");
        answer.headers_mut().insert(CONTENT_TYPE, json);
        answer
    }
}

const fn name(code: Code) -> &'static str {
    match code {
        Code::Cancelled => "canceled",
        Code::InvalidArgument => "invalid_argument",
        Code::DeadlineExceeded => "deadline_exceeded",
        Code::NotFound => "not_found",
        Code::AlreadyExists => "already_exists",
        Code::PermissionDenied => "permission_denied",
        Code::ResourceExhausted => "resource_exhausted",
        Code::FailedPrecondition => "failed_precondition",
        Code::Aborted => "aborted",
        Code::OutOfRange => "out_of_range",
        Code::Unimplemented => "unimplemented",
        Code::Internal => "internal",
        Code::Unavailable => "unavailable",
        Code::DataLoss => "data_loss",
        Code::Unauthenticated => "unauthenticated",
        // Connect has no name for success, which is no error.
        Code::Unknown | Code::Ok => "unknown",
    }
}

/// The protocol's table.
fn http_status(code: Code) -> StatusCode {
    /// nginx's, for a client that has gone; it has no name.
    const CLIENT_CLOSED_REQUEST: u16 = 499;
    match code {
        Code::Cancelled => {
            StatusCode::from_u16(CLIENT_CLOSED_REQUEST).unwrap_or(StatusCode::BAD_REQUEST)
        }
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            StatusCode::BAD_REQUEST
        }
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Internal | Code::DataLoss | Code::Unknown | Code::Ok => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}
