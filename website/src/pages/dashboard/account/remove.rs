//! Removing an account with everything in it, for good: after a new code, after what goes was shown, and after its name was typed.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{
        PreviewRemovalRequest, RemovalPreview, RemoveAccountRequest,
        bindings::{PreviewRemoval, RemoveAccount},
    },
};

use crate::{
    caller::{Caller, Frame, PROVE, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    return_path::{DASHBOARD, with_return_path},
    session,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/remove";

#[derive(Template)]
#[template(path = "dashboard/remove.html")]
struct RemovePage {
    page: Page,
    frame: Frame,
    model: FormModel,
    /// What goes, in numbers with their words.
    goes: Vec<String>,
    /// What has to be done before.
    obstacles: Vec<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::AccountRemove)?;
    if !caller.viewer.is_proven {
        return Ok(flash::see(&with_return_path(PROVE, PATH), None));
    }
    let page = RemovePage::of(&caller, fields()).await?;
    caller.answer(&page)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require(Scope::AccountRemove)?;
    caller.require_same_account(&form)?;
    let request = RemoveAccountRequest {
        name: form.value("name").map(str::to_owned),
    };
    match caller.ask::<RemoveAccount>(request).await {
        Ok(removed) => {
            let mut response = flash::see(DASHBOARD, Some(Flash::ACCOUNT_REMOVED));
            session::begin(&mut response, &caller.context.site, &removed.token);
            Ok(response)
        }
        Err(problem) => {
            let model = fields().again(&form, &problem)?;
            caller.answer_refused(&RemovePage::of(&caller, model).await?, &problem)
        }
    }
}

fn fields() -> FormModel {
    let name = Field::line("name", "Type the name of the account").required();
    FormModel::of(vec![name])
}

impl RemovePage {
    async fn of(caller: &Caller, model: FormModel) -> Result<Self, Problem> {
        let preview = caller
            .ask::<PreviewRemoval>(PreviewRemovalRequest {})
            .await?;
        let (page, frame) = caller.frame("Remove the account?", Tab::Account);
        Ok(Self {
            page,
            frame,
            model,
            goes: goes(&preview),
            obstacles: obstacles(&preview),
        })
    }
}

fn goes(preview: &RemovalPreview) -> Vec<String> {
    let parts = [
        (preview.events, "event", "events"),
        (preview.registrations, "registration", "registrations"),
        (preview.members, "membership", "memberships"),
        (preview.keys, "API key", "API keys"),
    ];
    let some = parts.into_iter().filter(|(count, ..)| *count > 0);
    some.map(|(count, one, many)| counted(count, one, many))
        .collect()
}

fn obstacles(preview: &RemovalPreview) -> Vec<String> {
    let mut obstacles = Vec::new();
    if preview.awaited_events > 0 {
        let events = counted(preview.awaited_events, "event", "events");
        obstacles.push(format!(
            "People are registered for {events} to come. Cancel what does not take place, so that they are told."
        ));
    }
    if preview.waiting_mails > 0 {
        let mails = counted(preview.waiting_mails, "e-mail", "e-mails");
        obstacles.push(format!(
            "{mails} about cancelled events are still on the way. Please wait a moment."
        ));
    }
    obstacles
}

fn counted(count: i32, one: &str, many: &str) -> String {
    let words = if count == 1 { one } else { many };
    format!("{count} {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_and_what_stands_in_the_way_is_told_in_numbers() {
        let mut preview = RemovalPreview {
            events: 2,
            registrations: 1,
            members: 1,
            ..RemovalPreview::default()
        };
        let told = ["2 events", "1 registration", "1 membership"];
        assert_eq!(goes(&preview), told);
        assert!(obstacles(&preview).is_empty());
        (preview.awaited_events, preview.waiting_mails) = (1, 3);
        let told = obstacles(&preview);
        assert!(told[0].contains("for 1 event to come"), "{told:?}");
        assert!(told[1].starts_with("3 e-mails"), "{told:?}");
    }
}
