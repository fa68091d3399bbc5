//! The reasons for errors, each with its gRPC and its HTTP status.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::{model::Api, rust::pascal};

/// `enum Reason`.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let names: Vec<_> = api
        .reasons
        .iter()
        .map(|reason| format_ident!("{}", pascal(&reason.code)))
        .collect();
    let codes: Vec<_> = api.reasons.iter().map(|reason| &reason.code).collect();
    let docs = api
        .reasons
        .iter()
        .map(|reason| format!(" {}", reason.description));
    let http = api
        .reasons
        .iter()
        .map(|reason| Literal::u16_unsuffixed(reason.http_status));
    let grpc = api
        .reasons
        .iter()
        .map(|reason| format_ident!("{}", pascal(&reason.grpc_status)));
    let descriptions = api.reasons.iter().map(|reason| &reason.description);
    let remedies = api.reasons.iter().map(|reason| &reason.remedy);
    quote! {
        /// The reason of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason {
            #(#[doc = #docs] #names,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[#(Self::#names),*];

            /// `error.code` over HTTP, `ErrorInfo.reason` over gRPC.
            pub const fn code(self) -> &'static str {
                match self { #(Self::#names => #codes,)* }
            }

            /// The reason with this code.
            pub fn from_code(code: &str) -> Option<Self> {
                let reason = match code { #(#codes => Self::#names,)* _ => return None };
                Some(reason)
            }

            /// Its HTTP status.
            pub const fn http_status(self) -> u16 {
                match self { #(Self::#names => #http,)* }
            }

            /// Its gRPC status.
            pub const fn grpc_code(self) -> tonic::Code {
                match self { #(Self::#names => tonic::Code::#grpc,)* }
            }

            /// What it means.
            pub const fn description(self) -> &'static str {
                match self { #(Self::#names => #descriptions,)* }
            }

            /// What the caller can do about it; empty if there is no advice.
            pub const fn remedy(self) -> &'static str {
                match self { #(Self::#names => #remedies,)* }
            }
        }
    }
}
