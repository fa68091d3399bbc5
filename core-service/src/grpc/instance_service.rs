//! What pages show about this installation.

use muster_api::internal::v1::{
    GetInstanceRequest, Instance, instance_service_server::InstanceService,
};
use tonic::{Request, Response, Status};

use crate::{
    domain::zone::Zone,
    service::{InstanceInfo, SignUp},
};

/// The rpc about settings that pages show.
pub(super) struct InstanceApi {
    pub(super) info: InstanceInfo,
    pub(super) sign_up: SignUp,
    pub(super) default_timezone: Zone,
}

#[tonic::async_trait]
impl InstanceService for InstanceApi {
    async fn get_instance(
        &self,
        _request: Request<GetInstanceRequest>,
    ) -> Result<Response<Instance>, Status> {
        let info = self.info.clone();
        Ok(Response::new(Instance {
            is_sign_up_open: self.sign_up.is_open,
            sign_up_plan: self.sign_up.plan.name().to_owned(),
            mail_folder: info.mail_folder,
            upgrade_url: info.upgrade_url,
            legal_url: info.legal_url,
            privacy_url: info.privacy_url,
            abuse_email: info.abuse_email,
            default_timezone: self.default_timezone.name().to_owned(),
            security_contact: info.security_contact,
        }))
    }
}
