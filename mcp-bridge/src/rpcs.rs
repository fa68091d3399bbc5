//! Rpcs as functions on JSON.

use std::collections::HashMap;

use http_kit::{CheckCredential, Problem, Read, check_credential, read_value, write_answer};
use muster_api::{
    Scope,
    binding::{self, InternalVisitor, PublicRpc, Rpc, RpcVisitor},
    validation::check,
    violation::{Violation, Violations},
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

/// What is wrong with an input.
#[derive(Default)]
pub(crate) struct Mistakes {
    /// As far as it is known without core.
    pub(crate) found: Vec<Violation>,
    /// What core can be asked for the rest, as a request with mistakes.
    pub(crate) rest: Option<EncodedRequest>,
}

impl Mistakes {
    /// Everything that is wrong.
    pub(crate) async fn judged(self, core: &Core, context: &Context) -> Problem {
        let refused = match self.rest {
            Some(rest) => {
                let context = context.clone().with_mistakes();
                core.answer(rest, &context).await.err()
            }
            None => None,
        };
        Problem::of_mistakes(self.found, refused.map(|status| Problem::from(&status)))
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
            encode: encode::<R>,
            json: |message| write_answer::<R, _>(message, serde_json::to_string),
            check: |input| mistakes::<R>(read::<R>(input)),
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

fn encode<R: PublicRpc>(input: Input) -> Result<EncodedRequest, Mistakes> {
    let read = read::<R>(input);
    match &read.message {
        Some(message) if read.mistakes.is_empty() => Ok(EncodedRequest::new::<R>(message)),
        _ => Err(mistakes::<R>(read)),
    }
}

/// What is wrong with what was read.
fn mistakes<R: PublicRpc>(Read { message, mistakes }: Read<R::Request>) -> Mistakes {
    let mut found = Violations::from(mistakes);
    let mut rest = None;
    if let Some(message) = message {
        found.add_others(check(&message).err().unwrap_or_default());
        rest = R::COLLECTS_MISTAKES.then(|| EncodedRequest::new::<R>(&message));
    }
    Mistakes {
        found: found.as_slice().to_vec(),
        rest,
    }
}

fn read<R: PublicRpc>(input: Input) -> Read<R::Request> {
    let mut read = read_value::<R>(Value::Object(input.fields));
    if let Some(message) = &mut read.message {
        R::set_update_mask(message, input.mask);
    }
    read
}
