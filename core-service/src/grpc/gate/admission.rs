//! Who may call what: the rule of an rpc, the credential of its caller, and the limit of the account.

use domain::{ids::AccountId, oauth::Audience};
use http::{HeaderValue, Request, header::AUTHORIZATION};
use muster_api::{
    binding::{Access, AccessRule},
    metadata::Surface,
};
use server::adaptive_limit::Kind;
use tonic::{Status, body::Body};

use super::{
    super::{call_record::service, edges::CallOrigin, status::refuse},
    GateLayer,
};
use crate::service::{Caller, Error, SessionTrust, SignedIn};

/// Services that are not part of the contract: health and reflection. They are public and show no data.
const OPEN_SERVICES: [&str; 3] = [
    tonic_health::pb::health_server::SERVICE_NAME,
    tonic_reflection::pb::v1::server_reflection_server::SERVICE_NAME,
    tonic_reflection::pb::v1alpha::server_reflection_server::SERVICE_NAME,
];

/// By what a call was admitted.
#[derive(Debug)]
pub(super) struct Admission {
    pub(super) rule: AccessRule,
    origin: CallOrigin,
    /// The header with the credential, unless the rpc is public.
    authorization: Option<HeaderValue>,
    /// The account for which the caller acts.
    account: Option<AccountId>,
}

impl GateLayer {
    /// Decides whether a call may pass to its service, and puts its origin and its caller into the request's extensions. A missing
    /// credential is reported before a missing scope, and both before an exceeded limit and any violation in the request. Returns
    /// `None` for services without rules; what the account has left of its limit is put into the extensions, too.
    pub(super) async fn admit(
        &self,
        origin: CallOrigin,
        request: &mut Request<Body>,
    ) -> Result<Option<Admission>, Box<Status>> {
        let path = request.uri().path();
        let rule = muster_api::access(path);
        if rule.is_some_and(|rule| rule.internal) && !origin.by_edge {
            let message = "muster.internal.v1 is for Muster's own edges";
            return Err(Box::new(Status::permission_denied(message)));
        }
        if rule.is_none() && !is_open(path) {
            let message = format!("there is no rpc {path}");
            return Err(Box::new(Status::unimplemented(message)));
        }
        request.extensions_mut().insert(origin);
        let Some(rule) = rule else {
            return Ok(None);
        };
        let mut admission = Admission {
            rule,
            origin,
            authorization: None,
            account: None,
        };
        if rule.access == Access::Public {
            return Ok(Some(admission));
        }
        admission.authorization = request.headers().get(AUTHORIZATION).cloned();
        // Boxed, since most of it is for credentials that are not remembered, and public calls need none of it.
        let caller = Box::pin(self.authenticate(&admission)).await?;
        request.extensions_mut().insert(caller);
        self.check(&caller, &admission).map_err(Box::new)?;
        let Some(principal) = caller.principal else {
            return Ok(Some(admission));
        };
        admission.account = Some(principal.account);
        if !rule.internal {
            let counted = self.call_limits.count(principal.account, rule.read_only);
            let allowance = counted.map_err(|error| Box::new(refuse(error)))?;
            if let Some(allowance) = allowance {
                request.extensions_mut().insert(allowance);
            }
        }
        Ok(Some(admission))
    }

    /// The caller. Looking up a credential takes a permit, too, of the kind of the call: too many writes must not keep out reads.
    async fn authenticate(&self, admission: &Admission) -> Result<Caller, Box<Status>> {
        let (origin, kind) = (&admission.origin, Kind::of(admission.rule.read_only));
        let _permit = self.permit(kind)?;
        let trust = match (origin.is_site(), kind) {
            (false, _) => SessionTrust::Unknown,
            (true, Kind::Read) => SessionTrust::Remembered,
            (true, Kind::Write) => SessionTrust::LookedUp,
        };
        let authorization = admission.authorization.as_ref();
        let authorization = authorization.and_then(|value| value.to_str().ok());
        let caller = self
            .authenticator
            .authenticate_call(authorization, origin.client, trust);
        caller.await.map_err(|error| Box::new(refuse(error)))
    }

    /// Decides whether the caller may call an rpc. This is the only place that does.
    fn check(&self, caller: &Caller, admission: &Admission) -> Result<(), Status> {
        let rule = admission.rule;
        if let Some(app) = caller.app
            && !is_for(app.audience, &admission.origin)
        {
            return Err(refuse(Error::WrongAudience(app.audience)));
        }
        if rule.access == Access::Session && caller.person.is_none() {
            return Err(refuse(Error::Unauthorized));
        }
        if let Some(needed) = rule.scope {
            if !rule.some_events {
                caller.require_account(needed).map_err(refuse)?;
            }
            caller.require(needed).map_err(refuse)?;
        }
        let now = self.authenticator.now();
        let is_old = |person: SignedIn| person.stepped_up_until <= now;
        if rule.step_up && caller.person.is_none_or(is_old) {
            return Err(refuse(Error::StepUpRequired));
        }
        Ok(())
    }

    /// Decides once more whether the caller of a call that has waited gets its answer: the credential may be revoked by now.
    pub(super) async fn check_again(&self, admission: &Admission) -> Result<(), Box<Status>> {
        if admission.rule.access == Access::Public {
            return Ok(());
        }
        let caller = self.authenticate(admission).await?;
        self.check(&caller, admission).map_err(Box::new)?;
        let account = caller.principal.map(|principal| principal.account);
        if account != admission.account {
            return Err(Box::new(refuse(Error::Unauthorized)));
        }
        Ok(())
    }
}

/// Whether an access token counts where a call arrived. Clients that call core directly are programs, as on the HTTP API; the site has
/// sessions.
fn is_for(audience: Audience, origin: &CallOrigin) -> bool {
    match origin.surface {
        Some(Surface::Mcp) => audience.includes(Audience::Mcp),
        Some(Surface::Api) | None => audience.includes(Audience::Api),
        Some(Surface::Site) => false,
    }
}

fn is_open(path: &str) -> bool {
    service(path).is_some_and(|service| OPEN_SERVICES.contains(&service))
}
