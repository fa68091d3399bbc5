//! A binding without its types, so that what serves it is compiled once, and not for each.

use http::Method;
use http_kit::{Mistakes, Problem, Read, read_json, write_answer};
use muster_api::{
    Scope,
    binding::{Access, Binding, Body, Caching, Content, InvalidParameter},
    http_body::HttpBody,
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
            caching: B::CACHING,
            is_read: B::METHOD == Method::GET,
            method: RpcMethod::of::<B>(),
            draft: || Box::new(DraftOf::<B>(B::Request::default().into())),
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

/// A request that is being read.
pub(crate) trait Draft: Send {
    /// Sets a field of the path or the query.
    fn set(&mut self, field: &str, text: &str) -> Result<(), InvalidParameter>;
    /// Notes what is wrong with fields of the path or the query.
    fn note(&mut self, mistakes: Vec<Violation>);
    /// Replaces everything by what a body has.
    fn read(&mut self, body: &[u8]) -> Result<(), Problem>;
    /// Sets the file that is the body.
    fn set_file(&mut self, file: HttpBody);
    /// The request for core, or what is wrong with it.
    fn encode(self: Box<Self>) -> Result<EncodedRequest, Mistakes>;
}

struct DraftOf<B: Binding>(Read<B::Request>);

impl<B: Binding> Draft for DraftOf<B> {
    fn set(&mut self, field: &str, text: &str) -> Result<(), InvalidParameter> {
        let message = self.0.message.as_mut();
        message.map_or(Ok(()), |message| B::set(message, field, text))
    }

    fn note(&mut self, mistakes: Vec<Violation>) {
        self.0.mistakes.extend(mistakes);
    }

    fn read(&mut self, body: &[u8]) -> Result<(), Problem> {
        self.0 = read_json::<B>(body, B::PATH_FIELDS)?;
        Ok(())
    }

    fn set_file(&mut self, file: HttpBody) {
        if let Some(message) = &mut self.0.message {
            B::set_file(message, file);
        }
    }

    fn encode(self: Box<Self>) -> Result<EncodedRequest, Mistakes> {
        self.0.encode::<B>()
    }
}
