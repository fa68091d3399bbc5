//! Requests in which an edge found mistakes.

use muster_api::{
    binding::PublicRpc,
    validation::check,
    violation::{Violation, Violations},
};
use rpc_client::{Context, Core, EncodedRequest};

use crate::{Problem, Read};

/// What is wrong with a request, as far as it is known without core.
#[derive(Default)]
pub struct Mistakes {
    /// Field by field.
    pub found: Vec<Violation>,
    /// What core can be asked for the rest, as a request with mistakes.
    pub rest: Option<EncodedRequest>,
}

impl<M> Read<M> {
    /// Returns the request for core.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn encode<R: PublicRpc<Request = M>>(self) -> Result<EncodedRequest, Mistakes> {
        match &self.message {
            Some(message) if self.mistakes.is_empty() => Ok(EncodedRequest::new::<R>(message)),
            _ => Err(Mistakes::of::<R>(self)),
        }
    }
}

impl<M> From<M> for Read<M> {
    /// Without mistakes.
    fn from(message: M) -> Self {
        Self {
            message: Some(message),
            mistakes: Vec::new(),
        }
    }
}

impl Mistakes {
    /// Returns what is wrong with what was read: its mistakes, and what the rules of the proto say of the rest.
    pub fn of<R: PublicRpc>(Read { message, mistakes }: Read<R::Request>) -> Self {
        let mut found = Violations::from(mistakes);
        let mut rest = None;
        if let Some(message) = message {
            found.add_others(check(&message).err().unwrap_or_default());
            rest = R::COLLECTS_MISTAKES.then(|| EncodedRequest::new::<R>(&message));
        }
        Self {
            found: found.as_slice().to_vec(),
            rest,
        }
    }

    /// Returns everything that is wrong; what of it core finds, if core can be asked.
    pub async fn judged(self, core: &Core, context: &Context) -> Problem {
        let refused = match self.rest {
            Some(rest) => {
                let context = context.clone().with_mistakes();
                core.answer(rest, &context).await.err()
            }
            None => None,
        };
        Problem::of_mistakes(self.found, refused.map(|status| Problem::from(&status)))
    }
}
