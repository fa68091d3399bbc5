//! Posting messages to a program on this machine.

use std::{fmt, time::Duration};

use core_service::webhook_post::{LIMITS, readable, signed};
use domain::{clock::Clock, webhook::SigningKey};
use egress::{Allowances, Egress, Fault, HostRules};
use reqwest::Url;
use server::Failure;

use super::instance::Message;

/// Any address: whoever runs the command names where to post, and it is often their own machine. Not those at which clouds answer with
/// credentials; the crate refuses them.
const ANY_NETWORK: &str = "0.0.0.0/0,::/0";

/// How much of an answer is printed.
const MAX_SHOWN: usize = 200;

/// Signs messages and posts them to one URL, as Muster itself does.
pub(super) struct Forward {
    egress: Egress,
    url: Url,
    keys: [SigningKey; 1],
    clock: Clock,
}

/// What came of a message.
pub(super) enum Outcome {
    /// The status, the time that it took, and the first line of the answer.
    Answer(u16, Duration, String),
    /// There was no answer.
    Fault(Fault),
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(status, took, text) => {
                write!(out, "{status} in {} ms", took.as_millis())?;
                match status {
                    200..300 => Ok(()),
                    300..400 => out.write_str(": redirects are not followed"),
                    _ if text.is_empty() => Ok(()),
                    _ => write!(out, ": {text}"),
                }
            }
            // What the crate says of it is for receivers on the internet.
            Self::Fault(Fault::Address) => out.write_str("error: its host is unknown"),
            Self::Fault(fault) => write!(out, "error: {fault}"),
        }
    }
}

impl Forward {
    pub(super) fn new(url: &Url, key: SigningKey, clock: Clock) -> Result<Self, Failure> {
        let internal = |error: &dyn fmt::Display| Failure::Internal(error.to_string());
        let allowances = Allowances {
            networks: ANY_NETWORK.parse().map_err(|error| internal(&error))?,
            hosts: HostRules::default(),
        };
        let egress = Egress::public().map_err(|error| internal(&error))?;
        let egress = egress.admitting(allowances);
        egress.allows(url).map_err(|_| {
            Failure::setting(
                "--forward: must be an http:// or https:// URL with a host and without a user name, for example http://127.0.0.1:3000/hook",
            )
        })?;
        Ok(Self {
            egress,
            url: url.clone(),
            keys: [key],
            clock,
        })
    }

    /// Posts a message once. It is not tried again, since someone looks on.
    pub(super) async fn post(&self, message: &Message) -> Outcome {
        let body = message.body.clone();
        let Some(headers) = signed(&self.keys, &message.id, self.clock.now(), &body) else {
            return Outcome::Fault(Fault::Url);
        };
        let posted = Egress::post(&self.egress, &self.url, headers, body, LIMITS).await;
        match posted {
            Ok(answer) => {
                let text = readable(&answer.body);
                let line = text.trim().lines().next().unwrap_or_default();
                let shown = line.chars().take(MAX_SHOWN).collect();
                Outcome::Answer(answer.status, answer.took, shown)
            }
            Err(error) => Outcome::Fault(error.fault),
        }
    }
}
