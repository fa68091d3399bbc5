//! The scopes of credentials.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{model::Api, rust::pascal};

/// `enum Scope`.
pub(crate) fn emit(api: &Api) -> TokenStream {
    let scopes = &api.scopes;
    let variants: Vec<_> = scopes.iter().map(|scope| variant(&scope.name)).collect();
    let grantable = scopes.iter().filter(|scope| !scope.session_only);
    let grantable: Vec<_> = grantable.map(|scope| variant(&scope.name)).collect();
    let reading = scopes.iter().filter(|scope| scope.only_reads);
    let reading: Vec<_> = reading.map(|scope| variant(&scope.name)).collect();
    let names: Vec<_> = scopes.iter().map(|scope| &scope.name).collect();
    let descriptions: Vec<_> = scopes.iter().map(|scope| &scope.description).collect();
    let docs = scopes
        .iter()
        .map(|scope| format!(" `{}`: {}", scope.name, scope.description));
    quote! {
        /// A scope of credentials.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope {
            #(#[doc = #docs] #variants,)*
        }

        impl Scope {
            /// All scopes that a credential can be granted, in the order in which people see them.
            pub const ALL: &'static [Self] = &[#(Self::#grantable),*];

            /// The same, with those that only sessions have, by the role of their person.
            pub const ALL_OF_SESSIONS: &'static [Self] = &[#(Self::#variants),*];

            /// Those that only read.
            pub const READING: &'static [Self] = &[#(Self::#reading),*];

            /// Its name, for example `events:read`.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#variants => #names,)* }
            }

            /// What it allows, for the person who grants it.
            pub const fn description(self) -> &'static str {
                match self { #(Self::#variants => #descriptions,)* }
            }
        }
    }
}

/// `events:read` as `EventsRead`.
pub(crate) fn variant(name: &str) -> Ident {
    format_ident!("{}", pascal(&name.replace(':', "_")))
}
