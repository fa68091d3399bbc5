//! The shapes of answers, by which edges write JSON from the wire format.

use anyhow::{Result, ensure};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, Cardinality, Field, Kind, Message, Response};

/// As many as the runtime has places for.
const MOST_FIELDS: usize = 32;

/// The name of a message's shape.
pub(crate) fn name(message: &str) -> Ident {
    let mut name = String::new();
    for letter in message.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    format_ident!("{name}")
}

/// The shapes of all answers and of the messages in them, in the order of the proto.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let mut shown: Vec<&str> = Vec::new();
    let mut waiting: Vec<&str> = api.methods().filter_map(answer).collect();
    while let Some(message) = waiting.pop() {
        if !shown.contains(&message) {
            shown.push(message);
            waiting.extend(inner(api.message(message)));
        }
    }
    let messages = api.messages.iter();
    let messages = messages.filter(|message| shown.contains(&message.name.as_str()));
    let shapes = messages.map(shape);
    quote! { #(#shapes)* }
}

/// Checks that JSON can be written from the wire format of an answer.
pub(crate) fn check(message: &Message) -> Result<()> {
    ensure!(
        message.fields.len() <= MOST_FIELDS,
        "message {}: an answer has at most {MOST_FIELDS} fields",
        message.name
    );
    for field in &message.fields {
        let is_packed = field.cardinality == Cardinality::Many
            && !matches!(field.kind, Kind::String | Kind::Message(_));
        ensure!(
            message.is_input || !is_packed,
            "message {}: numbers in a list are not supported in answers: {}",
            message.name,
            field.name
        );
    }
    Ok(())
}

fn answer(method: &crate::model::Method) -> Option<&str> {
    match &method.response {
        Response::Message(name) => Some(name),
        Response::File { .. } => None,
    }
}

fn inner(message: &Message) -> impl Iterator<Item = &str> {
    message.fields.iter().filter_map(|field| match &field.kind {
        Kind::Message(name) => Some(name.as_str()),
        _ => None,
    })
}

fn shape(message: &Message) -> TokenStream {
    let (name, doc) = (name(&message.name), format!(" `{}`", message.name));
    let fields = message.fields.iter().filter_map(field);
    quote! {
        #[doc = #doc]
        pub(super) static #name: Shape = Shape { fields: &[#(#fields),*] };
    }
}

/// A field; none for what is made from the keys of a body, which has no JSON.
fn field(field: &Field) -> Option<TokenStream> {
    let kind = match &field.kind {
        Kind::String => quote! { Kind::Text },
        Kind::Int32 => quote! { Kind::Int },
        Kind::Bool => quote! { Kind::Bool },
        Kind::Message(message) => {
            let message = name(message);
            quote! { Kind::Message(&#message) }
        }
        Kind::FieldMask | Kind::Int64 | Kind::Enum(_) => return None,
    };
    let count = format_ident!(
        "{}",
        match field.cardinality {
            Cardinality::One => "One",
            Cardinality::Optional => "Optional",
            Cardinality::Many => "Many",
        }
    );
    let (name, number) = (&field.name, Literal::u32_unsuffixed(field.number));
    Some(quote! { Field { name: #name, number: #number, kind: #kind, count: Count::#count } })
}
