//! Sessions of people who are signed in.

use muster_api::internal::v1::{
    EndSessionRequest, EndSessionResponse, FinishStepUpRequest, GetSessionRequest,
    ListSessionsRequest, ListedSession, Membership, Person, ReceivedInvitation, Session,
    SessionList, SignOutEverywhereRequest, SignOutEverywhereResponse, SignOutRequest,
    SignOutResponse, StartStepUpRequest, StartStepUpResponse, SteppedUp, SwitchAccountRequest,
    session_service_server::SessionService,
};
use tonic::{Request, Response, Status};

use super::{
    request::{id_of, person},
    sign_in_service::valid_seconds,
    status::refuse,
};
use crate::{
    domain,
    service::{SessionView, Sessions, SignedIn},
};

/// The rpcs about sessions.
pub(super) struct SessionApi {
    pub(super) sessions: Sessions,
}

impl SessionApi {
    async fn view(&self, caller: &SignedIn) -> Result<Session, Status> {
        let view = self.sessions.get(caller).await.map_err(refuse)?;
        Ok(session(view))
    }
}

#[tonic::async_trait]
impl SessionService for SessionApi {
    async fn get_session(
        &self,
        request: Request<GetSessionRequest>,
    ) -> Result<Response<Session>, Status> {
        let caller = person(&request)?;
        Ok(Response::new(self.view(&caller).await?))
    }

    async fn list_sessions(
        &self,
        request: Request<ListSessionsRequest>,
    ) -> Result<Response<SessionList>, Status> {
        let caller = person(&request)?;
        let listed = self.sessions.list(&caller).await.map_err(refuse)?;
        let items = listed.into_iter().map(|one| ListedSession {
            id: one.id.to_string(),
            device: one.device,
            created_at: one.created_at.to_string(),
            last_used_at: one.last_used_at.to_string(),
            is_current: one.id == caller.session,
        });
        Ok(Response::new(SessionList {
            items: items.collect(),
        }))
    }

    async fn switch_account(
        &self,
        request: Request<SwitchAccountRequest>,
    ) -> Result<Response<Session>, Status> {
        let caller = person(&request)?;
        let account = id_of("account", request.into_inner().account_id)?;
        let switched = self.sessions.switch(&caller, account).await;
        let token = switched.map_err(refuse)?.expose().to_owned();
        Ok(Response::new(Session {
            token: Some(token),
            ..self.view(&caller).await?
        }))
    }

    async fn end_session(
        &self,
        request: Request<EndSessionRequest>,
    ) -> Result<Response<EndSessionResponse>, Status> {
        let caller = person(&request)?;
        let session = id_of("session", request.into_inner().id)?;
        let ended = self.sessions.end(&caller, session).await;
        ended.map_err(refuse)?;
        Ok(Response::new(EndSessionResponse {}))
    }

    async fn sign_out(
        &self,
        request: Request<SignOutRequest>,
    ) -> Result<Response<SignOutResponse>, Status> {
        let caller = person(&request)?;
        let ended = self.sessions.end(&caller, caller.session).await;
        ended.map_err(refuse)?;
        Ok(Response::new(SignOutResponse {}))
    }

    async fn sign_out_everywhere(
        &self,
        request: Request<SignOutEverywhereRequest>,
    ) -> Result<Response<SignOutEverywhereResponse>, Status> {
        let ended = self.sessions.end_all(&person(&request)?).await;
        Ok(Response::new(SignOutEverywhereResponse {
            ended: i32::try_from(ended.map_err(refuse)?).unwrap_or(i32::MAX),
        }))
    }

    async fn start_step_up(
        &self,
        request: Request<StartStepUpRequest>,
    ) -> Result<Response<StartStepUpResponse>, Status> {
        let started = self.sessions.start_step_up(&person(&request)?).await;
        Ok(Response::new(StartStepUpResponse {
            email: started.map_err(refuse)?,
            valid_seconds: valid_seconds(),
        }))
    }

    async fn finish_step_up(
        &self,
        request: Request<FinishStepUpRequest>,
    ) -> Result<Response<SteppedUp>, Status> {
        let caller = person(&request)?;
        let code = request.into_inner().code.unwrap_or_default();
        let stepped_up = self.sessions.finish_step_up(&caller, &code).await;
        let stepped_up = stepped_up.map_err(refuse)?;
        Ok(Response::new(SteppedUp {
            token: stepped_up.token.expose().to_owned(),
            stepped_up_until: stepped_up.until.to_string(),
        }))
    }
}

fn session(view: SessionView) -> Session {
    let about = view.session.account_id;
    let current = view
        .memberships
        .iter()
        .find(|one| Some(one.account_id) == about);
    Session {
        id: view.session.id.to_string(),
        current: current.map(membership),
        memberships: view.memberships.iter().map(membership).collect(),
        person: Some(shown(view.person)),
        invitations: view.invitations.into_iter().map(invitation).collect(),
        stepped_up_until: view.stepped_up_until.map(|until| until.to_string()),
        expires_at: view.session.expires_at.to_string(),
        token: None,
    }
}

fn membership(one: &domain::person::Membership) -> Membership {
    let scopes = one.role.scopes();
    Membership {
        account_id: one.account_id.to_string(),
        account_name: one.account_name.clone(),
        role: one.role.name().to_owned(),
        scopes: scopes.iter().map(|scope| scope.to_string()).collect(),
        is_suspended: one.is_suspended,
    }
}

/// A person, as they see themselves.
pub(super) fn shown(person: domain::person::Person) -> Person {
    Person {
        id: person.id.to_string(),
        name: person.name,
        email: person.email,
        created_at: person.created_at.to_string(),
    }
}

fn invitation(sent: domain::invitation::SentInvitation) -> ReceivedInvitation {
    ReceivedInvitation {
        id: sent.invitation.id.to_string(),
        account_name: sent.account_name,
        role: sent.invitation.role.name().to_owned(),
        invited_by: sent.invited_by,
        expires_at: sent.invitation.expires_at.to_string(),
    }
}
