//! Things: each rpc answers what it was given.

use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use muster_api::{http_body::HttpBody, metadata::PROVISIONAL};
use tonic::{Request, Response, Status, async_trait, metadata::MetadataValue};

use super::{Toy, authorize};
use crate::v1::{
    CancelThingRequest, CreateThingRequest, Echo, GetMeRequest, GetThingRequest, ListThingsRequest,
    Thing, UpdateThingRequest, thing_service_server::ThingService,
};

type Echoed = Result<Response<Echo>, Status>;
type Pieces = BoxStream<'static, Result<HttpBody, Status>>;

impl Toy {
    /// The answer of an rpc that was given that. A `tagged` one has metadata, a `large` one a long title.
    async fn echo(&self, rpc: &str, mut thing: Thing, changed: Vec<String>) -> Echoed {
        self.obey(&thing.id).await?;
        let is_tagged = thing.id == "tagged";
        if thing.id == "large" {
            thing.title = Some("long ".repeat(1000));
        }
        let mut response = Response::new(Echo {
            rpc: rpc.to_owned(),
            thing: Some(thing),
            changed,
        });
        if is_tagged {
            let metadata = response.metadata_mut();
            for (name, value) in [
                ("etag", "\"v1\""),
                ("cache-control", "public, max-age=60"),
                ("x-internal", "secret"),
            ] {
                metadata.insert(name, MetadataValue::from_static(value));
            }
        }
        Ok(response)
    }

    /// A file of two pieces. The second one fails when it is `half`.
    async fn download(&self, id: &str) -> Result<Response<Pieces>, Status> {
        self.obey(id).await?;
        let piece = |data: Vec<u8>| HttpBody {
            content_type: "image/png".to_owned(),
            data: data.into(),
        };
        let second = match id {
            "half" => Err(Status::internal("the disk is gone")),
            _ => Ok(piece(b"PNG".to_vec())),
        };
        let pieces = [Ok(piece(vec![0x89; 3000])), second];
        let mut response = Response::new(stream::iter(pieces).boxed());
        let metadata = response.metadata_mut();
        metadata.insert("etag", MetadataValue::from_static("\"p1\""));
        if id == "provisional" {
            metadata.insert(PROVISIONAL, MetadataValue::from_static("1"));
        }
        let name = "inline; filename=\"picture.png\"";
        metadata.insert("content-disposition", MetadataValue::from_static(name));
        Ok(response)
    }
}

fn thing(id: String) -> Thing {
    Thing {
        id,
        ..Thing::default()
    }
}

#[async_trait]
impl ThingService for Toy {
    type GetPictureStream = Pieces;
    type ExportThingStream = Pieces;

    async fn list_things(&self, request: Request<ListThingsRequest>) -> Echoed {
        let ListThingsRequest { count, query } = request.into_inner();
        let thing = Thing {
            count,
            query,
            ..Thing::default()
        };
        self.echo("ListThings", thing, Vec::new()).await
    }

    async fn get_thing(&self, request: Request<GetThingRequest>) -> Echoed {
        let thing = thing(request.into_inner().id);
        self.echo("GetThing", thing, Vec::new()).await
    }

    async fn get_picture(
        &self,
        request: Request<GetThingRequest>,
    ) -> Result<Response<Pieces>, Status> {
        self.download(&request.into_inner().id).await
    }

    async fn create_thing(&self, request: Request<CreateThingRequest>) -> Echoed {
        authorize(request.metadata())?;
        let CreateThingRequest {
            id,
            title,
            count,
            flag,
            parts,
            query,
        } = request.into_inner();
        let thing = Thing {
            id,
            title,
            count,
            flag,
            parts,
            query,
        };
        self.echo("CreateThing", thing, Vec::new()).await
    }

    async fn get_me(&self, request: Request<GetMeRequest>) -> Echoed {
        authorize(request.metadata())?;
        self.echo("GetMe", Thing::default(), Vec::new()).await
    }

    async fn get_my_thing(&self, request: Request<GetThingRequest>) -> Echoed {
        authorize(request.metadata())?;
        let thing = thing(request.into_inner().id);
        self.echo("GetMyThing", thing, Vec::new()).await
    }

    async fn update_thing(&self, request: Request<UpdateThingRequest>) -> Echoed {
        authorize(request.metadata())?;
        let UpdateThingRequest {
            id,
            update_mask,
            title,
            count,
        } = request.into_inner();
        let thing = Thing {
            id,
            title,
            count,
            ..Thing::default()
        };
        let changed = update_mask.unwrap_or_default().paths;
        self.echo("UpdateThing", thing, changed).await
    }

    async fn publish_thing(&self, request: Request<GetThingRequest>) -> Echoed {
        authorize(request.metadata())?;
        let thing = thing(request.into_inner().id);
        self.echo("PublishThing", thing, Vec::new()).await
    }

    async fn cancel_thing(&self, request: Request<CancelThingRequest>) -> Echoed {
        authorize(request.metadata())?;
        let CancelThingRequest { id, title } = request.into_inner();
        let thing = Thing { title, ..thing(id) };
        self.echo("CancelThing", thing, Vec::new()).await
    }

    async fn export_thing(
        &self,
        request: Request<GetThingRequest>,
    ) -> Result<Response<Pieces>, Status> {
        authorize(request.metadata())?;
        self.download(&request.into_inner().id).await
    }
}
