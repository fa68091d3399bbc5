//! Pulling messages, for programs that no URL reaches.

use std::time::Duration;

use domain::{
    violation::FieldViolation,
    webhook::{WebhookMessage, WebhookTypes},
};
use storage::StreamBounds;
use tokio::time::{Instant, timeout};

use super::Webhooks;
use crate::service::{Error, Principal, command::TooManyWaiting};

/// How often a call that waits looks for messages that other cores have recorded. Those of this one wake it.
const POLL: Duration = Duration::from_secs(2);

/// How many messages are read at a time.
const PAGE: u32 = 100;

/// How many pages a call reads in search of the types that it asked for. Then it is answered with none, and the next one goes on.
const MAX_PAGES: usize = 20;

/// Where a pull begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullFrom {
    /// With the oldest message that is there.
    Oldest,
    /// After the newest message.
    Latest,
    /// After the message with this number.
    After(i32),
}

/// Messages that were pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PulledMessages {
    /// The messages, the oldest first.
    pub messages: Vec<WebhookMessage>,
    /// The number after which the next call goes on.
    pub next: i32,
}

/// How a call waits for a message.
#[derive(Clone, Copy)]
pub struct Wait<'a> {
    /// How long.
    pub limit: Duration,
    /// Gives back what others need and a call that waits does not.
    pub release: &'a (dyn Fn() + Sync),
}

/// Which messages are pulled.
struct Pull<'a> {
    caller: &'a Principal,
    types: WebhookTypes,
    limit: usize,
}

impl Webhooks {
    /// Returns the messages of the caller's account from there on, of these types. Waits for one if there is none.
    pub async fn pull(
        &self,
        caller: &Principal,
        from: PullFrom,
        types: &[String],
        wait: Wait<'_>,
        limit: i32,
    ) -> Result<PulledMessages, Error> {
        let pull = Pull {
            caller,
            types: WebhookTypes::named(types).map_err(Error::Invalid)?,
            limit: usize::try_from(limit).unwrap_or(PAGE as usize),
        };
        let after = match from {
            PullFrom::Oldest => None,
            PullFrom::Latest => Some(self.last_seq(caller).await?),
            PullFrom::After(seq) => Some(seq),
        };
        let (mut pulled, mut is_end) = self.look(&pull, after).await?;
        if !pulled.messages.is_empty() || !is_end || wait.limit.is_zero() {
            return Ok(pulled);
        }
        let waiting = match self.commands.waiting_calls().join(caller.account) {
            Ok(waiting) => waiting,
            Err(TooManyWaiting::InAll) => return Ok(pulled),
            Err(of_account @ TooManyWaiting::OfAccount) => return Err(of_account.into()),
        };
        (wait.release)();
        let until = Instant::now() + wait.limit;
        loop {
            let recorded = waiting.recorded();
            (pulled, is_end) = self.look(&pull, Some(pulled.next)).await?;
            let now = Instant::now();
            let is_over = now >= until || self.stop_waiting.is_cancelled();
            if !pulled.messages.is_empty() || !is_end || is_over {
                return Ok(pulled);
            }
            let recorded = timeout(POLL.min(until - now), recorded);
            self.stop_waiting.run_until_cancelled(recorded).await;
        }
    }

    /// The number of the newest message.
    async fn last_seq(&self, caller: &Principal) -> Result<i32, Error> {
        let stream = self.commands.store().find_webhook_stream(caller.account);
        let bounds = stream.await?.ok_or_else(nothing_recorded)?;
        Ok(bounds.last_seq)
    }

    /// Looks for messages of the types, page by page. Returns also whether it has seen all that are recorded.
    async fn look(
        &self,
        pull: &Pull<'_>,
        after: Option<i32>,
    ) -> Result<(PulledMessages, bool), Error> {
        let (account, store) = (pull.caller.account, self.commands.store());
        let mut next = after;
        for _ in 0..MAX_PAGES {
            let page = store.read_webhook_stream(account, next.unwrap_or(0), i64::from(PAGE));
            let page = page.await?.ok_or_else(nothing_recorded)?;
            let after = checked(next, page.bounds)?;
            let mut messages = page.messages;
            let is_end = messages.len() < PAGE as usize;
            // Those of other types were read as well.
            let mut last = messages.last().map_or(after, |last| last.seq);
            messages.retain(|message| pull.types.contain(message.kind));
            if messages.len() > pull.limit {
                messages.truncate(pull.limit);
                last = messages.last().map_or(last, |last| last.seq);
            }
            if is_end || !messages.is_empty() {
                let pulled = PulledMessages {
                    messages,
                    next: last,
                };
                return Ok((pulled, is_end));
            }
            next = Some(last);
        }
        let pulled = PulledMessages {
            messages: Vec::new(),
            next: next.unwrap_or(0),
        };
        Ok((pulled, false))
    }
}

/// The number after which a page begins that was read within these bounds; an error if messages between them are gone.
fn checked(after: Option<i32>, bounds: StreamBounds) -> Result<i32, Error> {
    let before_first = bounds.first_seq - 1;
    let after = after.unwrap_or(before_first);
    if after < before_first {
        return Err(Error::Conflict(
            "messages after this cursor are gone: read what you need by its own operations, then begin without a cursor"
                .to_owned(),
        ));
    }
    if after > bounds.last_seq {
        return Err(Error::Invalid(vec![FieldViolation {
            field: "cursor".to_owned(),
            message: "must be the next_cursor of another answer, or latest".to_owned(),
        }]));
    }
    Ok(after)
}

fn nothing_recorded() -> Error {
    Error::Conflict(
        "nothing is recorded: create a webhook first, without url if messages are only pulled"
            .to_owned(),
    )
}
