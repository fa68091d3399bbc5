//! The code around every service: a trait of its handlers, tonic's service made of them, and the table of access rules.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{
    model::{Api, Method, Response, Service},
    options::Access,
    rust::{ident, snake},
};

/// The services and the access table.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let runtime = &api.runtime;
    let services = api.services.iter().map(|service| {
        let (handlers, tonic) = (handlers(api, service), tonic_service(api, service));
        quote! { #handlers #tonic }
    });
    let rules = api.methods().map(|method| {
        let path = &method.grpc_path;
        let rpc = ident(&method.name);
        quote! { (#path, AccessRule::of::<bindings::#rpc>()), }
    });
    let streams = api.methods().any(|method| method.server_streaming);
    let messages = streams.then(|| quote! { Messages });
    let collects = api.methods().any(|method| method.rules.collects_mistakes);
    let checked = collects.then(|| quote! { use #runtime::validation::Checked; });
    quote! {
        use tonic::{Request, Response, Status};

        use super::bindings;
        use #runtime::{binding::AccessRule, frame::{Frame, Framed, #messages}};
        #checked

        #(#services)*

        static ACCESS: &[(&str, AccessRule)] = &[#(#rules)*];

        /// The access rule of the rpc at a gRPC path; `None` if this package has no such rpc.
        pub fn access(grpc_path: &str) -> Option<AccessRule> {
            let found = ACCESS.iter().find(|(path, _)| *path == grpc_path)?;
            Some(found.1)
        }
    }
}

/// The trait of a service's handlers.
fn handlers(api: &Api, service: &Service) -> TokenStream {
    let name = handlers_name(service);
    let doc = format!(" The handlers of `{}`.", service.name);
    let methods = service.methods.iter().map(|method| {
        let doc = format!(" See [`bindings::{}`].", method.name);
        let (name, request) = (ident(&snake(&method.name)), request(method));
        let (caller, answer) = (caller(api, method), answer(api, method));
        quote! {
            #[doc = #doc]
            fn #name(
                &self,
                caller: #caller,
                request: #request,
            ) -> impl Future<Output = Result<#answer, F::Error>> + Send;
        }
    });
    quote! {
        #[doc = #doc]
        pub trait #name<F: Frame>: Send + Sync + 'static {
            #(#methods)*
        }
    }
}

/// Tonic's service, made of the handlers.
fn tonic_service(api: &Api, service: &Service) -> TokenStream {
    let (name, handlers) = (ident(&service.name), handlers_name(service));
    let module = format_ident!("{}_server", snake(&service.name));
    let methods = service.methods.iter().map(|one| method(api, one));
    let streams = service
        .methods
        .iter()
        .filter(|method| method.server_streaming)
        .map(|method| {
            let (stream, message) = (stream_name(method), message(api, method));
            quote! { type #stream = Messages<#message>; }
        });
    quote! {
        #[tonic::async_trait]
        impl<F: Frame, H: #handlers<F>> super::#module::#name for Framed<F, H> {
            #(#streams)*
            #(#methods)*
        }
    }
}

/// A method of tonic's service.
fn method(api: &Api, method: &Method) -> TokenStream {
    let (name, request) = (ident(&snake(&method.name)), ident(&method.request));
    let answer = if method.server_streaming {
        let stream = stream_name(method);
        quote! { Self::#stream }
    } else {
        message(api, method)
    };
    let taken = if method.rules.collects_mistakes {
        quote! { request }
    } else {
        quote! { request.message }
    };
    let rpc = ident(&method.name);
    let body = if method.rules.idempotency_key {
        quote! {
            self.once(bindings::#rpc, request, |handlers, caller, request| {
                Box::pin(handlers.#name(caller, #taken))
            })
            .await
        }
    } else {
        let access = format_ident!("{}", access(method).to_ascii_lowercase());
        quote! {
            let (caller, request) = self.open(bindings::#rpc, request, F::#access)?;
            self.answer(self.handlers().#name(caller, #taken)).await
        }
    };
    quote! {
        async fn #name(
            &self,
            request: Request<super::#request>,
        ) -> Result<Response<#answer>, Status> {
            #body
        }
    }
}

/// The type of the request that a handler gets.
fn request(method: &Method) -> TokenStream {
    let request = ident(&method.request);
    if method.rules.collects_mistakes {
        quote! { Checked<super::#request> }
    } else {
        quote! { super::#request }
    }
}

/// `EventService` has `EventHandlers`.
fn handlers_name(service: &Service) -> Ident {
    let name = service.name.strip_suffix("Service");
    format_ident!("{}Handlers", name.unwrap_or(&service.name))
}

fn stream_name(method: &Method) -> Ident {
    format_ident!("{}Stream", method.name)
}

/// The type of `Frame` for the callers of an rpc.
fn access(method: &Method) -> &'static str {
    match (method.rules.access, &method.rules.scope) {
        (Access::Bearer | Access::Paid, _) => "Bearer",
        (Access::Session, None) => "Session",
        (Access::Session, Some(_)) => "Member",
        // The reader refuses rpcs without access.
        (Access::Public | Access::Unspecified, _) => "Public",
    }
}

/// The caller that a handler gets.
fn caller(api: &Api, method: &Method) -> TokenStream {
    if method.rules.idempotency_key {
        let message = message(api, method);
        return quote! { F::Command<#message> };
    }
    let access = format_ident!("{}", access(method));
    quote! { F::#access }
}

/// What a handler returns. Files, and public answers, have metadata for caches.
fn answer(api: &Api, method: &Method) -> TokenStream {
    let message = message(api, method);
    if method.server_streaming {
        quote! { Response<Messages<#message>> }
    } else if method.rules.access == Access::Public && !api.is_internal {
        quote! { Response<#message> }
    } else {
        message
    }
}

/// The type of the answer, or of each message of a stream.
fn message(api: &Api, method: &Method) -> TokenStream {
    match &method.response {
        Response::Message(message) => {
            let message = ident(message);
            quote! { super::#message }
        }
        Response::File { .. } => {
            let runtime = &api.runtime;
            quote! { #runtime::http_body::HttpBody }
        }
    }
}
