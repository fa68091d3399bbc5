//! Idempotency keys: a repeated call is done once. The first call with a key claims it and stores its answer in the transaction
//! of its effect. For 24 hours, later calls with the same key and the same request get this answer, from any replica.
//!
//! Refusals are answers too. They change nothing, so each is stored in a transaction of its own, after the rolled-back one. If
//! another call stored its answer in between, that answer counts. Failures before a decision (an invalid request, an exceeded
//! rate limit, an unreachable database) are not stored, so the call can be repeated.

mod under_way;

use std::{sync::Arc, time::Duration};

use domain::{
    event::Event,
    idempotency::KeyedCall,
    ids::{EventId, RegistrationId, WebhookId},
    registration::{Counters, Registration},
    webhook::Webhook,
};
use tokio::time::Instant;

use super::{
    Added, Approval, Arrival, Cancellation, Commands, Context, Error, Imported, MadeWebhook,
    MessageView, Principal, Repeated, Replayed, Updated,
};

pub(super) use self::under_way::UnderWay;

/// How long a call waits for an earlier one with the same key.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// An answer that can be stored.
pub trait Storable: Clone {
    /// The registration in it. The stored answer is erased with it.
    fn registration(&self) -> Option<RegistrationId> {
        None
    }
}

impl Storable for Event {}

impl Storable for EventId {}

impl Storable for (Event, Counters) {}

impl Storable for Updated {}

impl Storable for Repeated {}

impl Storable for Cancellation {}

impl Storable for MessageView {}

impl Storable for MadeWebhook {}

impl Storable for Webhook {}

impl Storable for WebhookId {}

impl Storable for Replayed {}

impl Storable for Registration {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.id)
    }
}

/// Its registrations are ids and statuses, so there is nothing to erase.
impl Storable for Approval {}

/// As stored it has no names: only a dry run does, which is not stored.
impl Storable for Imported {}

impl Storable for Arrival {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.registration.id)
    }
}

impl Storable for Added {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.id)
    }
}

/// The caller of a command, and how its answer is stored if the call has an idempotency key.
pub struct Invocation<'a, A> {
    /// The caller.
    pub caller: &'a Principal,
    recording: Option<Recording<'a, A>>,
}

impl<'a, A> From<&'a Principal> for Invocation<'a, A> {
    /// Without a key.
    fn from(caller: &'a Principal) -> Self {
        Self {
            caller,
            recording: None,
        }
    }
}

impl<'a, A> Invocation<'a, A> {
    /// A caller whose key, if any, is claimed with the effect of the command. `encode` makes bytes of its answer.
    pub fn claiming(
        caller: &'a Principal,
        claim: Option<&'a Claim>,
        encode: impl Fn(A) -> Vec<u8> + Send + Sync + 'a,
    ) -> Self {
        let recording = claim.map(|claim| Recording {
            claim,
            encode: Box::new(encode),
        });
        Self { caller, recording }
    }

    /// Whether the call has a key.
    pub(super) const fn has_key(&self) -> bool {
        self.recording.is_some()
    }
}

/// The right of one call to claim its idempotency key.
#[derive(Clone)]
pub struct Claim {
    call: Arc<KeyedCall>,
    /// Until when it waits for an earlier call with the same key.
    until: Instant,
}

struct Recording<'a, A> {
    claim: &'a Claim,
    encode: Box<dyn Fn(A) -> Vec<u8> + Send + Sync + 'a>,
}

/// The stored answer to a call with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The call succeeded; the bytes are those of the answer.
    Answer(Vec<u8>),
    /// The call was refused; the bytes are those of the refusal.
    Refusal(Vec<u8>),
}

impl Replay {
    const ANSWER: u8 = 0;
    const REFUSAL: u8 = 1;

    /// Its stored form: its kind, then its bytes.
    fn into_bytes(self) -> Vec<u8> {
        let (kind, bytes) = match self {
            Self::Answer(bytes) => (Self::ANSWER, bytes),
            Self::Refusal(bytes) => (Self::REFUSAL, bytes),
        };
        [&[kind][..], &bytes].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [Self::ANSWER, bytes @ ..] => Some(Self::Answer(bytes.to_vec())),
            [Self::REFUSAL, bytes @ ..] => Some(Self::Refusal(bytes.to_vec())),
            _ => None,
        }
    }
}

impl Commands {
    /// Answers a call with a key: runs the use case, or returns the stored answer. The use case passes the claim on to
    /// [`Commands::run_for`], and returns the bytes of its answer.
    pub async fn once<F: Future<Output = Result<Vec<u8>, Error>>>(
        &self,
        caller: &Principal,
        call: KeyedCall,
        refusal: impl Fn(Error) -> Vec<u8>,
        use_case: impl FnOnce(Claim) -> F,
    ) -> Result<Replay, Error> {
        let claim = Claim {
            call: Arc::new(call),
            until: Instant::now() + MAX_WAIT,
        };
        let call = &claim.call;
        let _under_way = loop {
            match self.under_way().enter(call) {
                Ok(entered) => break entered,
                Err(earlier) => earlier.ended(claim.until).await?,
            }
            if let Some(replay) = self.find_replay(call).await? {
                return Ok(replay);
            }
        };
        match use_case(claim.clone()).await {
            Ok(answer) => Ok(Replay::Answer(answer)),
            Err(Error::IdempotencyKeyInUse) => self.replay_or_in_use(call).await,
            Err(error) if error.is_decision() => {
                let refusal = Replay::Refusal(refusal(error));
                self.record_refusal(caller, &claim, refusal).await
            }
            Err(error) => Err(error),
        }
    }

    /// Decides one command, as [`Commands::run`] does, and stores its answer if the call has a key.
    pub(super) async fn run_for<A: Storable>(
        &self,
        by: Invocation<'_, A>,
        decide: impl AsyncFnOnce(&mut Context) -> Result<A, Error> + Clone,
    ) -> Result<A, Error> {
        let Some(Recording { claim, encode }) = by.recording else {
            return self.run(by.caller, decide).await;
        };
        let recorded = async |context: &mut Context| {
            context.claim(claim).await?;
            let answer = decide(context).await?;
            let replay = Replay::Answer(encode(answer.clone()));
            context
                .record_answer(&claim.call, replay, answer.registration())
                .await?;
            Ok(answer)
        };
        // Boxed, since most calls have no key.
        Box::pin(self.run(by.caller, recorded)).await
    }

    async fn record_refusal(
        &self,
        caller: &Principal,
        claim: &Claim,
        refusal: Replay,
    ) -> Result<Replay, Error> {
        let recorded = async |context: &mut Context| {
            context.claim(claim).await?;
            context
                .record_answer(&claim.call, refusal.clone(), None)
                .await?;
            Ok(())
        };
        match self.run(caller, recorded).await {
            Ok(()) => Ok(refusal),
            Err(Error::IdempotencyKeyInUse) => self.replay_or_in_use(&claim.call).await,
            Err(error) => Err(error),
        }
    }

    /// After the key could not be claimed: the answer of the call that claimed it, if it is stored.
    async fn replay_or_in_use(&self, call: &KeyedCall) -> Result<Replay, Error> {
        let found = self.find_replay(call).await?;
        found.ok_or(Error::IdempotencyKeyInUse)
    }

    async fn find_replay(&self, call: &KeyedCall) -> Result<Option<Replay>, Error> {
        let found = self.store().find_answer(call, self.now()).await?;
        let Some(found) = found else {
            return Ok(None);
        };
        if !found.is_of_this_request {
            return Err(Error::IdempotencyKeyReused);
        }
        let opened = call.opened(&found.sealed);
        let replay = opened.and_then(|bytes| Replay::from_bytes(&bytes));
        let corrupt = || storage::Error::Corrupt {
            what: "answer",
            text: "it cannot be decrypted".to_owned(),
        };
        Ok(Some(replay.ok_or_else(corrupt)?))
    }
}

impl Context {
    /// Claims the key of a call, or fails if another call has claimed it.
    async fn claim(&mut self, Claim { call, until }: &Claim) -> Result<(), Error> {
        let left = until.saturating_duration_since(Instant::now());
        if self.tx.claim_idempotency_key(call, self.now, left).await? {
            Ok(())
        } else {
            Err(Error::IdempotencyKeyInUse)
        }
    }

    async fn record_answer(
        &mut self,
        call: &KeyedCall,
        replay: Replay,
        registration: Option<RegistrationId>,
    ) -> Result<(), Error> {
        let sealed = call.sealed(&replay.into_bytes(), self.entropy());
        self.tx.store_answer(call, &sealed, registration).await?;
        self.note_write();
        Ok(())
    }
}
