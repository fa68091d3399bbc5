//! A new key: its name, what it may do, and for how long.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    internal::v1::{CreateKeyRequest, CreatedKey, bindings::CreateKey},
};

use super::CreatedPage;
use crate::{
    desk::{Desk, Frame, PROVE, Tab, sentence},
    field::{Choice, Field, FieldKind, Sheet},
    flash,
    form::Form,
    layout::Page,
    next::with_next,
    visit::Site,
};

const PATH: &str = "/dashboard/keys/new";

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
    sheet: Sheet,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form(PATH, show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::KeysWrite)?;
    if !desk.viewer.is_proven {
        return Ok(flash::see(&with_next(PROVE, PATH), None));
    }
    desk.answer(&NewKeyPage::of(&desk, fields(&desk)))
}

/// Answers with the key itself, since it can be shown only now.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    desk.require_no_other_account(&form)?;
    let request = CreateKeyRequest {
        name: form.value("name").map(str::to_owned),
        scopes: form.values("scopes").map(str::to_owned).collect(),
        expires: form.value("expires").map(str::to_owned),
    };
    let refused = match desk.ask::<CreateKey>(request).await {
        Ok(CreatedKey { key, secret }) => {
            let key = key.unwrap_or_default();
            return desk.answer(&CreatedPage::of(&desk, key, secret, None));
        }
        Err(problem) => problem,
    };
    if !matches!(refused.http_status, 400 | 409) {
        return Err(refused);
    }
    let sheet = fields(&desk).filled(&form).refused(&refused.details);
    let mut page = NewKeyPage::of(&desk, sheet);
    page.trouble = (refused.http_status == 409).then(|| format!("{}.", sentence(&refused.message)));
    desk.answer_refused(&page, &refused)
}

fn fields(desk: &Desk) -> Sheet {
    let name = Field::line("name", "Name")
        .hint(
            "Where you will use it, so that you know later whether it can go. For example: laptop.",
        )
        .required();
    let mut scopes = Field::new(FieldKind::Ticks, "scopes", "What it may do").required();
    scopes.options = grantable(desk)
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
    Sheet::of(vec![name, scopes, expires])
}

/// What a key of this person can be granted.
fn grantable(desk: &Desk) -> impl Iterator<Item = Scope> {
    let all = Scope::ALL.iter().copied();
    all.filter(move |scope| desk.viewer.may(*scope))
}

impl NewKeyPage {
    fn of(desk: &Desk, sheet: Sheet) -> Self {
        let (page, frame) = desk.frame("New API key", Tab::Keys);
        Self {
            page,
            frame,
            sheet,
            trouble: None,
        }
    }
}
