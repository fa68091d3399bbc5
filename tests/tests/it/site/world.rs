//! An account with some of everything: members, an invitation, keys, a webhook, events, registrations of each kind.

use std::{fmt::Write as _, sync::Arc};

use core_service::service::NewAccount;
use domain::plan::Plan;
use muster_api::v1::bindings::{ApproveRegistration, RegisterAttendee};
use serde_json::json;
use tests::{Account, Browser, Client, Created, OAuthApp, Surface, TestApp};

/// More rows than an account of a test has of a kind.
const ALL: i64 = 200;

/// A receiver that is not there.
const NOWHERE: &str = "http://127.0.0.1:9/hook";

/// An account with some of everything.
pub(super) struct World {
    app: Arc<TestApp>,
    pub(super) account: Account,
    pub(super) owner: Browser,
    pub(super) client: Client,
    pub(super) event: Created,
    draft: Created,
    pub(super) door: Browser,
}

impl World {
    /// In which people, accounts, keys and events have this name.
    pub(super) async fn new(app: &Arc<TestApp>, prefix: &str, name: &str) -> Self {
        let account = account(app, prefix, name).await;
        let client = app.over(Surface::Http).as_owner(&account);
        let owner = Browser::signed_in(app, &account.email).await;
        // A second place where the owner is signed in.
        Browser::signed_in(app, &account.email).await;
        rename(&owner, name).await;
        let mut members = Vec::new();
        for role in ["organizer", "door"] {
            let address = format!("{prefix}-{role}@example.org");
            let member = invite(app, &owner, &address, role).await;
            rename(&member, name).await;
            members.push(member);
        }
        let waiting = [("email", "waiting@example.org"), ("role", "owner")];
        assert_eq!(owner.send("/dashboard/members", &waiting).await.status, 303);
        let key = [("name", name), ("scopes", "account:read"), ("expires", "")];
        owner.send("/dashboard/keys/new", &key).await.html(200);
        let connected = OAuthApp::registered(app, name).await;
        connected.connected(&owner, &[]).await;
        let webhook = [("url", NOWHERE), ("description", name), ("content", "full")];
        owner
            .send("/dashboard/webhooks/new", &webhook)
            .await
            .html(200);
        let other = account_of_friend(app, prefix, name).await;
        join(&other, &owner, &account).await;

        let event = client.publish_new(asking(name)).await;
        for (number, approved) in [(1, false), (2, true), (3, true), (4, false)] {
            let email = format!("{prefix}-guest-{number}@example.org");
            let answers = json!([{"label": name, "values": [name]}]);
            let guest =
                json!({"slug": event.slug, "name": name, "email": email, "answers": answers});
            let anyone = app.over(Surface::Http).anyone();
            anyone.ok::<RegisterAttendee>(guest).await;
            let guests = app.registrations(&event.id).await;
            let id = guests.last().unwrap().id.to_string();
            if approved {
                let ids = json!({"id": event.id, "registration_id": id});
                client.ok::<ApproveRegistration>(ids).await;
            }
        }
        let draft = client.create(json!({"title": name})).await;
        Self {
            app: Arc::clone(app),
            account,
            owner,
            client,
            event,
            draft,
            door: members.remove(1),
        }
    }

    /// All that others must not change.
    pub(super) async fn state(&self) -> String {
        let (store, id) = (&self.app.store, self.account.id);
        let mut state = String::new();
        let person = store.find_person_by_email(&self.account.email).await;
        let person = person.unwrap().unwrap();
        let now = self.app.clock.now();
        let write = |state: &mut String, part: &dyn std::fmt::Debug| {
            writeln!(state, "{part:?}").unwrap();
        };
        write(&mut state, &store.find_account(id).await.unwrap());
        write(&mut state, &store.list_members(id, ALL).await.unwrap());
        write(
            &mut state,
            &store.list_invitations_of(id, now, ALL).await.unwrap(),
        );
        write(&mut state, &store.list_member_keys(id, ALL).await.unwrap());
        write(&mut state, &store.list_webhooks(id, ALL).await.unwrap());
        let sessions = store.list_sessions(person.id, now, ALL).await.unwrap();
        write(&mut state, &sessions);
        write(&mut state, &person);
        for event in [&self.event, &self.draft] {
            write(&mut state, &self.client.detail(event).await);
            write(&mut state, &self.app.registrations(&event.id).await);
        }
        state
    }
}

fn asking(name: &str) -> serde_json::Value {
    json!({
        "title": name, "description": name, "location": name, "city": name, "organizer_name": name,
        "requires_approval": true, "max_capacity": 50,
        "custom_fields": [{"label": name, "field_type": "text"}],
    })
}

/// An account with a key, whose owner and which have this name.
async fn account(app: &Arc<TestApp>, prefix: &str, name: &str) -> Account {
    let use_cases = app.core.use_cases();
    let email = format!("{prefix}@example.org");
    let new = NewAccount {
        email: email.clone(),
        name: name.to_owned(),
        plan: Plan::Pro,
        timezone: None,
    };
    let account = use_cases.accounts.create(new).await.unwrap();
    let made = use_cases.keys.create_for_demo(&email, name).await.unwrap();
    Account {
        id: account.id,
        email,
        key: made.plain.expose().to_owned(),
        key_id: made.key.id,
    }
}

async fn account_of_friend(app: &Arc<TestApp>, prefix: &str, name: &str) -> Browser {
    let friend = account(app, &format!("{prefix}-friend"), name).await;
    Browser::signed_in(app, &friend.email).await
}

/// Has the owner of one account join another one, and then choose their own again.
async fn join(other: &Browser, owner: &Browser, account: &Account) {
    let sent = [("email", &*account.email), ("role", "organizer")];
    assert_eq!(other.send("/dashboard/members", &sent).await.status, 303);
    accept(owner, "/dashboard").await;
    let back = [("account_id", &*account.id.to_string())];
    assert_eq!(owner.send("/dashboard/switch", &back).await.status, 303);
}

/// Takes the only invitation that a page shows.
async fn accept(browser: &Browser, path: &str) {
    let page = browser.page(path).await;
    let (_, rest) = page.html(200).split_once("href=\"/invitations/").unwrap();
    let link = format!("/invitations/{}", rest.split('"').next().unwrap());
    assert_eq!(
        browser.send(&link, &[("action", "accept")]).await.status,
        303
    );
}

/// Invites a new person into the owner's account; answers their browser.
pub(super) async fn invite(
    app: &Arc<TestApp>,
    owner: &Browser,
    email: &str,
    role: &str,
) -> Browser {
    let sent = [("email", email), ("role", role)];
    assert_eq!(owner.send("/dashboard/members", &sent).await.status, 303);
    let browser = Browser::signed_in(app, email).await;
    accept(&browser, "/dashboard/start").await;
    browser
}

async fn rename(browser: &Browser, name: &str) {
    let named = [("action", "person"), ("person_name", name)];
    let renamed = browser.send("/dashboard/account", &named).await;
    assert_eq!(renamed.status, 303, "{renamed:?}");
}
