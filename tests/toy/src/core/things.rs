//! Things: each rpc answers what it was given.

use futures_util::{StreamExt, stream};
use muster_api::{frame::Messages, http_body::HttpBody};
use tonic::{Response, Status, metadata::MetadataValue};

use super::{Toy, ToyFrame};
use crate::v1::{
    CancelThingRequest, CreateThingRequest, Echo, GetMeRequest, GetThingRequest, ListThingsRequest,
    Thing, UpdateThingRequest, services::ThingHandlers,
};

type Echoed = Result<Response<Echo>, Status>;
type Pieces = Messages<HttpBody>;

impl Toy {
    /// The answer of an rpc that was given that. A `large` one has a long title.
    async fn own(&self, rpc: &str, mut thing: Thing, changed: Vec<String>) -> Result<Echo, Status> {
        self.obey(&thing.id).await?;
        if thing.id == "large" {
            thing.title = Some("long ".repeat(1000));
        }
        Ok(Echo {
            rpc: rpc.to_owned(),
            thing: Some(thing),
            changed,
        })
    }

    /// The same of a public rpc. A `tagged` answer has metadata.
    async fn echo(&self, rpc: &str, thing: Thing) -> Echoed {
        let is_tagged = thing.id == "tagged";
        let mut response = Response::new(self.own(rpc, thing, Vec::new()).await?);
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

impl ThingHandlers<ToyFrame> for Toy {
    async fn list_things(&self, (): (), request: ListThingsRequest) -> Echoed {
        let thing = Thing {
            count: request.count,
            query: request.query,
            ..Thing::default()
        };
        self.echo("ListThings", thing).await
    }

    async fn get_thing(&self, (): (), request: GetThingRequest) -> Echoed {
        self.echo("GetThing", thing(request.id)).await
    }

    async fn get_picture(
        &self,
        (): (),
        request: GetThingRequest,
    ) -> Result<Response<Pieces>, Status> {
        self.download(&request.id).await
    }

    async fn create_thing(&self, (): (), request: CreateThingRequest) -> Result<Echo, Status> {
        let thing = Thing {
            id: request.id,
            title: request.title,
            count: request.count,
            flag: request.flag,
            parts: request.parts,
            query: request.query,
        };
        self.own("CreateThing", thing, Vec::new()).await
    }

    async fn get_me(&self, (): (), _: GetMeRequest) -> Result<Echo, Status> {
        self.own("GetMe", Thing::default(), Vec::new()).await
    }

    async fn get_my_thing(&self, (): (), request: GetThingRequest) -> Result<Echo, Status> {
        self.own("GetMyThing", thing(request.id), Vec::new()).await
    }

    async fn update_thing(&self, (): (), request: UpdateThingRequest) -> Result<Echo, Status> {
        let thing = Thing {
            id: request.id,
            title: request.title,
            count: request.count,
            ..Thing::default()
        };
        let changed = request.update_mask.unwrap_or_default().paths;
        self.own("UpdateThing", thing, changed).await
    }

    async fn publish_thing(&self, (): (), request: GetThingRequest) -> Result<Echo, Status> {
        let thing = thing(request.id);
        self.own("PublishThing", thing, Vec::new()).await
    }

    async fn cancel_thing(&self, (): (), request: CancelThingRequest) -> Result<Echo, Status> {
        let thing = Thing {
            title: request.title,
            ..thing(request.id)
        };
        self.own("CancelThing", thing, Vec::new()).await
    }

    async fn export_thing(
        &self,
        (): (),
        request: GetThingRequest,
    ) -> Result<Response<Pieces>, Status> {
        self.download(&request.id).await
    }
}
