//! Rpcs as functions on JSON.

use std::collections::HashMap;

use http_kit::{Mistakes, Problem, Read, read_value, write_answer};
use muster_api::{
    Scope,
    binding::{self, PublicRpc, RpcVisitor},
};
use rpc_client::{Context, Core, EncodedRequest};
use serde_json::{Map, Value};

/// The input of an rpc.
#[derive(Debug, Clone, Default)]
pub(crate) struct Input {
    /// The request's fields.
    pub(crate) fields: Map<String, Value>,
    /// For a partial update: the fields to change.
    pub(crate) mask: Vec<String>,
}

/// The answer of an rpc.
#[derive(Debug)]
pub(crate) struct Output {
    /// The whole message as JSON.
    pub(crate) text: String,
}

impl Output {
    /// The same as a value.
    pub(crate) fn value(&self) -> Value {
        // It was written as JSON.
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// One rpc.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Its name for operators.
    pub(crate) name: &'static str,
    /// Reads its input.
    encode: fn(Input) -> Result<EncodedRequest, Mistakes>,
    /// Reads core's answer and writes it as JSON.
    json: fn(&[u8]) -> Result<String, Problem>,
    /// Checks its input, as far as this is possible without core.
    pub(crate) check: fn(Input) -> Mistakes,
    /// Whether it takes an idempotency key.
    pub(crate) takes_key: bool,
    /// The scope that the caller's credential must have, if any.
    pub(crate) scope: Option<Scope>,
}

impl Entry {
    /// Calls it.
    pub(crate) async fn call(
        &self,
        core: &Core,
        input: Input,
        context: &Context,
    ) -> Result<Output, Problem> {
        let request = match (self.encode)(input) {
            Ok(request) => request,
            Err(mistakes) => return Err(mistakes.judged(core, context).await),
        };
        let answer = core.answer(request, context).await;
        let (message, _metadata) = answer.map_err(|status| Problem::from(&status))?;
        let text = (self.json)(&message)?;
        Ok(Output { text })
    }
}

/// The rpcs by their gRPC paths.
#[derive(Default)]
pub struct Rpcs {
    pub(crate) entries: HashMap<&'static str, Entry>,
}

impl RpcVisitor for Rpcs {
    fn visit<R: PublicRpc>(&mut self, _rpc: R) {
        let entry = Entry {
            name: binding::name(R::GRPC_PATH),
            encode: |input| read::<R>(input).encode::<R>(),
            json: |message| write_answer::<R, _>(message, serde_json::to_string),
            check: |input| Mistakes::of::<R>(read::<R>(input)),
            takes_key: R::IDEMPOTENCY_KEY,
            scope: R::SCOPE,
        };
        self.entries.insert(R::GRPC_PATH, entry);
    }
}

fn read<R: PublicRpc>(input: Input) -> Read<R::Request> {
    let mut read = read_value::<R>(Value::Object(input.fields));
    if let Some(message) = &mut read.message {
        R::set_update_mask(message, input.mask);
    }
    read
}
