//! People who are signed in, and what tests have them do.

use core_service::service::{
    Caller, Error, EventChoice, KeyRequest, NewInvitation, NewKey, NewSession, Principal,
    SessionTrust, SignedIn,
};
use domain::{ids::AccountId, person::Role, session::SessionToken};

use super::{Instance, signing_in::browser};

/// Someone who is signed in, with their session.
pub(crate) struct Someone {
    pub(crate) session: NewSession,
    pub(crate) by: SignedIn,
}

impl Instance {
    pub(crate) async fn someone(&self, email: &str, number: u8) -> Someone {
        let session = self.sign_in(email, &browser(number)).await;
        let by = self.person_of(&session).await;
        Someone { session, by }
    }

    /// Keeps the new token of their session, as a browser does.
    pub(crate) async fn renewed(&self, who: &mut Someone, token: SessionToken) {
        who.session.token = token;
        who.by = self.person_of(&who.session).await;
    }

    /// Whom a call of the site with this session comes from.
    pub(crate) async fn caller_of(&self, new: &NewSession) -> Result<Caller, Error> {
        self.called(new, SessionTrust::Remembered).await
    }

    /// The same for a call that may change something.
    pub(crate) async fn writer_of(&self, new: &NewSession) -> Result<Caller, Error> {
        self.called(new, SessionTrust::LookedUp).await
    }

    async fn called(&self, new: &NewSession, trust: SessionTrust) -> Result<Caller, Error> {
        let header = format!("Bearer {}", new.token.expose());
        let caller = self
            .authenticator
            .authenticate_call(Some(&header), None, trust);
        caller.await
    }

    pub(crate) async fn person_of(&self, new: &NewSession) -> SignedIn {
        self.caller_of(new).await.unwrap().person.unwrap()
    }

    /// What they may do where their session is now.
    pub(crate) async fn standing_of(&self, who: &Someone) -> Principal {
        let caller = self.caller_of(&who.session).await.unwrap();
        caller.principal.unwrap()
    }

    /// Invites someone and has them accept.
    pub(crate) async fn join(
        &self,
        owner: &Someone,
        who: &mut Someone,
        email: &str,
        role: Role,
    ) -> AccountId {
        let caller = self.standing_of(owner).await;
        let invitation = self.members.invite(&caller, &owner.by, to(email, role));
        let id = invitation.await.unwrap().invitation.id;
        let (account, token) = self.members.accept(&who.by, id).await.unwrap();
        self.renewed(who, token).await;
        account
    }

    pub(crate) async fn make_key(&self, caller: &Principal, who: &Someone) -> NewKey {
        let request = request(&["events:read", "registrations:read"], "");
        let made = self.own_keys.create(caller, &who.by, request).await;
        made.unwrap().0
    }

    pub(crate) async fn use_key(&self, key: &NewKey) -> Result<Principal, Error> {
        let header = format!("Bearer {}", key.plain.expose());
        self.authenticator.authenticate(Some(&header)).await
    }
}

pub(crate) fn to(email: &str, role: Role) -> NewInvitation {
    NewInvitation {
        email: email.to_owned(),
        role,
        events: EventChoice::All,
    }
}

pub(crate) fn request(scopes: &[&str], expires: &str) -> KeyRequest {
    KeyRequest {
        name: "laptop".to_owned(),
        scopes: scopes.iter().map(|one| (*one).to_owned()).collect(),
        expires: expires.to_owned(),
    }
}
