//! Calls that are done once, however often they come. A caller names a call by an idempotency key; the first such call takes the
//! key in the transaction that decides it and keeps its answer there, and all that come later with the same key and the same
//! request get that answer, from whatever replica, for 24 hours.
//!
//! Refusals are answers, too. They change nothing, so each is kept by a transaction of its own, after the one that was rolled
//! back; if another call got ahead of it in between, that call's answer is the one that counts. What failed before anything was
//! decided (a malformed request, too many of them, a database out of reach) is not kept: the call may come again.

mod under_way;

use std::time::Duration;

use tokio::time::Instant;

pub(super) use self::under_way::UnderWay;
use super::{Added, Cancellation, Commands, Error, Principal, Unit};
use crate::{
    domain::{
        event::Event,
        ids::RegistrationId,
        keyed_call::KeyedCall,
        registration::{Counters, Registration},
    },
    storage,
};

/// How long a call waits for an earlier one with the same key.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// What a command answers that may be kept.
pub trait Keepable: Clone {
    /// The registration that it tells of, with which it is erased.
    fn registration(&self) -> Option<RegistrationId> {
        None
    }
}

impl Keepable for Event {}

impl Keepable for (Event, Counters) {}

impl Keepable for Cancellation {}

impl Keepable for Registration {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.id)
    }
}

impl Keepable for Added {
    fn registration(&self) -> Option<RegistrationId> {
        Some(self.id)
    }
}

/// On whose behalf a command is run, and how its answer is kept when it has an idempotency key.
pub struct By<'a, A> {
    /// Who calls.
    pub caller: &'a Principal,
    keep: Option<Keep<'a, A>>,
}

impl<'a, A> From<&'a Principal> for By<'a, A> {
    /// Without a key.
    fn from(caller: &'a Principal) -> Self {
        Self { caller, keep: None }
    }
}

impl<A> By<'_, A> {
    /// Whether the call has a key.
    pub(super) const fn has_key(&self) -> bool {
        self.keep.is_some()
    }
}

/// How an answer is written down.
type Encode<'a, A> = &'a (dyn Fn(A) -> Vec<u8> + Send + Sync);

struct Keep<'a, A> {
    call: &'a KeyedCall,
    encode: Encode<'a, A>,
    until: Instant,
}

/// How answers and refusals are written down for the caller.
pub struct Wording<'a, A> {
    /// An answer as bytes.
    pub answer: Encode<'a, A>,
    /// A refusal as bytes.
    pub refusal: &'a (dyn Fn(Error) -> Vec<u8> + Send + Sync),
}

/// What a call with a key is answered, the first time and every other time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// It was done; the bytes are those of [`Wording::answer`].
    Answer(Vec<u8>),
    /// It was refused; the bytes are those of [`Wording::refusal`].
    Refusal(Vec<u8>),
}

impl Kept {
    const ANSWER: u8 = 0;
    const REFUSAL: u8 = 1;

    /// As it is sealed: what it is, then its bytes.
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
    /// Answers a call that has a key: runs the use case, or finds what was answered before. A use case hands `By` to
    /// [`Commands::run_for`].
    pub async fn once<A: Keepable>(
        &self,
        caller: &Principal,
        call: &KeyedCall,
        wording: Wording<'_, A>,
        use_case: impl AsyncFnOnce(By<'_, A>) -> Result<A, Error>,
    ) -> Result<Kept, Error> {
        let until = Instant::now() + LONGEST_WAIT;
        let _under_way = loop {
            match self.under_way().enter(call) {
                Ok(entered) => break entered,
                Err(earlier) => earlier.ended(until).await?,
            }
            if let Some(kept) = self.find_kept(call).await? {
                return Ok(kept);
            }
        };
        let keep = Keep {
            call,
            encode: wording.answer,
            until,
        };
        let by = By {
            caller,
            keep: Some(keep),
        };
        match use_case(by).await {
            Ok(answer) => Ok(Kept::Answer((wording.answer)(answer))),
            Err(Error::IdempotencyKeyInUse) => self.kept_or_in_use(call).await,
            Err(error) if error.is_decision() => {
                let refusal = Kept::Refusal((wording.refusal)(error));
                self.keep_refusal(caller, call, refusal, until).await
            }
            Err(error) => Err(error),
        }
    }

    /// Decides one command of a caller's, as [`Commands::run`] does, and keeps its answer when the call has a key.
    pub(super) async fn run_for<A: Keepable>(
        &self,
        by: By<'_, A>,
        decide: impl AsyncFnOnce(&mut Unit) -> Result<A, Error>,
    ) -> Result<A, Error> {
        let Some(Keep {
            call,
            encode,
            until,
        }) = by.keep
        else {
            return self.run(by.caller, decide).await;
        };
        let keep = async |unit: &mut Unit| {
            unit.claim(call, until).await?;
            let answer = decide(unit).await?;
            let kept = Kept::Answer(encode(answer.clone()));
            unit.keep(call, kept, answer.registration()).await?;
            Ok(answer)
        };
        self.run(by.caller, keep).await
    }

    async fn keep_refusal(
        &self,
        caller: &Principal,
        call: &KeyedCall,
        refusal: Kept,
        until: Instant,
    ) -> Result<Kept, Error> {
        let keep = async |unit: &mut Unit| {
            unit.claim(call, until).await?;
            unit.keep(call, refusal.clone(), None).await?;
            Ok(())
        };
        match self.run(caller, keep).await {
            Ok(()) => Ok(refusal),
            Err(Error::IdempotencyKeyInUse) => self.kept_or_in_use(call).await,
            Err(error) => Err(error),
        }
    }

    /// After the key could not be taken: what its owner answered, if that is there.
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
            text: "its request does not open it".to_owned(),
        };
        Ok(Some(kept.ok_or_else(corrupt)?))
    }
}

impl Unit {
    /// Takes the key of a call, or says that it is taken.
    async fn claim(&mut self, call: &KeyedCall, until: Instant) -> Result<(), Error> {
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
