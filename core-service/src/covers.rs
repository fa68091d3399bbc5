//! stub
#![expect(missing_docs)]
use bytes::Bytes;
#[derive(Debug, Clone)]
pub struct Studio;
pub struct Cover {
    pub etag: String,
    pub png: Bytes,
}
pub struct CoverRequest {
    pub title: String,
    pub subtitle: Vec<String>,
    pub words: String,
}
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("busy")]
    Busy,
    #[error("{0}")]
    Drawing(String),
}
impl Studio {
    pub fn new() -> Self {
        Self
    }
    pub async fn cover(&self, _: CoverRequest) -> Result<Cover, Error> {
        Err(Error::Busy)
    }
}
