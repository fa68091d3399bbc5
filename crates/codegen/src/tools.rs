//! MCP tools: the definitions for clients, and what the bridge needs to call them.
//!
//! The schemas use only what strict clients accept (docs/pitfalls.md, rmcp): no choice of schemas, no lists of types, no references, no
//! formats and patterns, and always an object as the outermost type.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    model::{Api, Cardinality, Field, Kind, Method, Response},
    options::{Access, Tool},
    schema::{self, Object, set},
};

/// The argument that confirms a call.
pub(crate) const CONFIRM: &str = "confirm";
/// The argument that names the fields which a partial update empties, since portable schemas have no null.
pub(crate) const CLEAR: &str = "clear";

/// The table, in the order of the proto.
pub(crate) fn emit(api: &Api) -> Value {
    let mut described = BTreeSet::new();
    api.methods()
        .filter_map(|method| {
            let mut row = row(api, method, method.tool.as_ref()?);
            if let Some(arguments) = row.pointer_mut("/tool/inputSchema/properties") {
                describe_once(arguments, &mut described);
            }
            Some(row)
        })
        .collect()
}

/// An argument that is called and described as one of a tool before is described there: others would repeat it, in a list that clients
/// take only while it is short.
fn describe_once(arguments: &mut Value, described: &mut BTreeSet<(String, String)>) {
    let arguments = arguments.as_object_mut().into_iter().flatten();
    for (name, argument) in arguments {
        let Some(argument) = argument.as_object_mut() else {
            continue;
        };
        let text = argument.get("description").and_then(Value::as_str);
        let text = text.unwrap_or_default().to_owned();
        if !described.insert((name.clone(), text)) {
            argument.shift_remove("description");
        }
    }
}

fn row(api: &Api, method: &Method, tool: &Tool) -> Value {
    let mut row = Object::new();
    set(&mut row, "grpc_path", method.grpc_path.as_str());
    set(
        &mut row,
        "access",
        match method.access {
            Access::Paid => "paid",
            Access::Bearer | Access::Session => "bearer",
            Access::Public | Access::Unspecified => "public",
        },
    );
    let preview = tool.confirmation.as_ref().and_then(|confirmation| {
        let rpc = api
            .methods()
            .find(|other| other.name == confirmation.preview_rpc)?;
        let takes = api.message(&rpc.request).fields.iter();
        let takes: Vec<&str> = takes.map(|field| field.name.as_str()).collect();
        let mut preview = Object::new();
        set(&mut preview, "grpc_path", rpc.grpc_path.as_str());
        set(&mut preview, "takes", takes);
        set(&mut preview, "question", confirmation.question.as_str());
        let unless = Some(confirmation.unless.as_str()).filter(|field| !field.is_empty());
        set(&mut preview, "unless", unless);
        Some(preview)
    });
    set(&mut row, "updates", updates(api, method));
    set(&mut row, "confirmation", preview);
    set(&mut row, "tool", definition(api, method, tool));
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

/// As `tools/list` answers it.
fn definition(api: &Api, method: &Method, tool: &Tool) -> Object {
    let mut definition = Object::new();
    set(&mut definition, "name", tool.name.as_str());
    set(&mut definition, "title", tool.title.as_str());
    set(&mut definition, "description", tool.description.as_str());
    set(&mut definition, "inputSchema", arguments(api, method, tool));
    set(&mut definition, "outputSchema", answer(api, method));
    set(&mut definition, "annotations", annotations(tool));
    definition
}

/// The schema of the answer, for the first tool that makes such a thing for other tools: its ids are needed for later calls. What others
/// answer is read when it comes, and their schemas would be a fourth of the list.
fn answer(api: &Api, method: &Method) -> Option<Object> {
    let is_for_tools = |rpc: &String| {
        let mut others = api.methods();
        others.any(|other| other.name == *rpc && other.tool.is_some())
    };
    if !method
        .links
        .iter()
        .any(|link| link.rpcs.iter().any(is_for_tools))
    {
        return None;
    }
    let first = api.methods().find(|other| {
        let makes = |tool: &Tool| !(tool.read_only || tool.idempotent);
        other.tool.as_ref().is_some_and(makes) && other.response == method.response
    });
    // The reader refuses tools that answer files.
    let Response::Message(name) = &method.response else {
        return None;
    };
    (first?.name == method.name).then(|| output(api, name))
}

/// Those that differ from MCP's defaults, and whether changes can be undone, since the default is that they cannot.
///
/// The title is set beside them. A second one here would be for the revision 2025-03-26 alone, which has names to show.
fn annotations(tool: &Tool) -> Object {
    let mut annotations = Object::new();
    if tool.read_only {
        // Without changes the others mean nothing.
        set(&mut annotations, "readOnlyHint", true);
    } else {
        set(&mut annotations, "destructiveHint", tool.destructive);
        set(
            &mut annotations,
            "idempotentHint",
            tool.idempotent.then_some(true),
        );
    }
    set(&mut annotations, "openWorldHint", tool.open_world);
    annotations
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
        set(&mut properties, CLEAR, clear(&fields));
    }
    if tool.confirmation.is_some() {
        set(
            &mut properties,
            CONFIRM,
            json!({
                "type": "boolean",
                "description": "A person confirmed.",
            }),
        );
    }
    let required = schema::required(fields, |field| {
        field.must_be_given() || in_path(method, field)
    });
    object(properties, required)
}

/// One value, without what strict modes of models refuse. Core has all limits, and its refusals name them.
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
fn object(properties: Object, required: Option<Value>) -> Object {
    let mut schema = schema::object(properties);
    set(&mut schema, "required", required);
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
            object(
                properties.collect(),
                schema::required(fields, Field::must_be_given),
            )
        }
        _ => portable(field),
    };
    let mut argument = match field.cardinality {
        Cardinality::Many => schema::list(field, one),
        Cardinality::One | Cardinality::Optional => one,
    };
    set(&mut argument, "description", description(field));
    argument
}

/// Whether a tool is the first that takes such a message.
fn is_first_to_take(api: &Api, method: &Method, message: &str) -> bool {
    let takes = |other: &&Method| {
        let mut fields = api.message(&other.request).fields.iter();
        let is_it = |kind: &Kind| matches!(kind, Kind::Message(name) if name == message);
        other.tool.is_some() && fields.any(|field| is_it(&field.kind))
    };
    let first = api.methods().find(takes);
    // Of parts of parts there is no such tool: they are described wherever they are.
    first.is_none_or(|first| first.name == method.name)
}

/// The field's comment, without the sentences on null, which is for JSON bodies, and the default: strict clients refuse it as a keyword.
fn description(field: &Field) -> String {
    let described = schema::description(field);
    let sentences = described.split_inclusive(". ");
    let kept: String = sentences
        .filter(|sentence| !sentence.starts_with("Null "))
        .collect();
    kept.trim_end().to_owned()
}

/// An answer. It has types only: a model reads the answer itself. No field is required: what is null is left out.
fn output(api: &Api, name: &str) -> Object {
    let property = |field: &Field| {
        let one = match &field.kind {
            Kind::Message(name) => output(api, name),
            _ => schema::bare(field),
        };
        let property = match field.cardinality {
            Cardinality::Many => schema::list_of(one),
            Cardinality::One | Cardinality::Optional => one,
        };
        (field.name.clone(), property.into())
    };
    schema::object(api.message(name).fields.iter().map(property).collect())
}
