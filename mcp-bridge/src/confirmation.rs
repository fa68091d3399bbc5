//! Confirmation of a tool call by a person.
//!
//! A person answers a form that the client shows. In the revision without sessions the form is the answer to the call; the client
//! repeats the call with the person's answer and a sealed state, which proves that it is the same call. In older revisions a
//! client on standard input is asked during the call. `confirm: true` is the model's word, so it counts only where no form can be
//! shown; without it such a client gets the preview as text.

use std::{collections::BTreeMap, time::Duration};

use http_kit::{Problem, check_credential};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        BooleanSchema, CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitRequestParams,
        ElicitResult, ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult,
        PrimitiveSchemaDefinition, ProtocolVersion, RequestStateCodec, SealOptions,
    },
    service::RequestContext,
};
use rpc_client::Core;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    Options,
    answer::{Failed, text_result},
    arguments::{Arguments, CONFIRM},
    caller::Caller,
    rpcs::Input,
    table::{Confirmation, Tool},
    template,
};

/// How long a person may take to answer.
const LIFETIME: Duration = Duration::from_mins(10);

/// The error for every invalid state. It has no details, so that a forger learns nothing.
const NO_STATE_OF_OURS: &str = "requestState was not given out for this very call and caller, or too long ago; make the call \
                                without it to be asked again";

/// How a person can confirm a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By a form that answers the call.
    Answer,
    /// By a form that the client is sent during the call.
    Request,
    /// Through the model, which reads a preview and then says so in the arguments.
    Text,
}

/// What the decision on a call needs.
pub(crate) struct Call<'c> {
    pub(crate) core: &'c Core,
    pub(crate) options: &'c Options,
    pub(crate) codec: &'c RequestStateCodec,
    pub(crate) caller: &'c Caller,
    pub(crate) cx: &'c RequestContext<RoleServer>,
    /// Whether the client can be asked during its call.
    pub(crate) can_ask: bool,
}

impl Call<'_> {
    /// `None` if the call may continue, otherwise the answer to it.
    pub(crate) async fn hold(
        &self,
        tool: &Tool,
        confirmation: &Confirmation,
        arguments: &Arguments,
        request: &CallToolRequestParams,
    ) -> Result<Option<CallToolResponse>, Failed> {
        let way = self.way();
        if arguments.is_confirmed && way == Way::Text {
            return Ok(None);
        }
        // A call that would be refused needs no confirmation: scope and request are checked, and it is previewed, first. On standard
        // input core checks the scope with the call only: the bridge is no proven edge there, which core lets ask.
        if tool.rpc.scope.is_some() && !self.can_ask {
            let context = self.caller.context(self.options);
            check_credential(self.core, &context, tool.rpc.scope).await?;
        }
        let mistakes = (tool.rpc.check)(arguments.input.clone());
        if !mistakes.found.is_empty() {
            let context = self.caller.context(self.options);
            return Err(mistakes.judged(self.core, &context).await.into());
        }
        let preview = self.preview(confirmation, &arguments.input).await?;
        let unless = confirmation.unless.as_ref();
        if unless.is_some_and(|field| preview.get(field) == Some(&Value::Bool(true))) {
            return Ok(None);
        }
        let name = &tool.definition.name;
        let question = template::fill(&confirmation.question, |field| {
            template::field(&preview, field)
        });
        match way {
            Way::Text => Ok(Some(unconfirmed(name, &question).into())),
            Way::Request => Ok(decided(name, self.ask(question).await)),
            Way::Answer => self.by_answer(name, question, arguments, request),
        }
    }

    /// Answers with a form, or reads the person's answer to it.
    fn by_answer(
        &self,
        name: &str,
        question: String,
        arguments: &Arguments,
        request: &CallToolRequestParams,
    ) -> Result<Option<CallToolResponse>, Failed> {
        let bound = self.bound(name, &arguments.input.fields);
        if let Some(state) = request.request_state.as_deref() {
            let opened = self.codec.open_with(state, &bound);
            opened.map_err(|_why| ErrorData::invalid_params(NO_STATE_OF_OURS, None))?;
            if let Some(answer) = answered(request)? {
                return Ok(decided(name, Some(answer)));
            }
        }
        // An answer is valid for the question of its state. Without state or answer, the question is asked again.
        let seal = SealOptions::new().associated_data(&bound).ttl(LIFETIME);
        let state = self.codec.seal_with(&[], &seal);
        let form = InputRequest::Elicitation(ElicitRequest::new(form(question)));
        let forms = BTreeMap::from([(CONFIRM.to_owned(), form)]);
        Ok(Some(
            InputRequiredResult::new(Some(forms), Some(state)).into(),
        ))
    }

    async fn preview(&self, confirmation: &Confirmation, call: &Input) -> Result<Value, Problem> {
        let taken = confirmation.takes.iter();
        let fields = taken
            .filter_map(|name| Some((name.clone(), call.fields.get(name)?.clone())))
            .collect();
        // A preview whose request has no mask leaves it out.
        let input = Input {
            fields,
            mask: call.mask.clone(),
        };
        let context = self.caller.context(self.options);
        let output = confirmation
            .preview
            .call(self.core, input, &context)
            .await?;
        Ok(output.value())
    }

    /// How a person can confirm this call.
    fn way(&self) -> Way {
        if !self.shows_forms() {
            Way::Text
        } else if self.is_stateless() {
            Way::Answer
        } else if self.can_ask {
            Way::Request
        } else {
            Way::Text
        }
    }

    /// Whether the client supports forms.
    fn shows_forms(&self) -> bool {
        let capabilities = self.cx.client_capabilities().unwrap_or_default();
        // Without a kind, it means forms.
        capabilities
            .elicitation
            .is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
    }

    /// Whether the answer to a call can be a form in this revision.
    fn is_stateless(&self) -> bool {
        let version = self.cx.protocol_version();
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }

    /// What a state is bound to: the caller, whose access token may be a new one by then, the tool and the arguments.
    fn bound(&self, tool: &str, fields: &Map<String, Value>) -> Vec<u8> {
        let mut fields = fields.clone();
        fields.sort_keys();
        let call = Value::Object(fields).to_string();
        let mut hasher = Sha256::new();
        for part in [
            self.caller.holder().bytes(),
            tool.as_bytes(),
            call.as_bytes(),
        ] {
            hasher.update(part.len().to_be_bytes());
            hasher.update(part);
        }
        hasher.finalize().to_vec()
    }

    /// Asks the client during its call.
    async fn ask(&self, question: String) -> Option<ElicitResult> {
        let asked = self
            .cx
            .peer
            .create_elicitation_with_timeout(form(question), Some(LIFETIME));
        asked.await.ok()
    }
}

/// The person's answer in the call, if any.
fn answered(request: &CallToolRequestParams) -> Result<Option<ElicitResult>, ErrorData> {
    let answers = request.input_responses.as_ref();
    let answer = answers.and_then(|answers| answers.get(CONFIRM)).cloned();
    answer
        .map(serde_json::from_value)
        .transpose()
        .map_err(|error| {
            let message = format!(
                "inputResponses.{CONFIRM} must be what elicitation/create results in: {error}"
            );
            ErrorData::invalid_params(message, None)
        })
}

/// The meaning of a person's answer.
fn decided(tool: &str, answer: Option<ElicitResult>) -> Option<CallToolResponse> {
    let agreed = answer.is_some_and(|answer| {
        let ticked = answer.content.as_ref().and_then(|form| form.get(CONFIRM));
        answer.action == ElicitationAction::Accept && ticked == Some(&Value::Bool(true))
    });
    let text = format!("The user did not confirm {tool}, so nothing was changed.");
    (!agreed).then(|| text_result(text).into())
}

/// The preview for clients without forms.
fn unconfirmed(tool: &str, question: &str) -> rmcp::model::CallToolResult {
    text_result(format!(
        "Nothing has changed yet, since this needs the explicit confirmation of a person. Ask the user: {question} If they agree, \
         call {tool} again with the same arguments and {CONFIRM}: true."
    ))
}

fn form(question: String) -> ElicitRequestParams {
    let tick = BooleanSchema::new()
        .title("Yes, do it")
        .description("Nothing changes unless this is ticked.")
        .with_default(false);
    let properties =
        BTreeMap::from([(CONFIRM.to_owned(), PrimitiveSchemaDefinition::Boolean(tick))]);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question,
        requested_schema: ElicitationSchema::new(properties)
            .with_required(vec![CONFIRM.to_owned()]),
    }
}
