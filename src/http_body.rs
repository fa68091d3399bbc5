//! `google.api.HttpBody`: a file as an answer, or in a request. It is not generated, since it has no JSON form and its bytes are shared.

/// One whole file, or one piece of it in a stream.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize)]
pub struct HttpBody {
    /// Its media type; in a stream, the first piece has it.
    #[prost(string, tag = "1")]
    pub content_type: String,
    /// Its bytes.
    #[prost(bytes = "bytes", tag = "2")]
    #[serde(skip)]
    pub data: prost::bytes::Bytes,
}
