//! The types of webhook messages.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{model::Api, rust::pascal};

/// `enum WebhookType`.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let types = api.webhooks.as_ref();
    let types = types.map_or(&[][..], |webhooks| &webhooks.types);
    let variants = types
        .iter()
        .map(|one| format_ident!("{}", pascal(&one.name.replace('.', "_"))));
    let variants: Vec<_> = variants.collect();
    let names: Vec<_> = types.iter().map(|one| &one.name).collect();
    let comments: Vec<_> = types.iter().map(|one| &one.comment).collect();
    let docs = types
        .iter()
        .map(|one| format!(" `{}`: {}", one.name, one.comment));
    quote! {
        /// What a webhook message is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum WebhookType {
            #(#[doc = #docs] #variants,)*
        }

        impl WebhookType {
            /// All types, in the order of the proto.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// Its name, for example `event.created`.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#variants => #names,)* }
            }

            /// When a message has it.
            pub const fn description(self) -> &'static str {
                match self { #(Self::#variants => #comments,)* }
            }
        }
    }
}
