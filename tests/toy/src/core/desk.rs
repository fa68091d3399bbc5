//! What is internal: a credential to check, and a stream.

use std::{future::pending, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use muster_api::frame::Messages;
use tokio::time::interval;
use tokio_stream::wrappers::IntervalStream;
use tonic::{Response, Status};

use super::{Dropped, Toy, ToyFrame};
use crate::internal::v1::{
    Card, CardKind, CheckCardRequest, Move, WatchShelfRequest, services::DeskHandlers,
};

/// How long a `slow` stream waits before each message.
const SLOW: Duration = Duration::from_millis(100);

impl DeskHandlers<ToyFrame> for Toy {
    async fn check_card(&self, (): (), _: CheckCardRequest) -> Result<Card, Status> {
        let kind = CardKind::Golden.into();
        Ok(Card { number: 1, kind })
    }

    /// Three moves, one after the other. Besides what ids command, a shelf may be `open`, which goes on after them without a
    /// word, `half`, which breaks after them, `slow`, and `silent`, which has no move to tell of.
    async fn watch_shelf(
        &self,
        (): (),
        request: WatchShelfRequest,
    ) -> Result<Response<Messages<Move>>, Status> {
        let text = request.shelf;
        self.obey(&text).await?;
        let moves = |count| {
            stream::iter(0..count).map(|sequence| {
                let id = format!("b{sequence}");
                Ok(Move { id, sequence })
            })
        };
        let moves = match text.as_str() {
            "open" => {
                let dropped = Dropped(Arc::clone(&self.seen));
                let silence = stream::once(async move {
                    let _dropped = dropped;
                    pending().await
                });
                moves(3).chain(silence).boxed()
            }
            "silent" => stream::pending().boxed(),
            "half" => {
                let broken = Err(Status::internal("the disk is gone"));
                moves(3).chain(stream::iter([broken])).boxed()
            }
            "slow" => {
                let every = IntervalStream::new(interval(SLOW));
                moves(10).zip(every).map(|(moved, _)| moved).boxed()
            }
            _ => moves(3).boxed(),
        };
        Ok(Response::new(moves))
    }
}
