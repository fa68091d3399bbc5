//! The generated table of tools, resources and prompts, with their rpcs.

use std::{collections::HashMap, sync::Arc};

use rmcp::model::{Prompt, ResourceTemplate, Tool as Definition};
use serde::{Deserialize, de::DeserializeOwned};
use server::Failure;

use crate::rpcs::{Entry, Rpcs};

/// The table.
pub struct Table {
    pub(crate) about: About,
    /// In the order of the proto.
    pub(crate) tools: Vec<Arc<Tool>>,
    pub(crate) by_name: HashMap<String, Arc<Tool>>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) prompts: Vec<PromptRow>,
}

/// Information about the server.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) instructions: String,
}

/// One tool.
pub(crate) struct Tool {
    pub(crate) definition: Definition,
    pub(crate) rpc: Entry,
    /// For a partial update: the fields that it may change.
    pub(crate) updates: Option<Vec<String>>,
    pub(crate) confirmation: Option<Confirmation>,
}

/// The confirmation of a tool.
pub(crate) struct Confirmation {
    /// The rpc of the preview.
    pub(crate) preview: Entry,
    /// The arguments that the preview takes.
    pub(crate) takes: Vec<String>,
    /// The question, with `{field}` for fields of the preview's answer.
    pub(crate) question: String,
    /// The field of the preview's answer that is true if there is nothing to confirm.
    pub(crate) unless: Option<String>,
}

/// One kind of resource.
pub(crate) struct Resource {
    pub(crate) template: ResourceTemplate,
    pub(crate) rpc: Entry,
    /// The field of the answer that is its text; if absent, the whole answer.
    pub(crate) text: Option<String>,
    /// The rpc that lists them.
    pub(crate) list: Option<Entry>,
}

/// One prompt.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PromptRow {
    pub(crate) prompt: Prompt,
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct ToolRow {
    tool: Definition,
    grpc_path: String,
    updates: Option<Vec<String>>,
    confirmation: Option<ConfirmationRow>,
}

#[derive(Deserialize)]
struct ConfirmationRow {
    grpc_path: String,
    takes: Vec<String>,
    question: String,
    unless: Option<String>,
}

#[derive(Deserialize)]
struct Document {
    #[serde(flatten)]
    about: About,
    resources: Vec<ResourceRow>,
    prompts: Vec<PromptRow>,
}

#[derive(Deserialize)]
struct ResourceRow {
    template: ResourceTemplate,
    grpc_path: String,
    text: Option<String>,
    list: Option<String>,
}

impl Table {
    /// Muster's table.
    ///
    /// # Errors
    /// [`Failure::Internal`] when the generated documents contradict each other.
    pub fn muster() -> Result<Self, Failure> {
        let mut rpcs = Rpcs::default();
        muster_api::visit_rpcs(&mut rpcs);
        Self::new(muster_api::TOOLS, muster_api::MCP, &rpcs)
    }

    /// The tools and the document (see `muster_api::TOOLS` and `muster_api::MCP`) over these rpcs.
    ///
    /// # Errors
    /// [`Failure::Internal`] when they contradict each other.
    pub fn new(tools: &str, document: &str, rpcs: &Rpcs) -> Result<Self, Failure> {
        let entry = |path: &str| {
            let found = rpcs.entries.get(path).copied();
            found.ok_or_else(|| Failure::Internal(format!("there is no rpc {path}")))
        };
        let Document {
            about,
            resources,
            prompts,
        } = parse(document)?;
        let tools = parse::<Vec<ToolRow>>(tools)?
            .into_iter()
            .map(|row| tool(row, &entry).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()?;
        let by_name = tools
            .iter()
            .map(|tool| (tool.definition.name.to_string(), Arc::clone(tool)))
            .collect();
        let resources = resources
            .into_iter()
            .map(|row| {
                Ok(Resource {
                    template: row.template,
                    rpc: entry(&row.grpc_path)?,
                    text: row.text,
                    list: row.list.as_deref().map(&entry).transpose()?,
                })
            })
            .collect::<Result<_, Failure>>()?;
        Ok(Self {
            about,
            tools,
            by_name,
            resources,
            prompts,
        })
    }
}

fn tool(row: ToolRow, entry: &impl Fn(&str) -> Result<Entry, Failure>) -> Result<Tool, Failure> {
    let confirmation = row.confirmation.map(|confirmation| {
        Ok::<_, Failure>(Confirmation {
            preview: entry(&confirmation.grpc_path)?,
            takes: confirmation.takes,
            question: confirmation.question,
            unless: confirmation.unless,
        })
    });
    Ok(Tool {
        rpc: entry(&row.grpc_path)?,
        definition: row.tool,
        updates: row.updates,
        confirmation: confirmation.transpose()?,
    })
}

fn parse<T: DeserializeOwned>(json: &str) -> Result<T, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::Internal(format!("the generated table is broken: {error}")))
}
