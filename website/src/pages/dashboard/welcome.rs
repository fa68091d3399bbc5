//! What new people are asked once: how they and their events are called. Everything is filled in already.

use askama::Template;

use super::account::{save_account, save_person};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash,
    form::Form,
    layout::PageResult,
    return_path::NEW_EVENT,
};

#[derive(Template)]
#[template(path = "dashboard/welcome.html")]
struct WelcomePage {
    page: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.answer(&WelcomePage {
        page: caller.page("Welcome", Tab::None),
        model: caller.model(fields(&caller)),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    save_person(&caller, &form).await?;
    save_account(&caller, &form).await?;
    Ok(flash::see(NEW_EVENT, None))
}

fn fields(caller: &Caller) -> Vec<Field> {
    let person = Field::line("person_name", "Your name")
        .autocomplete("name")
        .value(caller.viewer.name.clone())
        .required();
    let account = Field::line("account_name", "Who organizes your events?")
        .hint("Your own name, or that of your group or company. People see it on your events.")
        .autocomplete("organization")
        .value(caller.viewer.account_name())
        .required();
    vec![person, account]
}
