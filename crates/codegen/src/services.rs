//! The code around every service: the decorator that validates each request, and the table of access rules.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{Api, Method, Response, Service},
    rust::{ident, snake},
};

/// The decorators and the access table.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let runtime = &api.runtime;
    let decorators = api.services.iter().map(|service| decorator(api, service));
    let demands = api.methods().map(|method| {
        let path = &method.grpc_path;
        let rpc = ident(&method.name);
        quote! { (#path, AccessRule::of::<bindings::#rpc>()), }
    });
    quote! {
        use super::bindings;
        use #runtime::{binding::AccessRule, validation::{Validated, validated}};

        #(#decorators)*

        static ACCESS: &[(&str, AccessRule)] = &[#(#demands)*];

        /// The access rule of the rpc at a gRPC path; `None` if this package has no such rpc.
        pub fn access(grpc_path: &str) -> Option<AccessRule> {
            let found = ACCESS.iter().find(|(path, _)| *path == grpc_path)?;
            Some(found.1)
        }
    }
}

fn decorator(api: &Api, service: &Service) -> TokenStream {
    let name = ident(&service.name);
    let module = format_ident!("{}_server", snake(&service.name));
    let methods = service.methods.iter().map(|one| method(api, one));
    let streams = service
        .methods
        .iter()
        .filter(|method| method.server_streaming)
        .map(|method| {
            let stream = format_ident!("{}Stream", method.name);
            quote! { type #stream = S::#stream; }
        });
    quote! {
        #[tonic::async_trait]
        impl<S: super::#module::#name> super::#module::#name for Validated<S> {
            #(#streams)*
            #(#methods)*
        }
    }
}

fn method(api: &Api, method: &Method) -> TokenStream {
    let name = ident(&snake(&method.name));
    let request = ident(&method.request);
    let response = match (&method.response, method.server_streaming) {
        (_, true) => {
            let stream = format_ident!("{}Stream", method.name);
            quote! { Self::#stream }
        }
        (Response::Message(message), _) => {
            let message = ident(message);
            quote! { super::#message }
        }
        (Response::File { .. }, _) => {
            let runtime = &api.runtime;
            quote! { #runtime::http_body::HttpBody }
        }
    };
    quote! {
        async fn #name(
            &self,
            request: tonic::Request<super::#request>,
        ) -> Result<tonic::Response<#response>, tonic::Status> {
            self.inner().#name(validated(request)?).await
        }
    }
}
