//! `google.api.HttpBody`: an answer that is a file. Written by hand, since it is never JSON and its bytes are shared.

/// One whole file, or one piece of it in a stream.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize)]
pub struct HttpBody {
    /// Its media type; in a stream that of the first piece holds.
    #[prost(string, tag = "1")]
    pub content_type: String,
    /// Its bytes.
    #[prost(bytes = "bytes", tag = "2")]
    #[serde(skip)]
    pub data: prost::bytes::Bytes,
}
