//! The frame of core's handlers: who calls, idempotency keys, and errors as statuses.

use std::{borrow::Cow, marker::PhantomData, net::IpAddr};

use domain::{idempotency::KeyedCall, person::Reach};
use muster_api::{
    binding::Rpc,
    frame::{Frame, Handle},
    idempotency_key,
    status::{about_request, invalid},
    validation::Checked,
};
use prost::Message;
use server::observe::RequestId;
use tonic::{Code, Request, Status};

use super::{edges::CallOrigin, held_permit::Waits, status::refuse};
use crate::service::{Caller, Claim, Commands, Error, Invocation, Principal, Replay, SignedIn};

/// The frame of core's handlers.
pub(super) struct CoreFrame {
    pub(super) commands: Commands,
}

/// The caller of an rpc that is open to all.
pub(super) struct PublicCaller {
    /// The client's address, as the gate has determined it.
    pub(super) client: Option<IpAddr>,
    /// The entity tags of the answers that the client has.
    pub(super) if_none_match: Option<Vec<u8>>,
}

/// The caller of an rpc that needs a credential.
pub(super) struct Authenticated {
    pub(super) principal: Principal,
    /// All that the credential says.
    pub(super) credential: Caller,
    /// The client's address, as the gate has determined it.
    pub(super) client: Option<IpAddr>,
    /// How the call may wait.
    pub(super) waits: Waits,
}

/// The caller of an rpc of an account's pages.
pub(super) struct Member {
    pub(super) principal: Principal,
    pub(super) person: SignedIn,
}

/// The caller of an rpc that takes an idempotency key, and how its answer `M` is stored if the call has one.
pub(super) struct Command<M> {
    caller: Principal,
    claim: Option<Claim>,
    answer: PhantomData<fn() -> M>,
}

impl<M: Message> Command<M> {
    /// The caller of the use case whose answer `show` converts.
    pub(super) fn showing<'a, A>(
        &'a self,
        show: &'a (impl Fn(A) -> M + Sync),
    ) -> Invocation<'a, A> {
        Invocation::claiming(&self.caller, self.claim.as_ref(), |answer| {
            show(answer).encode_to_vec()
        })
    }
}

impl Frame for CoreFrame {
    type Error = Error;
    type Public = PublicCaller;
    type Bearer = Authenticated;
    type Session = SignedIn;
    type Member = Member;
    type Command<M: Message> = Command<M>;

    fn public<M>(&self, request: &Request<M>) -> Result<PublicCaller, Error> {
        let tags = request.metadata().get("if-none-match");
        Ok(PublicCaller {
            client: client(request),
            if_none_match: tags.map(|tags| tags.as_bytes().to_vec()),
        })
    }

    fn bearer<M>(&self, request: &Request<M>) -> Result<Authenticated, Error> {
        let credential = caller(request)?;
        let principal = credential.principal.ok_or(Error::Unauthorized)?;
        Ok(Authenticated {
            principal,
            credential,
            client: client(request),
            waits: Waits::of(request.extensions()),
        })
    }

    fn session<M>(&self, request: &Request<M>) -> Result<SignedIn, Error> {
        caller(request)?.person.ok_or(Error::Unauthorized)
    }

    fn member<M>(&self, request: &Request<M>) -> Result<Member, Error> {
        Ok(Member {
            principal: self.bearer(request)?.principal,
            person: self.session(request)?,
        })
    }

    /// The bytes of an answer are stored, so that a repeated call gets the same message.
    async fn once<R: Rpc, H: Sync>(
        &self,
        handlers: &H,
        request: Request<Checked<R::Request>>,
        handle: Handle<Self, H, R>,
    ) -> Result<R::Response, Status> {
        let caller = self.bearer(&request).map_err(refuse)?.principal;
        let command = |claim| Command {
            caller,
            claim,
            answer: PhantomData,
        };
        let key = idempotency_key::read(request.metadata().as_ref());
        let key = key.map_err(|violation| invalid(&[violation]))?;
        // What is invalid is refused, and a refusal of that kind is not stored.
        let Some(key) = key.filter(|_| request.get_ref().mistakes.is_empty()) else {
            let answer = handle(handlers, command(None), request.into_inner()).await;
            return answer.map_err(refuse);
        };
        let bytes = request.get_ref().message.encode_to_vec();
        // Stored answers tell of events, so who reaches some events only has keys of their own.
        let key = match caller.reach {
            Reach::Account => Cow::Borrowed(key),
            Reach::EventsOf(person) => Cow::Owned(format!("{person} {key}")),
        };
        let call = KeyedCall::new(caller.account, &key, R::GRPC_PATH, &bytes);
        // It stays the id of the call that was refused, so that a repeated call is refused in the same bytes.
        let request_id = RequestId::of(request.metadata().as_ref());
        let refusal = |error| {
            about_request(&refuse(error), request_id.as_str())
                .details()
                .to_vec()
        };
        let message = request.into_inner();
        let once = self
            .commands
            .once(&caller, call, refusal, |claim| async move {
                let answer = handle(handlers, command(Some(claim)), message).await?;
                Ok(answer.encode_to_vec())
            });
        // Boxed, since most calls have no key.
        match Box::pin(once).await.map_err(refuse)? {
            Replay::Answer(bytes) => {
                R::Response::decode(&*bytes).map_err(|error| unreadable(&error))
            }
            Replay::Refusal(bytes) => Err(replayed_refusal(bytes)),
        }
    }

    fn refuse(&self, error: Error) -> Status {
        refuse(error)
    }
}

/// The caller, as the gate has authenticated it. Without one the call is refused.
fn caller<M>(request: &Request<M>) -> Result<Caller, Error> {
    let caller = request.extensions().get().copied();
    caller.ok_or(Error::Unauthorized)
}

/// The client's address, as the gate has determined it.
fn client<M>(request: &Request<M>) -> Option<IpAddr> {
    let origin = request.extensions().get::<CallOrigin>();
    origin.and_then(|origin| origin.client)
}

/// The status with these details, which contain its code and its message.
fn replayed_refusal(details: Vec<u8>) -> Status {
    match tonic_types::Status::decode(&*details) {
        Ok(status) => Status::with_details(Code::from(status.code), status.message, details.into()),
        Err(error) => unreadable(&error),
    }
}

fn unreadable(error: &prost::DecodeError) -> Status {
    refuse(Error::unreadable("answer", error.to_string()))
}
