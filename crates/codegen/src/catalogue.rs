//! How answers depend on the public catalogue: what edges need to know of those that they keep.

use anyhow::{Result, bail, ensure};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::{Api, Cardinality, Field, Kind, Message, Method, Response},
    rust::ident,
};

/// Checks that the fields that the option names are there.
pub(crate) fn check(api: &Api, method: &Method) -> Result<()> {
    let Some(catalogue) = &method.catalogue else {
        return Ok(());
    };
    let Response::Message(answer) = &method.response else {
        bail!("its answer is a file, which no edge keeps");
    };
    for filter in &catalogue.filters {
        let field = find(api.message(&method.request), filter);
        let is_text = |field: &Field| {
            field.kind == Kind::String && field.cardinality == Cardinality::Optional
        };
        ensure!(
            field.is_some_and(is_text),
            "catalogue.filters: its request has no optional text {filter}"
        );
    }
    if catalogue.seats_of.is_empty() {
        return Ok(());
    }
    let path: Vec<&str> = catalogue.seats_of.split('.').collect();
    let slug = steps(api, answer, &path).and_then(|steps| steps.last().copied());
    let is_text = |slug: &Field| slug.kind == Kind::String && slug.cardinality == Cardinality::One;
    ensure!(
        slug.is_some_and(is_text),
        "catalogue.seats_of: its answer has no text {}",
        catalogue.seats_of
    );
    Ok(())
}

/// The methods of `Rpc` for an answer that depends on the catalogue.
pub(crate) fn emit(api: &Api, method: &Method) -> TokenStream {
    let (Some(catalogue), Response::Message(answer)) = (&method.catalogue, &method.response) else {
        return TokenStream::new();
    };
    let filters = catalogue.filters.iter().map(|name| ident(name));
    let is_filtered = (!catalogue.filters.is_empty()).then(|| {
        quote! {
            fn is_filtered(request: &Self::Request) -> bool {
                [#(&request.#filters),*].into_iter().flatten().any(|filter| !filter.is_empty())
            }
        }
    });
    let path: Vec<&str> = catalogue.seats_of.split('.').collect();
    let seats_of = steps(api, answer, &path).map(|steps| {
        let body = visits(&steps);
        quote! {
            fn seats_of(response: &Self::Response, visit: &mut dyn FnMut(&str)) {
                #body
            }
        }
    });
    quote! {
        #is_filtered
        #seats_of
    }
}

/// Visits the texts at the end of a path from `response`.
fn visits(steps: &[&Field]) -> TokenStream {
    let Some((text, messages)) = steps.split_last() else {
        return TokenStream::new();
    };
    let text = ident(&text.name);
    let visit = quote! { visit(&response.#text); };
    // The innermost loop is made first.
    messages.iter().rev().fold(visit, |body, field| {
        let name = ident(&field.name);
        if field.cardinality == Cardinality::Many {
            quote! { for response in &response.#name { #body } }
        } else {
            quote! { if let Some(response) = &response.#name { #body } }
        }
    })
}

/// The fields on a path from a message; none if there is no such path.
fn steps<'a>(api: &'a Api, message: &str, path: &[&str]) -> Option<Vec<&'a Field>> {
    let (first, rest) = path.split_first()?;
    let field = find(api.message(message), first)?;
    let mut all = vec![field];
    match (&field.kind, rest) {
        (Kind::Message(inner), rest) => all.extend(steps(api, inner, rest)?),
        (_, []) => {}
        _ => return None,
    }
    Some(all)
}

fn find<'a>(message: &'a Message, name: &str) -> Option<&'a Field> {
    message.fields.iter().find(|field| field.name == name)
}
