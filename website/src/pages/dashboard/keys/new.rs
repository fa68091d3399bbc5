//! A new key: its name, what it may do, and for how long.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{CreateKeyRequest, CreatedKey, bindings::CreateKey},
};

use super::CreatedPage;
use crate::{
    caller::{Caller, Frame, PROVE, Tab},
    field::{Choice, Field, FieldKind, FormModel},
    flash,
    form::Form,
    layout::Page,
    return_path::with_return_path,
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
    page: Page,
    frame: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::KeysWrite)?;
    if !caller.viewer.is_proven {
        return Ok(flash::see(&with_return_path(PROVE, PATH), None));
    }
    caller.answer(&NewKeyPage::of(&caller, fields(&caller)))
}

/// Answers with the key itself, since it can be shown only now.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require_no_other_account(&form)?;
    let request = CreateKeyRequest {
        name: form.value("name").map(str::to_owned),
        scopes: form.values("scopes").map(str::to_owned).collect(),
        expires: form.value("expires").map(str::to_owned),
    };
    let problem = match caller.ask::<CreateKey>(request).await {
        Ok(CreatedKey { key, secret }) => {
            let key = key.unwrap_or_default();
            return caller.answer(&CreatedPage::of(&caller, key, secret, None));
        }
        Err(problem) => problem,
    };
    let model = fields(&caller).again(&form, &problem)?;
    caller.answer_refused(&NewKeyPage::of(&caller, model), &problem)
}

fn fields(caller: &Caller) -> FormModel {
    let name = Field::line("name", "Name")
        .hint(
            "Where you will use it, so that you know later whether it can go. For example: laptop.",
        )
        .required();
    let mut scopes = Field::new(FieldKind::Ticks, "scopes", "What it may do").required();
    scopes.options = grantable(caller)
        .map(|scope| Choice {
            value: scope.name().to_owned(),
            label: scope.description().to_owned(),
            hint: Some(scope.name().to_owned()),
            is_chosen: true,
        })
        .collect();
    let expires = Field::new(FieldKind::Select, "expires", "Expires")
        .options(LIFETIMES, &["90d"])
        .required();
    FormModel::of(vec![name, scopes, expires])
}

/// What a key of this person can be granted.
fn grantable(caller: &Caller) -> impl Iterator<Item = Scope> {
    let all = Scope::ALL.iter().copied();
    all.filter(move |scope| caller.viewer.may(*scope))
}

impl NewKeyPage {
    fn of(caller: &Caller, model: FormModel) -> Self {
        let (page, frame) = caller.frame("New API key", Tab::Keys);
        Self { page, frame, model }
    }
}
