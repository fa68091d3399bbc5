//! Removing an account with everything in it, for good: after a new code, after what goes was shown, and after its name was typed.

use askama::Template;
use muster_api::{
    Scope,
    internal::v1::{
        PreviewRemovalRequest, RemovalPreview, RemoveAccountRequest,
        bindings::{PreviewRemoval, RemoveAccount},
    },
};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::Flash,
    form::Form,
    layout::PageResult,
    return_path::DASHBOARD,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/remove";

#[derive(Template)]
#[template(path = "dashboard/remove.html")]
struct RemovePage {
    page: Frame,
    model: FormModel,
    /// What goes, in numbers with their words.
    goes: Vec<String>,
    /// What has to be done before.
    obstacles: Vec<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::AccountRemove)?;
    caller.require_proof()?;
    let request = PreviewRemovalRequest {};
    let preview = caller.ask::<PreviewRemoval>(request).await?;
    let name = Field::line("name", "Type the name of the account").required();
    caller.answer(&RemovePage {
        page: caller.page("Remove the account?", Tab::Account),
        model: caller.model(vec![name]),
        goes: goes(&preview),
        obstacles: obstacles(&preview),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::AccountRemove)?;
    caller.require_same_account(&form)?;
    let name = form.text("name");
    let request = RemoveAccountRequest { name };
    let removed = caller.ask::<RemoveAccount>(request).await?;
    Ok(caller.begin_session(&removed.token, DASHBOARD, Flash::ACCOUNT_REMOVED))
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
            "People are registered for {events} to come. Cancel what will not take place: they get an email."
        ));
    }
    if preview.waiting_mails > 0 {
        let mails = counted(preview.waiting_mails, "email", "emails");
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
        let expected = ["2 events", "1 registration", "1 membership"];
        assert_eq!(goes(&preview), expected);
        assert!(obstacles(&preview).is_empty());
        (preview.awaited_events, preview.waiting_mails) = (1, 3);
        let obstacles = obstacles(&preview);
        assert!(
            obstacles[0].contains("for 1 event to come"),
            "{obstacles:?}"
        );
        assert!(obstacles[1].starts_with("3 emails"), "{obstacles:?}");
    }
}
