//! One zero-sized type for each rpc and each additional HTTP route, and the functions that visit them.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::{
    closed_sets,
    model::{Api, Cardinality, Field, Kind, Method, Response},
    options::{Access, MethodRules},
    parts::{Parts, next_page},
    route::Route,
    rust::ident,
};

/// The rpcs, the bindings, `visit_rpcs` and `visit_bindings`.
pub(crate) fn emit(api: &Api) -> TokenStream {
    if api.is_internal {
        return internal(api);
    }
    let runtime = &api.runtime;
    let mut types = TokenStream::new();
    let (mut rpcs, mut names) = (Vec::new(), Vec::new());
    for method in api.methods() {
        rpcs.push(binding_name(method, 0));
        if method.routes.is_empty() {
            types.extend(public(
                api,
                method,
                &binding_name(method, 0),
                &method.comment,
            ));
        }
        for (index, route) in method.routes.iter().enumerate() {
            let name = binding_name(method, index);
            types.extend(binding(api, method, route, &name));
            names.push(name);
        }
    }
    quote! {
        use #runtime::binding::{
            Access, Binding, Body, Caching, Content, InvalidParameter, PublicRpc, Rpc, RpcVisitor, Visitor,
        };
        use #runtime::Scope;

        #types

        /// Visits every rpc, in the order of the proto.
        pub fn visit_rpcs(visitor: &mut impl RpcVisitor) {
            #(visitor.visit(#rpcs);)*
        }

        /// Visits every binding, in the order of the proto.
        pub fn visit_bindings(visitor: &mut impl Visitor) {
            #(visitor.visit(#names);)*
        }
    }
}

/// The rpcs of an internal package and its `visit_rpcs`.
fn internal(api: &Api) -> TokenStream {
    let runtime = &api.runtime;
    let types = api
        .methods()
        .map(|method| rpc(api, method, &binding_name(method, 0), &method.comment));
    let names = api.methods().map(|method| binding_name(method, 0));
    quote! {
        use #runtime::binding::{Access, InternalVisitor, Rpc};
        use #runtime::Scope;

        #(#types)*

        /// Visits every rpc, in the order of the proto.
        pub fn visit_rpcs(visitor: &mut impl InternalVisitor) {
            #(visitor.visit(#names);)*
        }
    }
}

/// The rpc's name; additional routes are numbered from 2.
fn binding_name(method: &Method, index: usize) -> Ident {
    match index {
        0 => ident(&method.name),
        _ => format_ident!("{}{}", method.name, index + 1),
    }
}

/// The type of an rpc.
fn rpc(api: &Api, method: &Method, type_name: &Ident, comment: &str) -> TokenStream {
    let Method {
        name,
        grpc_path,
        read_only,
        idempotent,
        ..
    } = method;
    let MethodRules {
        idempotency_key,
        some_events,
        step_up,
        changes_catalogue,
        collects_mistakes,
        ..
    } = &method.rules;
    let (runtime, is_internal) = (&api.runtime, api.is_internal);
    let request = ident(&method.request);
    let response = match &method.response {
        Response::Message(name) => {
            let name = ident(name);
            quote! { super::#name }
        }
        Response::File { .. } => quote! { #runtime::http_body::HttpBody },
    };
    let (access, scope) = (access(method.rules.access), scope(method));
    let doc = format!(" {comment}");
    quote! {
        #[doc = #doc]
        #[derive(Debug, Clone, Copy)]
        pub struct #type_name;

        impl Rpc for #type_name {
            type Request = super::#request;
            type Response = #response;

            const NAME: &'static str = #name;
            const GRPC_PATH: &'static str = #grpc_path;
            const INTERNAL: bool = #is_internal;
            const ACCESS: Access = Access::#access;
            const SCOPE: Option<Scope> = #scope;
            const READ_ONLY: bool = #read_only;
            const IDEMPOTENT: bool = #idempotent;
            const IDEMPOTENCY_KEY: bool = #idempotency_key;
            const SOME_EVENTS: bool = #some_events;
            const STEP_UP: bool = #step_up;
            const CHANGES_CATALOGUE: bool = #changes_catalogue;
            const COLLECTS_MISTAKES: bool = #collects_mistakes;
        }
    }
}

/// The type of a public rpc.
fn public(api: &Api, method: &Method, type_name: &Ident, comment: &str) -> TokenStream {
    let rpc = rpc(api, method, type_name, comment);
    let content = match &method.response {
        Response::Message(_) => format_ident!("Json"),
        Response::File { .. } => format_ident!("File"),
    };
    let fields = &api.message(&method.request).fields;
    let mask = fields.iter().find(|field| field.kind == Kind::FieldMask);
    let mask = mask.map(|field| {
        if field.is_update_mask() {
            let field = ident(&field.name);
            return quote! {
                fn set_update_mask(request: &mut Self::Request, fields: Vec<String>) {
                    request.#field = Some(prost_types::FieldMask { paths: fields });
                }
            };
        }
        let lists = fields.iter().filter(|field| field.is_defaulted_list());
        let (names, lists): (Vec<_>, Vec<_>) =
            lists.map(|list| (&list.name, ident(&list.name))).unzip();
        let field = ident(&field.name);
        quote! {
            fn set_update_mask(request: &mut Self::Request, mut fields: Vec<String>) {
                fields.retain(|field| match field.as_str() {
                    #(#names => request.#lists.is_empty(),)*
                    _ => false,
                });
                let is_any = !fields.is_empty();
                request.#field = is_any.then_some(prost_types::FieldMask { paths: fields });
            }
        }
    });
    let caching = caching(method);
    quote! {
        #rpc

        impl PublicRpc for #type_name {
            const CONTENT: Content = Content::#content;
            const CACHING: Option<Caching> = #caching;

            #mask
        }
    }
}

/// The `Option<Caching>`.
fn caching(method: &Method) -> TokenStream {
    let Some(caching) = &method.rules.caching else {
        return quote! { None };
    };
    let [max_age, stale] = [
        caching.max_age_seconds,
        caching.stale_while_revalidate_seconds,
    ]
    .map(Literal::u32_unsuffixed);
    quote! {
        Some(Caching {
            max_age_seconds: #max_age,
            stale_while_revalidate_seconds: #stale,
        })
    }
}

/// The variant of `binding::Access`.
fn access(access: Access) -> Ident {
    format_ident!(
        "{}",
        match access {
            Access::Paid => "Paid",
            Access::Bearer => "Bearer",
            Access::Session => "Session",
            // The reader refuses rpcs without access.
            Access::Public | Access::Unspecified => "Public",
        }
    )
}

/// The needed scope, as `Option<Scope>`.
fn scope(method: &Method) -> TokenStream {
    match &method.rules.scope {
        None => quote! { None },
        Some(scope) => {
            let scope = closed_sets::variant(scope);
            quote! { Some(Scope::#scope) }
        }
    }
}

fn binding(api: &Api, method: &Method, route: &Route, type_name: &Ident) -> TokenStream {
    let parts = Parts::new(api, method, route);
    let upload = parts.file.and_then(|field| field.meaning.upload.as_ref());
    let body = match (&parts.body, upload) {
        (_, Some(upload)) => {
            let (types, max) = (&upload.media_types, upload.max_mebibytes);
            let max = Literal::usize_unsuffixed(max);
            quote! { File { media_types: &[#(#types),*], max_bytes: #max << 20 } }
        }
        (None, None) => quote! { None },
        (Some(body), None) if body.required => quote! { Required },
        (Some(_), None) => quote! { Optional },
    };
    let set_file = parts.file.map(|field| {
        let (runtime, name) = (&api.runtime, ident(&field.name));
        quote! {
            fn set_file(request: &mut Self::Request, file: #runtime::http_body::HttpBody) {
                request.#name = Some(file);
            }
        }
    });
    let verb = ident(route.verb.constant());
    let (path, path_fields) = (&route.path, &route.path_fields);
    let query_fields = parts.query.iter().map(|field| &field.name);
    let lists = parts.query.iter();
    let lists = lists.filter(|field| field.cardinality == Cardinality::Many);
    let list_fields = lists.map(|field| &field.name);
    let set = set(api, parts.path.iter().chain(&parts.query));
    let to_json = route.response_body.as_ref().map(|name| {
        let field = ident(name);
        quote! {
            fn to_json(response: &Self::Response) -> serde_json::Result<Vec<u8>> {
                serde_json::to_vec(&response.#field)
            }
        }
    });
    let next_page = next_page(api, method, &parts.query).map(|(parameter, next)| {
        let (parameter, name) = (&parameter.name, ident(&next.name));
        let value = if next.kind == Kind::String {
            quote! { next.clone() }
        } else {
            quote! { next.to_string() }
        };
        quote! {
            fn next_page(response: &Self::Response) -> Option<(&'static str, String)> {
                let next = response.#name.as_ref()?;
                Some((#parameter, #value))
            }
        }
    });
    let comment = format!("`{} {path}`: {}", route.verb.constant(), method.comment);
    let rpc = public(api, method, type_name, &comment);
    quote! {
        #rpc

        impl Binding for #type_name {
            const METHOD: http::Method = http::Method::#verb;
            const PATH: &'static str = #path;
            const BODY: Body = Body::#body;
            const PATH_FIELDS: &'static [&'static str] = &[#(#path_fields),*];
            const QUERY_FIELDS: &'static [&'static str] = &[#(#query_fields),*];
            const LIST_FIELDS: &'static [&'static str] = &[#(#list_fields),*];

            #set
            #set_file
            #next_page
            #to_json
        }
    }
}

/// How path and query parameters become fields.
fn set<'a>(api: &Api, fields: impl Iterator<Item = &'a &'a Field>) -> TokenStream {
    let runtime = &api.runtime;
    let arms: Vec<_> = fields
        .filter_map(|field| {
            let (name, text) = (ident(&field.name), &field.name);
            let value = match field.kind {
                Kind::String => quote! { text.into() },
                Kind::Int32 => quote! { #runtime::json::parse_int32(#text, text)? },
                Kind::Bool => quote! { #runtime::json::parse_bool(#text, text)? },
                Kind::Int64 | Kind::Enum(_) | Kind::Message(_) | Kind::FieldMask | Kind::File => {
                    return None;
                }
            };
            let assignment = match field.cardinality {
                Cardinality::One => quote! { request.#name = #value },
                Cardinality::Optional => quote! { request.#name = Some(#value) },
                Cardinality::Many => quote! { request.#name.push(#value) },
            };
            Some((text, assignment))
        })
        .collect();
    let body = match arms.as_slice() {
        [] => {
            return quote! {
                fn set(_: &mut Self::Request, _: &str, _: &str) -> Result<(), InvalidParameter> {
                    Ok(())
                }
            };
        }
        [(name, assignment)] => quote! { if field == #name { #assignment; } },
        arms => {
            let arms = arms
                .iter()
                .map(|(name, assignment)| quote! { #name => #assignment, });
            quote! { match field { #(#arms)* _ => {} } }
        }
    };
    quote! {
        fn set(request: &mut Self::Request, field: &str, text: &str) -> Result<(), InvalidParameter> {
            #body
            Ok(())
        }
    }
}
