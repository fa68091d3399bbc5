//! What pages show about this installation.

use covers::CoverRequest;
use muster_api::{
    frame::Messages,
    http_body::HttpBody,
    internal::v1::{
        GetInstanceRequest, GetSitePreviewRequest, Instance, services::InstanceHandlers,
    },
};
use tonic::Response;

use super::{
    Api,
    catalogue_service::not_drawn,
    frame::{CoreFrame, PublicCaller},
};
use crate::service::Error;

impl InstanceHandlers<CoreFrame> for Api {
    async fn get_instance(
        &self,
        _: PublicCaller,
        _: GetInstanceRequest,
    ) -> Result<Instance, Error> {
        let info = self.info.clone();
        Ok(Instance {
            is_sign_up_open: self.sign_in.sign_up().is_open,
            sign_up_plan: self.sign_in.sign_up().plan.name().to_owned(),
            mail_folder: info.mail_folder,
            upgrade_url: info.upgrade_url,
            legal_url: info.legal_url,
            privacy_url: info.privacy_url,
            abuse_email: info.abuse_email,
            default_timezone: self.events.defaults().timezone.name().to_owned(),
            security_contact: info.security_contact,
            confirm_by_email: self.events.defaults().confirm_by_email,
        })
    }

    async fn get_site_preview(
        &self,
        _: PublicCaller,
        _: GetSitePreviewRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let drawing = CoverRequest {
            title: "Meetups, workshops, runs.".to_owned(),
            subtitle: vec![self.brand.name.to_string()],
            words: "party".to_owned(),
            variant: 0,
            has_text: true,
        };
        let body = HttpBody {
            content_type: "image/png".into(),
            data: self.studio.cover(drawing).await.map_err(not_drawn)?,
        };
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(body)))))
    }
}
