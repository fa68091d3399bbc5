//! A binding without its types, so that what serves it is compiled once, and not for each.

use http::Method;
use http_kit::{Problem, read_json, write_answer};
use muster_api::{
    Scope,
    binding::{Access, Binding, Body, Caching, Content, InvalidParameter},
    http_body::HttpBody,
    validation::check,
    violation::Violation,
};
use rpc_client::{EncodedRequest, RpcMethod};

/// What the gateway has to know of a binding. See [`Binding`] for what each is.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) query_fields: &'static [&'static str],
    pub(crate) list_fields: &'static [&'static str],
    pub(crate) body: Body,
    pub(crate) content: Content,
    pub(crate) access: Access,
    pub(crate) scope: Option<Scope>,
    pub(crate) takes_key: bool,
    pub(crate) collects_mistakes: bool,
    pub(crate) caching: Option<Caching>,
    /// Whether it is a `GET`.
    pub(crate) is_read: bool,
    pub(crate) method: RpcMethod,
    pub(crate) draft: fn() -> Box<dyn Draft>,
    /// Reads core's answer and writes it as JSON.
    pub(crate) json: fn(&[u8]) -> Result<Json, Problem>,
}

/// Core's answer as JSON.
pub(crate) struct Json {
    pub(crate) text: Vec<u8>,
    /// The parameter that leads to the next page, and its value.
    pub(crate) next_page: Option<(&'static str, String)>,
}

impl Route {
    pub(crate) fn of<B: Binding>() -> Self {
        Self {
            path: B::PATH,
            query_fields: B::QUERY_FIELDS,
            list_fields: B::LIST_FIELDS,
            body: B::BODY,
            content: B::CONTENT,
            access: B::ACCESS,
            scope: B::SCOPE,
            takes_key: B::IDEMPOTENCY_KEY,
            collects_mistakes: B::COLLECTS_MISTAKES,
            caching: B::CACHING,
            is_read: B::METHOD == Method::GET,
            method: RpcMethod::of::<B>(),
            draft: || Box::new(DraftOf::<B>(B::Request::default())),
            json: json::<B>,
        }
    }

    pub(crate) fn is_public(&self) -> bool {
        self.access == Access::Public
    }
}

fn json<B: Binding>(message: &[u8]) -> Result<Json, Problem> {
    write_answer::<B, _>(message, |answer| {
        Ok(Json {
            text: B::to_json(answer)?,
            next_page: B::next_page(answer),
        })
    })
}

/// A request message that is being made.
pub(crate) trait Draft: Send {
    /// Sets a field of the path or the query.
    fn set(&mut self, field: &str, text: &str) -> Result<(), InvalidParameter>;
    /// Replaces everything by what a body has. Returns what is wrong with the body's fields, and whether the others could be read.
    fn read(&mut self, body: &[u8]) -> Result<(Vec<Violation>, bool), Problem>;
    /// Sets the file that is the body.
    fn set_file(&mut self, file: HttpBody);
    /// What is wrong by the rules of the proto.
    fn check(&self) -> Vec<Violation>;
    fn encode(&self) -> EncodedRequest;
}

struct DraftOf<B: Binding>(B::Request);

impl<B: Binding> Draft for DraftOf<B> {
    fn set(&mut self, field: &str, text: &str) -> Result<(), InvalidParameter> {
        B::set(&mut self.0, field, text)
    }

    fn read(&mut self, body: &[u8]) -> Result<(Vec<Violation>, bool), Problem> {
        let read = read_json::<B>(body, B::PATH_FIELDS)?;
        let is_read = read.message.is_some();
        self.0 = read.message.unwrap_or_default();
        Ok((read.mistakes, is_read))
    }

    fn set_file(&mut self, file: HttpBody) {
        B::set_file(&mut self.0, file);
    }

    fn check(&self) -> Vec<Violation> {
        check(&self.0).err().unwrap_or_default()
    }

    fn encode(&self) -> EncodedRequest {
        EncodedRequest::new::<B>(&self.0)
    }
}
