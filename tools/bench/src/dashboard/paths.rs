//! The pages of the dashboard, as the website lists them, so that none is left out.

use anyhow::{Context as _, ensure};
use http::{
    Method, Request,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use http_body_util::Full;
use rpc_client::{CoreSettings, CoreUrl};
use serde_json::{Value, json};

use super::owner::Owner;
use crate::deployed::{Deployment, Surface};

/// Pages that cost something else with a query. `{page}` are the registrations of a page, `{last}` is where the last page begins.
const QUERIES: [(&str, &str); 6] = [
    ("/dashboard", "?status=all&q=hot"),
    ("/dashboard/events/{id}/registrations", "?cursor={last}"),
    ("/dashboard/events/{id}/registrations", "?q=guest-77"),
    ("/dashboard/events/{id}/registrations", "?status=Confirmed"),
    ("/dashboard/events/{id}/registrations/decline", "?{page}"),
    ("/dashboard/events/{id}/check-in", "?q=gue"),
];

/// One page.
pub(super) struct Example {
    /// Its path as a template.
    pub(super) name: String,
    pub(super) path: String,
}

/// What stands for the placeholders of templates.
struct Values(Vec<(&'static str, String)>);

/// An example of each page, with the event that so many have registered for.
pub(super) async fn examples(
    deployment: &Deployment,
    site: &Surface,
    owner: &Owner,
    guests: usize,
) -> anyhow::Result<Vec<Example>> {
    let values = Values::find(deployment, site, owner, guests).await?;
    let templates = templates()?;
    let mut examples = Vec::new();
    for template in templates {
        examples.push(values.example(template, "")?);
        for (path, query) in QUERIES {
            if path == template {
                examples.push(values.example(template, query)?);
            }
        }
    }
    Ok(examples)
}

/// The paths below `/dashboard` that can be read.
fn templates() -> anyhow::Result<Vec<&'static str>> {
    // Nothing is asked, so it need not be there.
    let nowhere = CoreSettings {
        core_url: CoreUrl::Unix("/nowhere".to_owned()),
        core_ca: None,
        core_cert: None,
        core_key: None,
        edge_token: None,
    };
    let paths = website::paths(nowhere.client()?, website::Options::default());
    let own = paths.into_iter();
    let own: Vec<_> = own.filter(|path| path.starts_with("/dashboard")).collect();
    ensure!(!own.is_empty(), "the website has no dashboard");
    Ok(own)
}

impl Values {
    async fn find(
        deployment: &Deployment,
        site: &Surface,
        owner: &Owner,
        guests: usize,
    ) -> anyhow::Result<Self> {
        let event = &deployment.event.id;
        let first = registrations(deployment, "?limit=50").await?;
        let last = format!("?limit=50&approval_first=true&offset={}", guests - 100);
        let last = registrations(deployment, &last).await?;
        let ids: Vec<&str> = first["items"]
            .as_array()
            .context("registrations are a list")?
            .iter()
            .filter_map(|registration| registration["id"].as_str())
            .collect();
        let chosen: Vec<String> = ids
            .iter()
            .map(|id| format!("registration_ids={id}"))
            .collect();
        let cursor = last["next_cursor"].as_str();
        send_cover(deployment).await?;
        let webhook = webhook(deployment).await?;
        let webhook_path = format!("/dashboard/webhooks/{webhook}");
        let delivery = delivery(deployment, &webhook).await?;
        Ok(Self(vec![
            (
                "/dashboard/webhooks/{id}/deliveries/{message_id}",
                format!("{webhook_path}/deliveries/{delivery}"),
            ),
            ("/dashboard/webhooks/{id}", webhook_path),
            (
                "/dashboard/events/{id}",
                format!("/dashboard/events/{event}"),
            ),
            (
                "/dashboard/keys/{id}",
                linked(site, owner, "/dashboard/keys/").await?,
            ),
            (
                "/dashboard/members/{person_id}",
                linked(site, owner, "/dashboard/members/").await?,
            ),
            (
                "{registration_id}",
                (*ids.first().context("there are registrations")?).to_owned(),
            ),
            ("{message_id}", message(deployment).await?),
            ("{page}", chosen.join("&")),
            ("{last}", cursor.context("there is a last page")?.to_owned()),
        ]))
    }

    fn example(&self, template: &str, query: &str) -> anyhow::Result<Example> {
        let name = format!("{template}{query}");
        let mut path = name.clone();
        for (placeholder, value) in &self.0 {
            path = path.replace(placeholder, value);
        }
        ensure!(!path.contains('{'), "say what {name} is measured with");
        Ok(Example { name, path })
    }
}

/// A page of the event's registrations.
async fn registrations(deployment: &Deployment, query: &str) -> anyhow::Result<Value> {
    let path = format!(
        "/api/v1/me/events/{}/registrations{query}",
        deployment.event.id
    );
    let asked = Request::get(path)
        .header(AUTHORIZATION, format!("Bearer {}", deployment.key))
        .body(Full::default())?;
    let list = deployment.gateway.client().await?.ask(asked).await?;
    Ok(serde_json::from_slice(&list)?)
}

/// Writes a message for later; returns its id.
async fn message(deployment: &Deployment) -> anyhow::Result<String> {
    let path = format!("/api/v1/me/events/{}/messages", deployment.event.id);
    let message = json!({
        "subject": "How to find the door", "text": "The second yard.", "hours_before_start": 1,
    });
    id_of(&send(deployment, Method::POST, path, &message).await?)
}

/// Makes a webhook that is paused, so that nothing is posted; returns its id.
async fn webhook(deployment: &Deployment) -> anyhow::Result<String> {
    let path = "/api/v1/me/webhooks".to_owned();
    let webhook = json!({"url": "https://receiver.invalid/hook", "types": ["event.created"]});
    let id = id_of(&send(deployment, Method::POST, path, &webhook).await?)?;
    let paused = json!({"is_paused": true});
    let path = format!("/api/v1/me/webhooks/{id}");
    send(deployment, Method::PATCH, path, &paused).await?;
    Ok(id)
}

/// Makes a draft, of which the webhook gets a message; returns that one's id.
async fn delivery(deployment: &Deployment, webhook: &str) -> anyhow::Result<String> {
    let draft = json!({
        "title": "A draft", "description": "Nothing yet.", "location": "Here", "start_date": "2040-05-14T19:00:00Z",
    });
    let path = "/api/v1/events".to_owned();
    send(deployment, Method::POST, path, &draft).await?;
    let path = format!("/api/v1/me/webhooks/{webhook}/deliveries");
    let asked = Request::get(path)
        .header(AUTHORIZATION, format!("Bearer {}", deployment.key))
        .body(Full::default())?;
    let list = deployment.gateway.client().await?.ask(asked).await?;
    let list: Value = serde_json::from_slice(&list)?;
    let id = list["items"][0]["message_id"].as_str();
    Ok(id.context("the draft is a message")?.to_owned())
}

/// Sends JSON to the API; returns the answer.
async fn send(
    deployment: &Deployment,
    method: Method,
    path: String,
    body: &Value,
) -> anyhow::Result<Value> {
    let asked = Request::builder()
        .method(method)
        .uri(path)
        .header(AUTHORIZATION, format!("Bearer {}", deployment.key))
        .header(CONTENT_TYPE, "application/json")
        .body(Full::from(body.to_string()))?;
    let answer = deployment.gateway.client().await?.ask(asked).await?;
    Ok(serde_json::from_slice(&answer)?)
}

fn id_of(answer: &Value) -> anyhow::Result<String> {
    let id = answer["id"].as_str().context("the answer has an id")?;
    Ok(id.to_owned())
}

/// Sends the drawn cover of the event as one of the organizer's own.
async fn send_cover(deployment: &Deployment) -> anyhow::Result<()> {
    let mut gateway = deployment.gateway.client().await?;
    let drawn = format!("/api/v1/events/{}/cover", deployment.event.slug);
    let drawn = gateway
        .ask(Request::get(drawn).body(Full::default())?)
        .await?;
    let own = Request::put(format!("/api/v1/me/events/{}/cover", deployment.event.id))
        .header(AUTHORIZATION, format!("Bearer {}", deployment.key))
        .header(CONTENT_TYPE, "image/png")
        .body(Full::new(drawn))?;
    gateway.ask(own).await?;
    Ok(())
}

/// The first link on a page to one of the things that it lists.
async fn linked(site: &Surface, owner: &Owner, below: &str) -> anyhow::Result<String> {
    let plain = Request::get(below.trim_end_matches('/'));
    let page = site.client().await?.ask(owner.sends(plain)?).await?;
    let page = String::from_utf8(page.into())?;
    let links = page.split("href=\"").skip(1);
    let links = links.filter_map(|link| link.split('"').next());
    let mut below = links.filter(|link| link.starts_with(below) && !link.ends_with("/new"));
    Ok(below
        .next()
        .context("the page links what it lists")?
        .to_owned())
}
