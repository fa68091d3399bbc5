//! Sessions of people who are signed in.

use domain::invitation::MAX_NAMED_EVENTS;
use muster_api::internal::v1::{
    EndSessionRequest, EndSessionResponse, FinishStepUpRequest, GetSessionRequest,
    ListOwnTrailRequest, ListSessionsRequest, ListedSession, Membership, OwnTrail, Person,
    ReceivedInvitation, Session, SessionList, SignOutEverywhereRequest, SignOutEverywhereResponse,
    SignOutRequest, SignOutResponse, StartStepUpRequest, StartStepUpResponse, SteppedUp,
    SwitchAccountRequest, TrailEntry, services::SessionHandlers,
};

use super::{Api, frame::CoreFrame, request::id_of, sign_in_service::valid_seconds};
use crate::service::{Error, SessionView, SignedIn};

impl SessionHandlers<CoreFrame> for Api {
    async fn get_session(&self, caller: SignedIn, _: GetSessionRequest) -> Result<Session, Error> {
        Ok(session(self.sessions.get(&caller).await?))
    }

    async fn list_sessions(
        &self,
        caller: SignedIn,
        _: ListSessionsRequest,
    ) -> Result<SessionList, Error> {
        let listed = self.sessions.list(&caller).await?;
        let items = listed.into_iter().map(|one| ListedSession {
            id: one.id.to_string(),
            device: one.device,
            network: one.network,
            created_at: one.created_at.to_string(),
            last_used_at: one.last_used_at.to_string(),
            is_current: one.id == caller.session,
        });
        Ok(SessionList {
            items: items.collect(),
        })
    }

    async fn list_own_trail(
        &self,
        caller: SignedIn,
        _: ListOwnTrailRequest,
    ) -> Result<OwnTrail, Error> {
        let listed = self.sessions.trail(&caller).await?;
        let items = listed.into_iter().map(|entry| TrailEntry {
            at: entry.at.to_string(),
            text: entry.on_site(self.brand.name.chosen()).sentence(),
        });
        Ok(OwnTrail {
            items: items.collect(),
        })
    }

    async fn switch_account(
        &self,
        caller: SignedIn,
        request: SwitchAccountRequest,
    ) -> Result<Session, Error> {
        let account = id_of("account", request.account_id)?;
        let token = self.sessions.switch(&caller, account).await?;
        Ok(Session {
            token: Some(token.expose().to_owned()),
            ..session(self.sessions.get(&caller).await?)
        })
    }

    async fn end_session(
        &self,
        caller: SignedIn,
        request: EndSessionRequest,
    ) -> Result<EndSessionResponse, Error> {
        let session = id_of("session", request.id)?;
        self.sessions.end(&caller, session).await?;
        Ok(EndSessionResponse {})
    }

    async fn sign_out(
        &self,
        caller: SignedIn,
        _: SignOutRequest,
    ) -> Result<SignOutResponse, Error> {
        self.sessions.end(&caller, caller.session).await?;
        Ok(SignOutResponse {})
    }

    async fn sign_out_everywhere(
        &self,
        caller: SignedIn,
        request: SignOutEverywhereRequest,
    ) -> Result<SignOutEverywhereResponse, Error> {
        let apps = request.disconnect_apps;
        let ended = self.sessions.end_all(&caller, apps).await?;
        Ok(SignOutEverywhereResponse {
            ended: i32::try_from(ended).unwrap_or(i32::MAX),
        })
    }

    async fn start_step_up(
        &self,
        caller: SignedIn,
        _: StartStepUpRequest,
    ) -> Result<StartStepUpResponse, Error> {
        let email = self.sessions.start_step_up(&caller).await?;
        Ok(StartStepUpResponse {
            email,
            valid_seconds: valid_seconds(),
        })
    }

    async fn finish_step_up(
        &self,
        caller: SignedIn,
        request: FinishStepUpRequest,
    ) -> Result<SteppedUp, Error> {
        let code = request.code.unwrap_or_default();
        let stepped_up = self.sessions.finish_step_up(&caller, &code).await?;
        Ok(SteppedUp {
            token: stepped_up.token.expose().to_owned(),
            stepped_up_until: stepped_up.until.to_string(),
        })
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
    let scopes = one.rights.scopes();
    Membership {
        account_id: one.account_id.to_string(),
        account_name: one.account_name.clone(),
        role: one.rights.role.name().to_owned(),
        only_some_events: one.rights.only_some_events,
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

pub(super) fn invitation(sent: domain::invitation::SentInvitation) -> ReceivedInvitation {
    let first = sent.events.iter().take(MAX_NAMED_EVENTS);
    let titles = first.map(|event| event.title.clone());
    ReceivedInvitation {
        id: sent.invitation.id.to_string(),
        account_name: sent.account_name,
        role: sent.invitation.rights.role.name().to_owned(),
        only_some_events: sent.invitation.rights.only_some_events,
        event_count: i32::try_from(sent.events.len()).unwrap_or(i32::MAX),
        event_titles: titles.collect(),
        invited_by: sent.invited_by,
        expires_at: sent.invitation.expires_at.to_string(),
    }
}
