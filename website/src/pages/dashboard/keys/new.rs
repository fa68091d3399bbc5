//! A new key: its name, what it may do, and for how long.

use askama::Template;
use muster_api::{
    Scope,
    internal::v1::{CreateKeyRequest, bindings::CreateKey},
};

use super::show_created;
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Choice, Field, FieldKind, FormModel},
    form::Form,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/keys/new";

/// Lifetimes to choose from; the first one is suggested.
const LIFETIMES: [(&str, &str); 4] = [
    ("90d", "90 days"),
    ("30d", "30 days"),
    ("365d", "One year"),
    ("", "It never expires"),
];

#[derive(Template)]
#[template(path = "dashboard/key_new.html")]
struct NewKeyPage {
    page: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::KeysWrite)?;
    caller.require_proof()?;
    caller.answer(&NewKeyPage {
        page: caller.page("New API key", Tab::Keys),
        model: caller.model(fields(&caller)),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require_no_other_account(&form)?;
    let request = CreateKeyRequest {
        name: form.text("name"),
        scopes: form.values("scopes").map(str::to_owned).collect(),
        expires: form.text("expires"),
    };
    let created = caller.ask::<CreateKey>(request).await?;
    show_created(&caller, created, None)
}

fn fields(caller: &Caller) -> Vec<Field> {
    let name = Field::line("name", "Name")
        .hint("Where you will use it, so you know later what it’s for. For example: laptop.");
    // What a key of this person can be granted.
    let scopes = Scope::ALL.iter().filter(|scope| caller.viewer.may(**scope));
    let scopes = scopes.map(|scope| {
        let choice = Choice::new(scope.name(), scope.description());
        choice.hint(scope.name()).chosen(true)
    });
    let scopes = Field::new(FieldKind::Ticks, "scopes", "What it may do").choices(scopes);
    let expires = Field::new(FieldKind::Select, "expires", "Expires").options(LIFETIMES, &["90d"]);
    vec![name.required(), scopes.required(), expires.required()]
}
