//! MCP's methods over the table.

use std::{borrow::Cow, sync::Arc};

use http::HeaderMap;
use http_kit::Problem;
use muster_api::idempotency_key::{self, META};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
        Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, RequestMetaObject, RequestStateCodec, ServerCapabilities,
        ServerConfig, Tool as Definition,
    },
    service::RequestContext,
};
use rpc_client::Core;
use server::traces;
use tracing::Instrument as _;

use crate::{
    Options,
    answer::{self, Failed},
    arguments,
    caller::Caller,
    confirmation, observe, prompts, resources,
    rpcs::{Input, Output},
    table::{Table, Tool},
};

/// The supported revisions. The one before has another transport. 2025-03-26 has no structured answers, which its clients ignore.
pub(crate) const REVISIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// The handler of one or all clients. Clones share everything.
#[derive(Clone)]
pub(crate) struct Bridge(Arc<Inner>);

struct Inner {
    table: Arc<Table>,
    core: Core,
    options: Options,
    codec: RequestStateCodec,
    /// On standard input, the headers that replace those of HTTP.
    local: Option<HeaderMap>,
}

impl Bridge {
    pub(crate) fn new(
        table: Arc<Table>,
        core: Core,
        options: Options,
        codec: RequestStateCodec,
        local: Option<HeaderMap>,
    ) -> Self {
        Self(Arc::new(Inner {
            table,
            core,
            options,
            codec,
            local,
        }))
    }

    fn caller(&self, cx: &RequestContext<RoleServer>) -> Caller {
        Caller::of(cx, self.0.local.as_ref())
    }

    fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.0.table.by_name.get(name)
    }

    async fn run(
        &self,
        tool: &Tool,
        request: CallToolRequestParams,
        caller: &Caller,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failed> {
        let arguments = match arguments::read(tool, request.arguments.clone()) {
            Ok(arguments) => arguments,
            Err(mistakes) => {
                let context = caller.context(&self.0.options);
                return Err(mistakes.judged(&self.0.core, &context).await.into());
            }
        };
        let key = idempotency_key(tool, &cx.meta)?;
        if let Some(confirmation) = &tool.confirmation {
            let call = confirmation::Call {
                core: &self.0.core,
                options: &self.0.options,
                codec: &self.0.codec,
                caller,
                cx,
                can_ask: self.0.local.is_some(),
            };
            let held = call.hold(tool, confirmation, &arguments, &request).await?;
            if let Some(answer) = held {
                return Ok(answer);
            }
        }
        // The time limit of the call does not include the person's time.
        let output = self
            .call(tool, arguments.input, key, &cx.meta, caller)
            .await?;
        Ok(answer::success(output).into())
    }

    async fn call(
        &self,
        tool: &Tool,
        input: Input,
        key: Option<&str>,
        meta: &RequestMetaObject,
        caller: &Caller,
    ) -> Result<Output, Problem> {
        let mut context = caller.context(&self.0.options);
        let trace = observe::trace_of(meta);
        if let Some(trace) = &trace {
            context = context.with_trace(trace);
        }
        let trace = trace.as_ref().unwrap_or_else(|| caller.headers());
        let span = traces::called(observe::span(tool), trace);
        if let Some(key) = key {
            context = context.with_idempotency_key(key);
        }
        let answer = tool.rpc.call(&self.0.core, input, &context);
        answer.instrument(span).await
    }
}

/// The idempotency key of a call, if there is one and the tool takes it.
fn idempotency_key<'m>(
    tool: &Tool,
    meta: &'m RequestMetaObject,
) -> Result<Option<&'m str>, Problem> {
    let Some(key) = meta.get(META).filter(|_| tool.rpc.takes_key) else {
        return Ok(None);
    };
    // Only a string can be a key.
    let key = key.as_str().unwrap_or_default();
    let checked = idempotency_key::check(&format!("_meta[\"{META}\"]"), key);
    checked.map_err(|wrong| Problem::invalid(&[wrong]))?;
    Ok(Some(key))
}

impl ServerHandler for Bridge {
    fn get_info(&self) -> ServerConfig {
        let about = &self.0.table.about;
        let mut server = Implementation::new(&about.name, env!("CARGO_PKG_VERSION"));
        server.title = Some(about.title.clone());
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(&about.instructions)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        REVISIONS.into()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        whole(request)?;
        let tools = self.0.table.tools.iter();
        let tools = tools.map(|tool| tool.definition.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Definition> {
        Some(self.tool(name)?.definition.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name) else {
            observe::count(None, observe::REFUSED);
            let message = format!("there is no tool {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let caller = self.caller(&cx);
        tokio::select! {
            // The client has disconnected or cancelled the call. Dropping it cancels it in core.
            () = cx.ct.cancelled() => {
                observe::count(Some(tool), observe::CANCELLED);
                Err(ErrorData::internal_error("cancelled", None))
            }
            answer = self.run(tool, request, &caller, &cx) => {
                observe::count(Some(tool), observe::outcome(&answer));
                match answer {
                    Ok(answer) => Ok(answer),
                    Err(Failed::Protocol(error)) => Err(error),
                    Err(Failed::Refused(problem)) => {
                        caller.note(&tool.definition.name, &problem);
                        Ok(answer::refusal(&problem).into())
                    }
                }
            }
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        whole(request)?;
        let caller = self.caller(&cx);
        let context = caller.context(&self.0.options);
        let listed = resources::list(&self.0.table, &self.0.core, &context).await;
        let listed = listed.map_err(|problem| {
            caller.note("resources/list", &problem);
            answer::protocol_error(&problem, None)
        });
        Ok(ListResourcesResult::with_all_items(listed?))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        whole(request)?;
        let templates = resources::templates(&self.0.table);
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&cx);
        let context = caller.context(&self.0.options);
        tokio::select! {
            () = cx.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            read = resources::read(&self.0.table, &self.0.core, &context, &request.uri) => {
                read.map(Into::into).map_err(|problem| {
                    caller.note("resources/read", &problem);
                    answer::protocol_error(&problem, Some(&request.uri))
                })
            }
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        whole(request)?;
        let prompts = self.0.table.prompts.iter();
        let prompts = prompts.map(|row| row.prompt.clone()).collect();
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&self.0.table, &request).map(Into::into)
    }
}

/// Lists are not paged, so no cursor is valid.
fn whole(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "the cursor is not valid: lists have one page",
            None,
        )),
    }
}
