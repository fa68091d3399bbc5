//! What pages show about this installation.

use domain::zone::Zone;
use muster_api::internal::v1::{GetInstanceRequest, Instance, services::InstanceHandlers};

use super::frame::{CoreFrame, PublicCaller};
use crate::service::{Error, InstanceInfo, SignUp};

/// The rpc about settings that pages show.
pub(super) struct InstanceApi {
    pub(super) info: InstanceInfo,
    pub(super) sign_up: SignUp,
    pub(super) default_timezone: Zone,
}

impl InstanceHandlers<CoreFrame> for InstanceApi {
    async fn get_instance(
        &self,
        _: PublicCaller,
        _: GetInstanceRequest,
    ) -> Result<Instance, Error> {
        let info = self.info.clone();
        Ok(Instance {
            is_sign_up_open: self.sign_up.is_open,
            sign_up_plan: self.sign_up.plan.name().to_owned(),
            mail_folder: info.mail_folder,
            upgrade_url: info.upgrade_url,
            legal_url: info.legal_url,
            privacy_url: info.privacy_url,
            abuse_email: info.abuse_email,
            default_timezone: self.default_timezone.name().to_owned(),
            security_contact: info.security_contact,
        })
    }
}
