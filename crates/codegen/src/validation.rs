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
    let runtime = &api.runtime;
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
                .filter_map(|field| checks(api, &message.fields, field))
                .collect();
            let fill_defaults = (!defaults.is_empty()).then(|| {
                quote! { fn fill_defaults(&mut self) { #(#defaults)* } }
            });
            let validate = (!checks.is_empty()).then(|| {
                quote! { fn validate(&self, check: &mut #runtime::validation::Check) { #(#checks)* } }
            });
            quote! { impl Validate for super::#name { #fill_defaults #validate } }
        });
    quote! {
        use #runtime::validation::Validate;
        #(#impls)*
    }
}

/// Sets the defaults of absent fields, and encodes the domains of email addresses.
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
    if field.is_defaulted_list() {
        let (runtime, text) = (&api.runtime, &field.name);
        let values = field.meaning.default_ints.iter();
        let values = values.copied().map(Literal::i32_unsuffixed);
        return Some(quote! {
            if self.#name.is_empty() && !#runtime::validation::names(&self.empty_lists, #text) {
                self.#name.extend([#(#values),*]);
            }
        });
    }
    let FieldMeaning {
        default_int,
        default_string,
        default_bool,
        ..
    } = &field.meaning;
    if field.string_rules().email && field.cardinality == Cardinality::Optional {
        let runtime = &api.runtime;
        return Some(quote! {
            if let Some(#name) = &mut self.#name { #runtime::email::encode(#name); }
        });
    }
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

/// Checks one field: its presence, its number of items, and each value.
fn checks(api: &Api, fields: &[Field], field: &Field) -> Option<TokenStream> {
    let (name, text) = (ident(&field.name), &field.name);
    let required = field
        .rules
        .required
        .then(|| quote! { check.field(#text).required(self.#name.is_some()); });
    let count = count(field).map(|rule| quote! { check.field(#text)#rule; });
    let is_of_lists = field.kind == Kind::FieldMask && !field.is_update_mask();
    let mask = is_of_lists.then(|| {
        let lists = fields.iter().filter(|field| field.is_defaulted_list());
        let lists = lists.map(|list| &list.name);
        quote! { check.field(#text).paths(&self.#name, &[#(#lists),*]); }
    });
    let value = match field.cardinality {
        Cardinality::One => rules(api, field, &quote! { &self.#name })
            .map(|rules| quote! { check.field(#text)#rules; }),
        Cardinality::Optional => rules(api, field, &quote! { #name }).map(|rules| {
            quote! { if let Some(#name) = &self.#name { check.field(#text)#rules; } }
        }),
        Cardinality::Many => rules(api, field, &quote! { item }).map(|rules| {
            quote! {
                for (index, item) in self.#name.iter().enumerate() {
                    check.item(#text, index)#rules;
                }
            }
        }),
    };
    let all = [required, count, mask, value].into_iter().flatten();
    let all: TokenStream = all.collect();
    (!all.is_empty()).then_some(all)
}

/// The rules on the items together.
fn count(field: &Field) -> Option<TokenStream> {
    let name = ident(&field.name);
    let limits = &field.rules.repeated;
    let number = counts(limits.min_items, limits.max_items)
        .map(|(min, max)| quote! { .items(self.#name.len(), #min, #max) });
    let unique = limits.unique.then(|| quote! { .unique(&self.#name) });
    (number.is_some() || unique.is_some()).then(|| quote! { #number #unique })
}

/// The rules on one value.
fn rules(api: &Api, field: &Field, value: &TokenStream) -> Option<TokenStream> {
    match &field.kind {
        Kind::String => string(field.string_rules(), field.meaning.text, value),
        Kind::Int32 => {
            let limits = field.int32_rules();
            let min = limits.gte.map(Literal::i32_unsuffixed);
            let max = limits.lte.map(Literal::i32_unsuffixed);
            let (min, max) = both(min, max, &quote! { i32 })?;
            Some(quote! { .range(*#value, #min, #max) })
        }
        Kind::Message(message) => {
            let fields = &api.message(message).fields;
            fields
                .iter()
                .any(|field| checks(api, fields, field).is_some())
                .then(|| quote! { .message(#value) })
        }
        Kind::File => {
            let upload = field.meaning.upload.as_ref()?;
            let (types, max) = (&upload.media_types, upload.max_mebibytes);
            let max = Literal::usize_unsuffixed(max);
            Some(quote! { .file(#value, &[#(#types),*], #max << 20) })
        }
        Kind::Int64 | Kind::Bool | Kind::Enum(_) | Kind::FieldMask => None,
    }
}

fn string(rules: &StringRules, text: Text, value: &TokenStream) -> Option<TokenStream> {
    let mut all = TokenStream::new();
    if let Some((min, max)) = counts(rules.min_len, rules.max_len) {
        all.extend(quote! { .length(#value, #min, #max) });
    }
    match text {
        Text::Line => all.extend(quote! { .line(#value) }),
        Text::Paragraphs => all.extend(quote! { .paragraphs(#value) }),
        Text::Unspecified => {}
    }
    if rules.email {
        all.extend(quote! { .email(#value) });
    }
    if !rules.r#in.is_empty() {
        let choices = &rules.r#in;
        all.extend(quote! { .one_of(#value, &[#(#choices),*]) });
    }
    (!all.is_empty()).then_some(all)
}

/// Limits of a count; `None` without limits.
fn counts(min: Option<usize>, max: Option<usize>) -> Option<(TokenStream, TokenStream)> {
    // A count is never negative.
    let min = min.or(max.is_some().then_some(0));
    let literal = |count: Option<usize>| count.map(Literal::usize_unsuffixed);
    both(literal(min), literal(max), &quote! { usize })
}

/// Both limits, with the type's own if one is not set; `None` if neither is.
fn both(
    min: Option<Literal>,
    max: Option<Literal>,
    of: &TokenStream,
) -> Option<(TokenStream, TokenStream)> {
    if min.is_none() && max.is_none() {
        return None;
    }
    let or = |limit: Option<Literal>, otherwise| limit.map_or(otherwise, |limit| quote! { #limit });
    Some((or(min, quote! { #of::MIN }), or(max, quote! { #of::MAX })))
}
