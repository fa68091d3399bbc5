//! The HTTP API of the Muster whose messages are pulled.

use std::{error::Error, iter, time::Duration};

use bytes::Bytes;
use domain::clock::Clock;
use egress::RetryAfter;
use reqwest::{
    Client, RequestBuilder, Response, StatusCode, Url,
    header::{CONTENT_TYPE, RETRY_AFTER},
    redirect::Policy,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use server::{Failure, command_line, probe};

use super::WAIT_SECONDS;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a call may take beyond the time that it waits for a message.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The cursor after the newest message.
pub(super) const LATEST: &str = "latest";

/// Calls one Muster.
pub(super) struct Instance {
    base: String,
    key: SecretString,
    http: Client,
    clock: Clock,
}

/// Messages that were pulled.
pub(super) struct Page {
    pub(super) messages: Vec<Message>,
    pub(super) next_cursor: String,
}

/// A message.
pub(super) struct Message {
    pub(super) id: String,
    pub(super) kind: String,
    /// The JSON that Muster would post.
    pub(super) body: Bytes,
}

/// Why nothing was pulled.
pub(super) enum PullError {
    /// It may pass.
    Temporary {
        why: String,
        retry_after: Option<Duration>,
    },
    /// The account records no messages.
    NoWebhook,
    /// It will not pass.
    Failure(Failure),
}

impl From<Failure> for PullError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Instance {
    pub(super) fn new(base: &str, key: &SecretString, clock: Clock) -> Result<Self, Failure> {
        let internal = |error: &dyn std::fmt::Display| Failure::Internal(error.to_string());
        let tls = probe::browser_tls().map_err(|error| internal(&error))?;
        let http = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("Muster/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT + Duration::from_secs(WAIT_SECONDS.into()))
            // The key goes to no other host.
            .redirect(Policy::none())
            .build()
            .map_err(|error| internal(&error))?;
        Ok(Self {
            base: base.to_owned(),
            key: key.clone(),
            http,
            clock,
        })
    }

    /// Pulls the messages of these types after a cursor. No types are all.
    pub(super) async fn pull(
        &self,
        cursor: &str,
        types: &[String],
        wait_seconds: u8,
    ) -> Result<Page, PullError> {
        let mut url = self.url("webhook-messages")?;
        let wait_seconds = wait_seconds.to_string();
        url.query_pairs_mut()
            .append_pair("wait_seconds", &wait_seconds)
            .append_pair("cursor", cursor)
            .extend_pairs(types.iter().map(|one| ("types", one)));
        let (status, retry_after, answer) = self.call(self.http.get(url)).await?;
        match status {
            StatusCode::OK => {
                let page = page(&answer);
                page.ok_or_else(|| self.refused(status, &answer).into())
            }
            StatusCode::CONFLICT if cursor == LATEST => Err(PullError::NoWebhook),
            StatusCode::CONFLICT => {
                let said = said(&answer);
                let text = format!("the cursor {cursor} cannot be used: {said}");
                Err(Failure::Environment(text).into())
            }
            _ if is_temporary(status) => Err(PullError::Temporary {
                why: format!(
                    "{} answers {}: {}",
                    self.base,
                    status.as_u16(),
                    said(&answer)
                ),
                retry_after,
            }),
            _ => Err(self.refused(status, &answer).into()),
        }
    }

    /// Creates a webhook without a URL, and returns its id.
    pub(super) async fn create_webhook(&self) -> Result<String, Failure> {
        let request = self.http.post(self.url("webhooks")?);
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .body(WEBHOOK.to_owned());
        let answered = self.call(request).await;
        let (status, _, answer) = answered.map_err(|error| match error {
            PullError::Failure(failure) => failure,
            PullError::Temporary { why, .. } => Failure::Environment(why),
            PullError::NoWebhook => without_webhook(&self.base),
        })?;
        let id = answer["id"].as_str().filter(|_| status.is_success());
        id.map(str::to_owned)
            .ok_or_else(|| self.refused(status, &answer))
    }

    async fn call(
        &self,
        request: RequestBuilder,
    ) -> Result<(StatusCode, Option<Duration>, Value), PullError> {
        let sent = request.bearer_auth(self.key.expose_secret()).send().await;
        let response = sent.map_err(|error| self.unreachable(error))?;
        let (status, retry_after) = (response.status(), self.retry_after(&response));
        let body = response.bytes().await;
        let body = body.map_err(|error| self.unreachable(error))?;
        let answer = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Ok((status, retry_after, answer))
    }

    fn retry_after(&self, response: &Response) -> Option<Duration> {
        let header = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
        let retry_after = header.parse::<RetryAfter>().ok()?;
        Some(retry_after.delay(self.clock.now().into()))
    }

    fn url(&self, name: &str) -> Result<Url, Failure> {
        let url = Url::parse(&format!("{}/api/v1/me/{name}", self.base));
        url.map_err(|error| Failure::setting(format!("--url (MUSTER_URL): {error}")))
    }

    fn unreachable(&self, error: reqwest::Error) -> PullError {
        // The address is said once, without the query.
        let error = error.without_url();
        let causes = iter::successors(Some(&error as &dyn Error), |&error| error.source());
        let cause = causes.last().map(ToString::to_string);
        PullError::Temporary {
            why: format!("cannot reach {}: {}", self.base, cause.unwrap_or_default()),
            retry_after: None,
        }
    }

    /// What is wrong with a call that is not answered as it should be.
    fn refused(&self, status: StatusCode, answer: &Value) -> Failure {
        let (base, said) = (&self.base, said(answer));
        match status {
            StatusCode::UNAUTHORIZED => {
                let create = command_line(
                    "key create --email you@example.org --name listen --scope webhooks:read",
                );
                Failure::setting(format!(
                    "--api-key (MUSTER_API_KEY): {base} does not take it: {said}. Create one with the scope webhooks:read at {base}/dashboard/keys, or by `{create}`"
                ))
            }
            StatusCode::FORBIDDEN => Failure::setting(format!(
                "--api-key (MUSTER_API_KEY): {said}. To pull messages a key needs webhooks:read, for --create also webhooks:write"
            )),
            StatusCode::BAD_REQUEST => Failure::setting(format!("{base} answers: {said}")),
            _ => Failure::Environment(format!("{base} answers {}: {said}", status.as_u16())),
        }
    }
}

/// The webhook that is created.
const WEBHOOK: &str = r#"{"description": "muster webhook listen"}"#;

/// The account records no messages, and what to do about it.
pub(super) fn without_webhook(base: &str) -> Failure {
    Failure::Environment(format!(
        "this account records no messages, since it has no webhook. With --create this command creates one without a URL. Or do it yourself:\n\
         curl -X POST {base}/api/v1/me/webhooks -H \"Authorization: Bearer $MUSTER_API_KEY\" -H 'Content-Type: application/json' -d '{WEBHOOK}'"
    ))
}

const fn is_temporary(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// What an answer says of an error.
fn said(answer: &Value) -> String {
    let message = answer["error"]["message"].as_str();
    message.map_or_else(
        || "that is no answer of Muster's API".to_owned(),
        str::to_owned,
    )
}

fn page(answer: &Value) -> Option<Page> {
    let items = answer["items"].as_array()?.iter();
    let messages = items.map(|item| {
        Some(Message {
            id: item["id"].as_str()?.to_owned(),
            kind: item["body"]["type"].as_str()?.to_owned(),
            // Members stay in their order, so these are the bytes that Muster would post.
            body: serde_json::to_vec(&item["body"]).ok()?.into(),
        })
    });
    Some(Page {
        messages: messages.collect::<Option<_>>()?,
        next_cursor: answer["next_cursor"].as_str()?.to_owned(),
    })
}
