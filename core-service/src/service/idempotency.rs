//! Idempotency keys: a repeated call is done once. The first call with a key claims it and stores its answer in the transaction
//! of its effect. For 24 hours, later calls with the same key and the same request get this answer, from any replica.
//!
//! Refusals are answers too. They change nothing, so each is stored in a transaction of its own, after the rolled-back one. If
//! another call stored its answer in between, that answer counts. Failures before a decision (an invalid request, an exceeded
//! rate limit, an unreachable database) are not stored, so the call can be repeated.

mod under_way;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

pub(super) use self::under_way::UnderWay;
use super::{Added, Approval, Arrival, Cancellation, Commands, Error, Principal, Unit, Updated};
use domain::{
    event::Event,
    ids::{EventId, RegistrationId},
    keyed_call::KeyedCall,
    registration::{Counters, Registration},
};
use storage;

/// How long a call waits for an earlier one with the same key.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// An answer that can be stored.
pub trait Keepable: Clone {
    /// The registration in it. The stored answer is erased with it.
    fn registration(&self) -> Option<RegistrationId> {
        None
    }
}

impl Keepable for Event {}

impl Keepable for EventId {}

impl Keepable for (Event, Counters) {}

impl Keepable for Updated {}

impl Keepable for Cancellation {}

impl Keepable for Registration {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.id)
    }
}

/// Its registrations are ids and statuses, so there is nothing to erase.
impl Keepable for Approval {}

impl Keepable for Arrival {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.registration.id)
    }
}

impl Keepable for Added {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.id)
    }
}

/// The caller of a command, and how its answer is stored if the call has an idempotency key.
pub struct By<'a, A> {
    /// The caller.
    pub caller: &'a Principal,
    keep: Option<Keep<'a, A>>,
}

impl<'a, A> From<&'a Principal> for By<'a, A> {
    /// Without a key.
    fn from(caller: &'a Principal) -> Self {
        Self { caller, keep: None }
    }
}

impl<'a, A> By<'a, A> {
    /// A caller whose key, if any, is claimed with the effect of the command. `encode` makes bytes of its answer.
    pub fn claiming(
        caller: &'a Principal,
        claim: Option<&'a Claim>,
        encode: impl Fn(A) -> Vec<u8> + Send + Sync + 'a,
    ) -> Self {
        let keep = claim.map(|claim| Keep {
            claim,
            encode: Box::new(encode),
        });
        Self { caller, keep }
    }

    /// Whether the call has a key.
    pub(super) const fn has_key(&self) -> bool {
        self.keep.is_some()
    }
}

/// The right of one call to claim its idempotency key.
#[derive(Clone)]
pub struct Claim {
    call: Arc<KeyedCall>,
    /// Until when it waits for an earlier call with the same key.
    until: Instant,
}

struct Keep<'a, A> {
    claim: &'a Claim,
    encode: Box<dyn Fn(A) -> Vec<u8> + Send + Sync + 'a>,
}

/// The stored answer to a call with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The call succeeded; the bytes are those of the answer.
    Answer(Vec<u8>),
    /// The call was refused; the bytes are those of the refusal.
    Refusal(Vec<u8>),
}

impl Kept {
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
    ) -> Result<Kept, Error> {
        let claim = Claim {
            call: Arc::new(call),
            until: Instant::now() + LONGEST_WAIT,
        };
        let call = &claim.call;
        let _under_way = loop {
            match self.under_way().enter(call) {
                Ok(entered) => break entered,
                Err(earlier) => earlier.ended(claim.until).await?,
            }
            if let Some(kept) = self.find_kept(call).await? {
                return Ok(kept);
            }
        };
        match use_case(claim.clone()).await {
            Ok(answer) => Ok(Kept::Answer(answer)),
            Err(Error::IdempotencyKeyInUse) => self.kept_or_in_use(call).await,
            Err(error) if error.is_decision() => {
                let refusal = Kept::Refusal(refusal(error));
                self.keep_refusal(caller, &claim, refusal).await
            }
            Err(error) => Err(error),
        }
    }

    /// Decides one command, as [`Commands::run`] does, and stores its answer if the call has a key.
    pub(super) async fn run_for<A: Keepable>(
        &self,
        by: By<'_, A>,
        decide: impl AsyncFnOnce(&mut Unit) -> Result<A, Error> + Clone,
    ) -> Result<A, Error> {
        let Some(Keep { claim, encode }) = by.keep else {
            return self.run(by.caller, decide).await;
        };
        let keep = async |unit: &mut Unit| {
            unit.claim(claim).await?;
            let answer = decide(unit).await?;
            let kept = Kept::Answer(encode(answer.clone()));
            unit.keep(&claim.call, kept, answer.registration()).await?;
            Ok(answer)
        };
        // Boxed, since most calls have no key.
        Box::pin(self.run(by.caller, keep)).await
    }

    async fn keep_refusal(
        &self,
        caller: &Principal,
        claim: &Claim,
        refusal: Kept,
    ) -> Result<Kept, Error> {
        let keep = async |unit: &mut Unit| {
            unit.claim(claim).await?;
            unit.keep(&claim.call, refusal.clone(), None).await?;
            Ok(())
        };
        match self.run(caller, keep).await {
            Ok(()) => Ok(refusal),
            Err(Error::IdempotencyKeyInUse) => self.kept_or_in_use(&claim.call).await,
            Err(error) => Err(error),
        }
    }

    /// After the key could not be claimed: the answer of the call that claimed it, if it is stored.
    async fn kept_or_in_use(&self, call: &KeyedCall) -> Result<Kept, Error> {
        let found = self.find_kept(call).await?;
        found.ok_or(Error::IdempotencyKeyInUse)
    }

    async fn find_kept(&self, call: &KeyedCall) -> Result<Option<Kept>, Error> {
        let found = self.store().find_kept_answer(call, self.now()).await?;
        let Some(found) = found else {
            return Ok(None);
        };
        if !found.is_of_this_request {
            return Err(Error::IdempotencyKeyReused);
        }
        let opened = call.opened(&found.sealed);
        let kept = opened.and_then(|bytes| Kept::from_bytes(&bytes));
        let corrupt = || storage::Error::Corrupt {
            what: "answer",
            text: "it cannot be decrypted".to_owned(),
        };
        Ok(Some(kept.ok_or_else(corrupt)?))
    }
}

impl Unit {
    /// Claims the key of a call, or fails if another call has claimed it.
    async fn claim(&mut self, Claim { call, until }: &Claim) -> Result<(), Error> {
        let left = until.saturating_duration_since(Instant::now());
        if self.tx.claim_idempotency_key(call, self.now, left).await? {
            Ok(())
        } else {
            Err(Error::IdempotencyKeyInUse)
        }
    }

    async fn keep(
        &mut self,
        call: &KeyedCall,
        kept: Kept,
        registration: Option<RegistrationId>,
    ) -> Result<(), Error> {
        let sealed = call.sealed(&kept.into_bytes(), self.entropy());
        self.tx.keep_answer(call, &sealed, registration).await?;
        self.note_write();
        Ok(())
    }
}
