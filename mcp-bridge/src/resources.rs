//! Resources, which are read by URI.

use http_kit::Problem;
use muster_api::Reason;
use rmcp::model::{ReadResourceResult, Resource as Shown, ResourceContents, ResourceTemplate};
use rpc_client::{Context, Core};
use serde_json::Value;

use crate::{
    rpcs::Input,
    table::{Resource, Table},
    template,
};

/// The field of a list's answer with the items.
const ITEMS: &str = "items";

/// Every resource that can be listed.
pub(crate) async fn list(
    table: &Table,
    core: &Core,
    context: &Context,
) -> Result<Vec<Shown>, Problem> {
    let mut shown = Vec::new();
    for resource in &table.resources {
        let Some(list) = resource.list else {
            continue;
        };
        let answer = list.call(core, Input::default(), context).await?;
        let answer = answer.value();
        let items = answer.get(ITEMS).and_then(Value::as_array);
        let items = items.into_iter().flatten();
        shown.extend(items.map(|item| shown_as(&resource.template, item)));
    }
    Ok(shown)
}

/// The templates of resources.
pub(crate) fn templates(table: &Table) -> Vec<ResourceTemplate> {
    let unlisted = table.resources.iter().filter(|one| one.list.is_none());
    unlisted.map(|one| one.template.clone()).collect()
}

/// Reads a resource.
pub(crate) async fn read(
    table: &Table,
    core: &Core,
    context: &Context,
    uri: &str,
) -> Result<ReadResourceResult, Problem> {
    let fits = |resource: &Resource| template::fit(&resource.template.uri_template, uri);
    let found = table
        .resources
        .iter()
        .find_map(|resource| Some((resource, fits(resource)?)));
    let (resource, fields) = found
        .ok_or_else(|| Problem::new(Reason::NotFound, "there is no resource with this URI"))?;
    let input = Input {
        fields,
        mask: Vec::new(),
    };
    let answer = resource.rpc.call(core, input, context).await?;
    let text = match &resource.text {
        Some(field) => template::field(&answer.value(), field).unwrap_or_default(),
        None => answer.text,
    };
    let mut contents = ResourceContents::text(text, uri);
    if let Some(media_type) = &resource.template.mime_type {
        contents = contents.with_mime_type(media_type);
    }
    Ok(ReadResourceResult::new(vec![contents]))
}

fn shown_as(template: &ResourceTemplate, item: &Value) -> Shown {
    let fill = |text: &str| template::fill(text, |name| template::field(item, name));
    let mut shown = Shown::new(fill(&template.uri_template), fill(&template.name));
    shown.title = template.title.as_deref().map(fill);
    shown.description = template.description.as_deref().map(fill);
    shown.mime_type.clone_from(&template.mime_type);
    shown
}
