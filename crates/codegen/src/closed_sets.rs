//! Closed sets of names as enums: the scopes of credentials, and the types of webhook messages.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{model::Api, rust::pascal};

/// `enum Scope`.
pub(crate) fn scopes(api: &Api) -> TokenStream {
    let scopes = &api.scopes;
    let all = scopes.iter().map(|scope| variant(&scope.name));
    let grantable = scopes.iter().filter(|scope| !scope.session_only);
    let grantable = grantable.map(|scope| variant(&scope.name));
    let reading = scopes.iter().filter(|scope| scope.only_reads);
    let reading = reading.map(|scope| variant(&scope.name));
    let names = scopes.iter().map(|one| (&*one.name, &*one.description));
    let set = set(
        "Scope",
        "A scope of credentials.",
        &names.collect::<Vec<_>>(),
    );
    quote! {
        #set

        impl Scope {
            /// All scopes that a credential can be granted, in the order in which people see them.
            pub const ALL: &'static [Self] = &[#(Self::#grantable),*];

            /// The same, with those that only sessions have, by the role of their person.
            pub const ALL_OF_SESSIONS: &'static [Self] = &[#(Self::#all),*];

            /// Those that only read.
            pub const READING: &'static [Self] = &[#(Self::#reading),*];
        }
    }
}

/// `enum WebhookType`.
pub(crate) fn webhook_types(api: &Api) -> TokenStream {
    let types = api.webhooks.as_ref();
    let types = types.map_or(&[][..], |webhooks| &webhooks.types);
    let all = types.iter().map(|one| variant(&one.name));
    let names = types.iter().map(|one| (&*one.name, &*one.comment));
    let doc = "What a webhook message is about.";
    let set = set("WebhookType", doc, &names.collect::<Vec<_>>());
    quote! {
        #set

        impl WebhookType {
            /// All types, in the order of the proto.
            pub const ALL: &'static [Self] = &[#(Self::#all),*];
        }
    }
}

/// An enum of names, each with its description. Its `ALL` has those that can be parsed.
fn set(type_name: &str, doc: &str, members: &[(&str, &str)]) -> TokenStream {
    let type_name = format_ident!("{type_name}");
    let docs = members
        .iter()
        .map(|(name, description)| format!(" `{name}`: {description}"));
    let variants: Vec<_> = members.iter().map(|(name, _)| variant(name)).collect();
    let (names, descriptions): (Vec<_>, Vec<_>) = members.iter().copied().unzip();
    let doc = format!(" {doc}");
    quote! {
        #[doc = #doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum #type_name {
            #(#[doc = #docs] #variants,)*
        }

        impl #type_name {
            /// Its name in the proto.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#variants => #names,)* }
            }

            /// What it stands for, as the proto says it to people.
            pub const fn description(self) -> &'static str {
                match self { #(Self::#variants => #descriptions,)* }
            }
        }

        impl std::fmt::Display for #type_name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad(self.name())
            }
        }

        impl std::str::FromStr for #type_name {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                find(Self::ALL, Self::name, name)
            }
        }
    }
}

/// `events:read` as `EventsRead`, and `event.created` as `EventCreated`.
pub(crate) fn variant(name: &str) -> Ident {
    format_ident!("{}", pascal(&name.replace([':', '.'], "_")))
}
