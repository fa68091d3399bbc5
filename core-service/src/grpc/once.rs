//! Rpcs with an idempotency key: the bytes of an answer are stored, so that a repeated call gets the same message.

use muster_api::{
    binding::Rpc,
    idempotency_key,
    status::{about_request, invalid},
};
use process::observe::RequestId;
use prost::Message as _;
use tonic::{Code, Request, Response, Status};

use super::{request::caller, status::refuse};
use crate::{
    domain::keyed_call::KeyedCall,
    service::{By, Commands, Error, Keepable, Kept, Wording},
};

/// Answers a call of `R` by running a use case and converting its result with `show`. A repeated call with the same key gets
/// the stored answer.
pub(super) async fn answer<R: Rpc, A: Keepable>(
    commands: &Commands,
    request: Request<R::Request>,
    show: impl Fn(A) -> R::Response + Send + Sync,
    use_case: impl AsyncFnOnce(By<'_, A>, R::Request) -> Result<A, Error>,
) -> Result<Response<R::Response>, Status> {
    const {
        assert!(
            R::IDEMPOTENCY_KEY,
            "the proto must say that the rpc takes a key"
        );
    }
    let caller = caller(&request)?;
    let key = idempotency_key::read(request.metadata().as_ref());
    let Some(key) = key.map_err(|violation| invalid(&[violation]))? else {
        let answer = Box::pin(use_case(By::from(&caller), request.into_inner())).await;
        return Ok(Response::new(show(answer.map_err(refuse)?)));
    };
    let bytes = request.get_ref().encode_to_vec();
    let call = KeyedCall::new(caller.account, key, R::GRPC_PATH, &bytes);
    let encode = |answer| show(answer).encode_to_vec();
    // It stays the id of the call that was refused, so that a repeated call is refused in the same bytes.
    let request_id = RequestId::of(request.metadata().as_ref());
    let refusal = |error| about_request(&refuse(error), request_id.as_str());
    let wording = Wording {
        answer: &encode,
        refusal: &|error| refusal(error).details().to_vec(),
    };
    let message = request.into_inner();
    let once = commands.once(&caller, &call, wording, async |by| {
        use_case(by, message).await
    });
    // Boxed, since most calls have no key.
    let kept = Box::pin(once).await.map_err(refuse)?;
    match kept {
        Kept::Answer(bytes) => {
            let message = R::Response::decode(&*bytes);
            message
                .map(Response::new)
                .map_err(|error| unreadable(&error))
        }
        Kept::Refusal(bytes) => Err(kept_refusal(bytes)),
    }
}

/// The status with these details, which contain its code and its message.
fn kept_refusal(details: Vec<u8>) -> Status {
    match tonic_types::Status::decode(&*details) {
        Ok(status) => Status::with_details(Code::from(status.code), status.message, details.into()),
        Err(error) => unreadable(&error),
    }
}

fn unreadable(error: &prost::DecodeError) -> Status {
    refuse(Error::unreadable("answer", error.to_string()))
}
