//! News of the catalogue, for edges.

use std::pin::Pin;

use futures_util::{Stream, stream};
use muster_api::{
    deadline::CATALOGUE_NEWS,
    internal::v1::{
        CatalogueNews, WatchCatalogueRequest, catalogue_news_service_server::CatalogueNewsService,
    },
};
use tonic::{Request, Response, Status};

use crate::service::{self, Told};

/// The rpc by which edges learn of changes.
pub(super) struct CatalogueNewsApi {
    pub(super) news: service::CatalogueNews,
}

#[tonic::async_trait]
impl CatalogueNewsService for CatalogueNewsApi {
    type WatchCatalogueStream =
        Pin<Box<dyn Stream<Item = Result<CatalogueNews, Status>> + Send + 'static>>;

    async fn watch_catalogue(
        &self,
        _: Request<WatchCatalogueRequest>,
    ) -> Result<Response<Self::WatchCatalogueStream>, Status> {
        let news = stream::unfold(
            self.news.listen(CATALOGUE_NEWS),
            |mut listener| async move {
                let told = listener.next().await?;
                Some((Ok(message(told)), listener))
            },
        );
        Ok(Response::new(Box::pin(news)))
    }
}

fn message(told: Told) -> CatalogueNews {
    CatalogueNews {
        core: told.core,
        version: told.version,
        has_changed: told.change.everything,
        seats_of: told.change.seats_of,
        ends_in_micros: told.ends_in_micros,
        read_micros_ago: i64::try_from(told.age.as_micros()).unwrap_or(i64::MAX),
    }
}
