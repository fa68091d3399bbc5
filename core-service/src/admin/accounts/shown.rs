//! Accounts as text and as JSON.

use domain::account::Account;
use serde_json::{Value, json};

use super::super::{Output, table};
use crate::service::AccountView;

pub(super) fn shown(account: &Account) -> Value {
    json!({
        "id": account.id.to_string(),
        "email": account.email,
        "name": account.name,
        "plan": account.plan.name(),
        "timezone": account.timezone,
        "is_suspended": account.is_suspended,
        "is_trusted": account.is_trusted,
        "created_at": account.created_at.to_string(),
    })
}

const fn state(account: &Account) -> &'static str {
    if account.is_suspended {
        "suspended"
    } else {
        "active"
    }
}

/// One account per line, in aligned columns.
pub(super) fn listed(accounts: &[Account]) -> String {
    let mut rows = vec![["ID", "OWNER", "PLAN", "STATE", "CREATED", "NAME"].map(str::to_owned)];
    rows.extend(accounts.iter().map(|account| {
        [
            account.id.to_string(),
            account.email.clone(),
            account.plan.name().to_owned(),
            state(account).to_owned(),
            account.created_at.to_the_second().to_string(),
            account.name.clone(),
        ]
    }));
    table::aligned(rows.into_iter())
}

/// One account with its members.
pub(super) fn view(view: &AccountView) -> Output {
    let AccountView {
        account,
        members,
        contents,
    } = view;
    let row = |label: &str, value: String| [label.to_owned(), value];
    let mut rows = vec![
        row("id", account.id.to_string()),
        row("name", account.name.clone()),
        row("plan", account.plan.name().to_owned()),
        row("state", state(account).to_owned()),
        row(
            "trusted",
            if account.is_trusted { "yes" } else { "no" }.to_owned(),
        ),
        row("created", account.created_at.to_the_second().to_string()),
        row("events", contents.events.to_string()),
        row("registrations", contents.registrations.to_string()),
        row("keys", contents.keys.to_string()),
    ];
    rows.extend(members.iter().map(|member| {
        let (email, name) = (&member.person.email, &member.person.name);
        row(member.rights.role.name(), format!("{email} ({name})"))
    }));
    let mut json = shown(account);
    json["events"] = contents.events.into();
    json["registrations"] = contents.registrations.into();
    json["keys"] = contents.keys.into();
    json["members"] = members
        .iter()
        .map(|member| {
            json!({
                "email": member.person.email,
                "name": member.person.name,
                "role": member.rights.role.name(),
            })
        })
        .collect();
    Output::new(table::aligned(rows.into_iter()), json)
}
