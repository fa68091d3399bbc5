//! Rpcs as functions on JSON.

use std::collections::HashMap;

use http_kit::{CheckCredential, Problem, check_credential, read_value, write_answer};
use muster_api::{
    Scope,
    binding::{self, InternalVisitor, PublicRpc, Rpc, RpcVisitor},
    validation::check,
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
    encode: fn(Input) -> Result<EncodedRequest, Problem>,
    /// Reads core's answer and writes it as JSON.
    json: fn(&[u8]) -> Result<String, Problem>,
    /// Checks its input, as far as this is possible without core.
    pub(crate) check: fn(Input) -> Result<(), Problem>,
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
        let answer = core.answer((self.encode)(input)?, context).await;
        let (message, _metadata) = answer.map_err(|status| Problem::from(&status))?;
        let text = (self.json)(&message)?;
        Ok(Output { text })
    }
}

/// The rpcs by their gRPC paths.
#[derive(Default)]
pub(crate) struct Rpcs {
    pub(crate) entries: HashMap<&'static str, Entry>,
    /// The rpc that checks credentials.
    pub(crate) checks_credential: Option<CheckCredential>,
}

impl RpcVisitor for Rpcs {
    fn visit<R: PublicRpc>(&mut self, _rpc: R) {
        let entry = Entry {
            name: binding::name(R::GRPC_PATH),
            encode: |input| Ok(EncodedRequest::new::<R>(&message::<R>(input)?)),
            json: |message| write_answer::<R, _>(message, serde_json::to_string),
            check: check_input::<R>,
            takes_key: R::IDEMPOTENCY_KEY,
            scope: R::SCOPE,
        };
        self.entries.insert(R::GRPC_PATH, entry);
    }
}

impl InternalVisitor for Rpcs {
    fn visit<R: Rpc>(&mut self, _rpc: R) {
        if R::CHECKS_CREDENTIAL {
            self.checks_credential = Some(check_credential::<R>);
        }
    }
}

fn check_input<R: PublicRpc>(input: Input) -> Result<(), Problem> {
    check(&message::<R>(input)?).map_err(|violations| Problem::invalid(&violations))
}

fn message<R: PublicRpc>(input: Input) -> Result<R::Request, Problem> {
    let mut message = read_value::<R>(Value::Object(input.fields))?;
    R::set_update_mask(&mut message, input.mask);
    Ok(message)
}
