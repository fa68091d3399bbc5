//! MCP tools: the definitions for clients, and what the bridge needs to call them.
//!
//! The schemas use only what strict clients accept (docs/pitfalls.md, rmcp): no choice of schemas, no lists of types, no references, no
//! formats and patterns, and always an object as the outermost type.

use serde_json::{Value, json};

use crate::{
    descriptions::{self, Descriptions},
    model::{Api, Cardinality, Field, Kind, Method},
    options::Tool,
    schema::{self, Object, present},
};

/// The argument that confirms a call.
pub(crate) const CONFIRM: &str = "confirm";
/// The argument that names the fields which a partial update empties, since portable schemas have no null.
pub(crate) const CLEAR: &str = "clear";

/// The table, in the order of the proto.
pub(crate) fn emit(api: &Api) -> Value {
    let mut descriptions = Descriptions::default();
    api.methods()
        .filter_map(|method| {
            let mut row = row(api, method, method.rules.tool.as_ref()?);
            descriptions.leave_out(row.get_mut("tool")?);
            Some(row)
        })
        .collect()
}

fn row(api: &Api, method: &Method, tool: &Tool) -> Value {
    let preview = tool.confirmation.as_ref().and_then(|confirmation| {
        let rpc = api
            .methods()
            .find(|other| other.name == confirmation.preview_rpc)?;
        let takes = api.message(&rpc.request).fields.iter();
        let unless = Some(confirmation.unless.as_str()).filter(|field| !field.is_empty());
        Some(present(json!({
            "grpc_path": rpc.grpc_path,
            "takes": takes.map(|field| &field.name).collect::<Vec<_>>(),
            "question": confirmation.question,
            "unless": unless,
        })))
    });
    let row = present(json!({
        "grpc_path": method.grpc_path,
        "updates": updates(api, method),
        "confirmation": preview,
        "tool": definition(api, method, tool),
    }));
    row.into()
}

/// The fields that a mask may name: all but those in the path of a partial update, else the lists that have a default.
fn updates(api: &Api, method: &Method) -> Option<Vec<String>> {
    let fields = &api.message(&method.request).fields;
    let mask = fields.iter().find(|field| field.kind == Kind::FieldMask)?;
    let named = fields.iter().filter(|field| {
        if mask.is_update_mask() {
            field.kind != Kind::FieldMask && !in_path(method, field)
        } else {
            field.is_defaulted_list()
        }
    });
    Some(named.map(|field| field.name.clone()).collect())
}

fn in_path(method: &Method, field: &Field) -> bool {
    let route = method.routes.first();
    route.is_some_and(|route| route.path_fields.contains(&field.name))
}

/// As `tools/list` answers it. What a tool answers is read when it comes: schemas of answers would be a fourth of the list.
fn definition(api: &Api, method: &Method, tool: &Tool) -> Object {
    present(json!({
        "name": tool.name,
        "title": title(tool),
        "description": tool.description,
        "inputSchema": arguments(api, method, tool),
        "annotations": annotations(tool),
    }))
}

/// The title, unless it only repeats the name, which clients show then.
fn title(tool: &Tool) -> Option<&str> {
    (!descriptions::words(&tool.title).is_subset(&descriptions::words(&tool.name)))
        .then_some(tool.title.as_str())
}

/// Those that differ from MCP's defaults, and whether changes can be undone, since the default is that they cannot.
///
/// The title is set beside them. A second one here would be for the revision 2025-03-26 alone, which has names to show.
fn annotations(tool: &Tool) -> Object {
    if tool.read_only {
        // The others mean nothing without changes, and what is read was written by strangers: an open world, as the default is.
        return present(json!({ "readOnlyHint": true }));
    }
    present(json!({
        "destructiveHint": tool.destructive,
        "openWorldHint": (!tool.open_world).then_some(false),
    }))
}

/// Every field of the request, and the additional arguments of tools.
fn arguments(api: &Api, method: &Method, tool: &Tool) -> Object {
    let request = api.message(&method.request);
    let (masks, fields): (Vec<&Field>, Vec<&Field>) = request
        .fields
        .iter()
        .partition(|field| field.kind == Kind::FieldMask);
    let mut properties: Object = fields
        .iter()
        .map(|field| (field.name.clone(), input(api, method, field).into()))
        .collect();
    if masks.iter().any(|mask| mask.is_update_mask())
        && fields.iter().any(|field| field.meaning.nullable)
    {
        properties.insert(CLEAR.to_owned(), clear(&fields));
    }
    if tool.confirmation.is_some() {
        let confirm = json!({ "type": "boolean", "description": "A person confirmed." });
        properties.insert(CONFIRM.to_owned(), confirm);
    }
    let required = schema::required(fields, |field| {
        field.must_be_given() || in_path(method, field)
    });
    object(&properties, required.as_ref())
}

/// One value, without what strict modes of models refuse. Core has all limits, also those of lists, and its refusals name them.
fn portable(field: &Field) -> Object {
    let mut scalar = schema::scalar(field);
    for keyword in ["format", "minLength", "maxLength"] {
        scalar.shift_remove(keyword);
    }
    scalar
}

fn clear(fields: &[&Field]) -> Value {
    let names = fields
        .iter()
        .filter(|field| field.meaning.nullable)
        .map(|field| &field.name);
    json!({
        "type": "array",
        "items": { "type": "string", "enum": names.collect::<Vec<_>>() },
        "description": "Fields to empty.",
    })
}

/// An object. It is open, since Gemini has no word for closed ones; unknown arguments are refused by name.
fn object(properties: &Object, required: Option<&Value>) -> Object {
    let mut schema = schema::object(properties);
    schema.extend(present(json!({ "required": required })));
    schema
}

/// An argument. The parts of a message are described by the first tool that takes it: others would repeat them.
fn input(api: &Api, method: &Method, field: &Field) -> Object {
    let one = match &field.kind {
        Kind::Message(name) => {
            let fields = &api.message(name).fields;
            let is_first = is_first_to_take(api, method, name);
            let properties = fields.iter().map(|field| {
                let mut part = input(api, method, field);
                if !is_first {
                    part.shift_remove("description");
                }
                (field.name.clone(), part.into())
            });
            let required = schema::required(fields, Field::must_be_given);
            object(&properties.collect(), required.as_ref())
        }
        _ => portable(field),
    };
    let mut argument = match field.cardinality {
        Cardinality::Many => schema::list_of(&one),
        Cardinality::One | Cardinality::Optional => one,
    };
    argument.insert("description".to_owned(), description(field).into());
    argument
}

/// Whether a tool is the first that takes such a message.
fn is_first_to_take(api: &Api, method: &Method, message: &str) -> bool {
    let takes = |other: &&Method| {
        let mut fields = api.message(&other.request).fields.iter();
        let is_it = |kind: &Kind| matches!(kind, Kind::Message(name) if name == message);
        other.rules.tool.is_some() && fields.any(|field| is_it(&field.kind))
    };
    let first = api.methods().find(takes);
    // Of parts of parts there is no such tool: they are described wherever they are.
    first.is_none_or(|first| first.name == method.name)
}

/// The field's comment, without the sentences on null, which is for JSON bodies, and with its default, which strict clients refuse as a
/// keyword.
fn description(field: &Field) -> String {
    let described = schema::description(field);
    let sentences = descriptions::sentences(&described);
    let kept: String = sentences
        .filter(|sentence| !sentence.starts_with("Null "))
        .collect();
    kept.trim_end().to_owned()
}
