//! `buf.validate` rules, text rules and defaults as code. Every violation is reported at once, with its field path.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::{
    model::{Api, Cardinality, Field, Kind},
    options::{FieldMeaning, StringRules, Text},
    rust::ident,
};

/// `impl Validate` for every message that a request is or holds.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let impls = api
        .messages
        .iter()
        .filter(|message| message.is_input)
        .map(|message| {
            let name = ident(&message.name);
            let defaults: Vec<_> = message
                .fields
                .iter()
                .filter_map(|field| default(api, field))
                .collect();
            let checks: Vec<_> = message
                .fields
                .iter()
                .filter_map(|field| checks(api, field))
                .collect();
            let fill_defaults = (!defaults.is_empty()).then(|| {
                quote! { fn fill_defaults(&mut self) { #(#defaults)* } }
            });
            let validate = (!checks.is_empty()).then(|| {
                quote! { fn validate(&self, check: &mut Check) { #(#checks)* } }
            });
            quote! { impl Validate for #name { #fill_defaults #validate } }
        });
    quote! {
        use crate::validation::{Check, Validate};
        #(#impls)*
    }
}

/// Fills in what an absent field means.
fn default(api: &Api, field: &Field) -> Option<TokenStream> {
    let name = ident(&field.name);
    if let Kind::Message(message) = &field.kind {
        let has_defaults = api
            .message(message)
            .fields
            .iter()
            .any(|field| default(api, field).is_some());
        return (has_defaults && field.cardinality == Cardinality::Many)
            .then(|| quote! { self.#name.iter_mut().for_each(Validate::fill_defaults); });
    }
    let FieldMeaning {
        default_int,
        default_string,
        default_bool,
        ..
    } = &field.meaning;
    let value = match (default_int, default_string, default_bool) {
        (Some(value), _, _) => {
            let value = Literal::i32_unsuffixed(*value);
            quote! { #value }
        }
        (_, Some(value), _) => quote! { #value.into() },
        (_, _, Some(value)) => quote! { #value },
        _ => return None,
    };
    Some(quote! { self.#name.get_or_insert(#value); })
}

/// Checks one field.
fn checks(api: &Api, field: &Field) -> Option<TokenStream> {
    let (name, text) = (ident(&field.name), &field.name);
    let required = field
        .rules
        .required
        .then(|| quote! { check.required(#text, self.#name.is_some()); });
    let items = items(field);
    let value = match &field.kind {
        Kind::String => string(field.string_rules(), field.meaning.text),
        Kind::Int32 => int32(field),
        Kind::Message(message) => {
            let has_checks = api
                .message(message)
                .fields
                .iter()
                .any(|field| checks(api, field).is_some());
            has_checks.then(|| quote! { value.validate(check); })
        }
        Kind::Bool | Kind::FieldMask => None,
    };
    let value = value.map(|value| match field.cardinality {
        Cardinality::One => {
            quote! { check.field(#text, |check| { let value = &self.#name; #value }); }
        }
        Cardinality::Optional => {
            quote! { if let Some(value) = &self.#name { check.field(#text, |check| { #value }); } }
        }
        Cardinality::Many => quote! { check.each(#text, &self.#name, |check, value| { #value }); },
    });
    let all = [required, items, value].into_iter().flatten();
    let all: TokenStream = all.collect();
    (!all.is_empty()).then_some(all)
}

fn items(field: &Field) -> Option<TokenStream> {
    let (name, text) = (ident(&field.name), &field.name);
    let rules = &field.rules.repeated;
    if rules.min_items.is_none() && rules.max_items.is_none() {
        return None;
    }
    let (least, most) = (
        count(rules.min_items.unwrap_or(0)),
        count(rules.max_items.unwrap_or(usize::MAX)),
    );
    Some(quote! { check.items(#text, self.#name.len(), #least, #most); })
}

fn string(rules: &StringRules, text: Text) -> Option<TokenStream> {
    let mut checks = TokenStream::new();
    if rules.min_len.is_some() || rules.max_len.is_some() {
        let (least, most) = (
            count(rules.min_len.unwrap_or(0)),
            count(rules.max_len.unwrap_or(usize::MAX)),
        );
        checks.extend(quote! { check.length(value, #least, #most); });
    }
    match text {
        Text::Line => checks.extend(quote! { check.line(value); }),
        Text::Paragraphs => checks.extend(quote! { check.paragraphs(value); }),
        Text::Unspecified => {}
    }
    if !rules.r#in.is_empty() {
        let choices = &rules.r#in;
        checks.extend(quote! { check.one_of(value, &[#(#choices),*]); });
    }
    (!checks.is_empty()).then_some(checks)
}

fn int32(field: &Field) -> Option<TokenStream> {
    let rules = &field.rules.int32;
    if rules.gte.is_none() && rules.lte.is_none() {
        return None;
    }
    let least = Literal::i32_unsuffixed(rules.gte.unwrap_or(i32::MIN));
    let most = Literal::i32_unsuffixed(rules.lte.unwrap_or(i32::MAX));
    Some(quote! { check.range(*value, #least, #most); })
}

/// A count as people write it.
fn count(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}
