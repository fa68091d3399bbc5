//! What a security mail says, with the names of now.

use domain::{
    ids::{AccountId, KeyId, PersonId, WebhookId},
    job::SecurityNotice,
    webhook::Webhook,
};
use storage::{Error, Store};

use crate::{
    email::{AccountIncident, ChangedClocks, Concerned, Incident, Named, TroubledWebhook},
    service::Links,
};

/// Reads the names for a notice to a person.
pub(super) async fn incident(
    store: &Store,
    to: PersonId,
    notice: SecurityNotice,
) -> Result<Incident, Error> {
    let names = Names { store, to };
    let (account, what) = match notice {
        SecurityNotice::SignedIn { device } => return Ok(Incident::SignedIn { device }),
        SecurityNotice::EmailChanged => return Ok(Incident::EmailChanged),
        SecurityNotice::ClocksChanged { event, is_skipped } => {
            let found = store.find_event(event).await?;
            let schedule = found.as_ref().map(|event| event.schedule.clone());
            return Ok(Incident::ClocksChanged(ChangedClocks {
                event,
                title: found.map_or_else(String::new, |event| event.title),
                schedule,
                is_skipped,
            }));
        }
        SecurityNotice::MessageDelayed { event, number } => {
            let found = store.find_event(event).await?;
            return Ok(Incident::MessageDelayed {
                event,
                title: found.map_or_else(String::new, |event| event.title),
                number,
            });
        }
        SecurityNotice::AccountRemoved { name } => {
            return Ok(Incident::AccountRemoved { account: name });
        }
        SecurityNotice::KeyMade { account, key } => {
            (account, AccountIncident::KeyMade(names.key(key).await?))
        }
        SecurityNotice::KeyReplaced { account, key } => {
            (account, AccountIncident::KeyReplaced(names.key(key).await?))
        }
        SecurityNotice::KeyTakenOver { account, key } => (
            account,
            AccountIncident::KeyTakenOver(names.key(key).await?),
        ),
        SecurityNotice::AppConnected { account, grant } => {
            let found = store.find_grant(grant).await?;
            let client = match &found {
                Some(grant) => store.get_client(grant.client_id).await?,
                None => None,
            };
            let app = Named {
                name: client.map_or_else(String::new, |client| client.name),
                of: names.member(found.map(|grant| grant.person_id)).await?,
            };
            (account, AccountIncident::AppConnected(app))
        }
        SecurityNotice::OwnerAdded { account, member } => {
            let who = names.member(Some(member)).await?;
            (account, AccountIncident::OwnerAdded(who))
        }
        SecurityNotice::RoleChanged {
            account,
            member,
            before,
            after,
            events_before,
            events_after,
        } => {
            let incident = AccountIncident::RoleChanged {
                who: names.member(Some(member)).await?,
                before: (before, events_before),
                after: (after, events_after),
            };
            (account, incident)
        }
        SecurityNotice::WebhookMade { account, host, .. } => (
            account,
            AccountIncident::WebhookMade(host.unwrap_or_default()),
        ),
        SecurityNotice::WebhookFailing { account, webhook } => (
            account,
            AccountIncident::WebhookFailing(names.webhook(webhook).await?),
        ),
        SecurityNotice::WebhookDisabled { account, webhook } => (
            account,
            AccountIncident::WebhookDisabled(names.webhook(webhook).await?),
        ),
        SecurityNotice::MemberRemoved { account, member } => {
            let who = names.member(Some(member)).await?;
            (account, AccountIncident::MemberRemoved(who))
        }
    };
    Ok(Incident::OnAccount {
        account: names.account(account).await?,
        what,
    })
}

/// The page where a person sees what became of it.
pub(super) fn page(incident: &Incident, links: &Links) -> String {
    let Incident::OnAccount { what, .. } = incident else {
        return match incident {
            Incident::AccountRemoved { .. } => links.dashboard(),
            Incident::ClocksChanged(changed) => links.admin(changed.event),
            Incident::MessageDelayed { event, .. } => links.admin(*event),
            _ => links.sessions(),
        };
    };
    match what {
        AccountIncident::KeyMade(_)
        | AccountIncident::KeyReplaced(_)
        | AccountIncident::KeyTakenOver(_) => links.keys(),
        AccountIncident::AppConnected(_) => links.apps(),
        AccountIncident::WebhookMade(_) => links.webhooks(),
        AccountIncident::WebhookFailing(target) | AccountIncident::WebhookDisabled(target) => {
            target
                .id
                .map_or_else(|| links.webhooks(), |id| links.webhook(id))
        }
        AccountIncident::OwnerAdded(_) | AccountIncident::RoleChanged { .. } => links.members(),
        AccountIncident::MemberRemoved(_) => links.dashboard(),
    }
}

struct Names<'a> {
    store: &'a Store,
    to: PersonId,
}

impl Names<'_> {
    async fn account(&self, id: AccountId) -> Result<String, Error> {
        let found = self.store.find_account(id).await?;
        Ok(found.map_or_else(String::new, |account| account.name))
    }

    async fn key(&self, id: KeyId) -> Result<Named, Error> {
        let found = self.store.find_key(id).await?.map(|(key, _)| key);
        Ok(Named {
            of: self
                .member(found.as_ref().and_then(|key| key.person_id))
                .await?,
            name: found.map_or_else(String::new, |key| key.label),
        })
    }

    /// A webhook, if it is still there, and where it posts to: the host alone, since a path may hold a secret.
    async fn webhook(&self, id: WebhookId) -> Result<TroubledWebhook, Error> {
        let found = self.store.get_webhook(id).await?;
        let host = found.as_ref().and_then(Webhook::host);
        Ok(TroubledWebhook {
            id: found.map(|webhook| webhook.id),
            host: host.unwrap_or_default(),
        })
    }

    async fn member(&self, id: Option<PersonId>) -> Result<Concerned, Error> {
        let found = match id {
            Some(id) => self.store.find_person(id).await?,
            None => None,
        };
        Ok(Concerned {
            is_recipient: id == Some(self.to),
            name: found.map_or_else(String::new, |person| person.name),
        })
    }
}
