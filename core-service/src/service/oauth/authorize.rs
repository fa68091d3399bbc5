//! Authorizations: an app asks, a person decides.

use std::net::IpAddr;

use domain::{
    audit::Actor,
    ids::{AccountId, AuthorizationId},
    oauth::{
        Authorization, AuthorizationCode, Client, Code, Hash, Kind, Place, RedirectUri, Refusal,
        Secret,
        grant::{AUTHORIZATION_SECONDS, MAX_AUTHORIZATIONS},
        request::{Parameters, Terms},
    },
    person::Membership,
    scope::{Scope, Scopes},
    violation::FieldViolation,
};
use sha2::{Digest as _, Sha256};

use super::{OAuth, attempts::Reader};
use crate::service::{Context, Error, SignedIn};

/// How many accounts and how many grants of one person are looked at.
const MAX_SHOWN: i64 = 500;

const NO_AUTHORIZATION: Error = Error::NotFound {
    what: "authorization",
};

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked<T> {
    /// It must not lead to a redirect.
    Problem(Problem),
    /// The client, a program on the person's computer, is told what is wrong, there.
    Redirect(String),
    /// It is right.
    Fine(T),
}

/// What is wrong with a request that must not lead to a redirect: the client is unknown, or nobody knows that the address is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub cure: String,
    /// Where the client can be told, if it is known there. Nobody is led there without wanting it: anyone can register a client.
    pub way_back: Option<WayBack>,
}

/// The way back to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayBack {
    /// Where it is told what is wrong.
    pub uri: String,
    /// Its host, as people see it.
    pub host: String,
}

/// An authorization that waits, with what its person is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The authorization.
    pub authorization: Authorization,
    /// The client.
    pub client: Client,
    /// Where the answer goes.
    pub redirect: RedirectUri,
    /// The accounts of the person, the session's own first.
    pub accounts: Vec<ConsentAccount>,
}

/// An account for which a person can agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentAccount {
    /// The person's place in it.
    pub membership: Membership,
    /// The requested scopes that the role has.
    pub scopes: Scopes,
    /// The scopes that the client has been granted before.
    pub granted: Scopes,
}

/// What a person chooses who agrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The account.
    pub account: Option<AccountId>,
    /// The names of the scopes.
    pub scopes: Vec<String>,
}

/// A request that is right.
struct Request {
    client: Client,
    redirect: RedirectUri,
    terms: Terms,
    place: Place,
}

impl OAuth {
    /// Checks a request of someone who is not signed in; returns the client and where the answer would go.
    pub async fn check(
        &self,
        parameters: &Parameters,
        address: Option<IpAddr>,
    ) -> Result<Asked<(Client, RedirectUri)>, Error> {
        self.limiters.count_address(address)?;
        let reader = address.map(Reader::at);
        Ok(match self.judge(parameters, reader).await? {
            Asked::Problem(problem) => Asked::Problem(problem),
            Asked::Redirect(uri) => Asked::Redirect(uri),
            Asked::Fine(request) => Asked::Fine((request.client, request.redirect)),
        })
    }

    /// Begins an authorization in a session and a browser.
    pub async fn start(
        &self,
        by: &SignedIn,
        browser: &str,
        parameters: Parameters,
    ) -> Result<Asked<Pending>, Error> {
        self.limiters.count_authorization(by.person)?;
        let reader = Reader::Person(by.person);
        let request = match self.judge(&parameters, Some(reader)).await? {
            Asked::Problem(problem) => return Ok(Asked::Problem(problem)),
            Asked::Redirect(uri) => return Ok(Asked::Redirect(uri)),
            Asked::Fine(request) => request,
        };
        let decide = async |context: &mut Context| {
            let authorization = Authorization {
                id: AuthorizationId::new(context.new_id()),
                session_id: by.session,
                person_id: by.person,
                browser: hash(browser),
                client_id: request.client.id,
                redirect_uri: request.redirect.as_str().to_owned(),
                state: parameters.state,
                challenge: request.terms.challenge,
                scopes: request.terms.scopes,
                audience: request.terms.audience,
                issuer: request.place.issuer().to_owned(),
                created_at: context.now,
            };
            context.tx.insert_authorization(&authorization).await?;
            context
                .tx
                .delete_authorizations_of(by.session, MAX_AUTHORIZATIONS)
                .await?;
            context.note_write();
            Ok(authorization)
        };
        let by = Actor::Person(by.person);
        let authorization = self.commands.run(by, decide).await?;
        Ok(Asked::Fine(self.pending(authorization).await?))
    }

    /// An authorization that waits, for the page.
    pub async fn get(
        &self,
        by: &SignedIn,
        browser: &str,
        id: AuthorizationId,
    ) -> Result<Pending, Error> {
        let begun_after = self.commands.now().plus_seconds(-AUTHORIZATION_SECONDS);
        let found = self
            .commands
            .store()
            .find_authorization(id, by.session, &hash(browser), begun_after)
            .await?;
        self.pending(found.ok_or(NO_AUTHORIZATION)?).await
    }

    /// Decides an authorization; a person who does not agree chooses nothing. Returns where the browser goes.
    pub async fn decide(
        &self,
        by: &SignedIn,
        browser: &str,
        id: AuthorizationId,
        choice: Option<Choice>,
    ) -> Result<String, Error> {
        let browser = hash(browser);
        let decide = async |context: &mut Context| {
            let begun_after = context.now.plus_seconds(-AUTHORIZATION_SECONDS);
            let found = context
                .tx
                .find_authorization(id, by.session, &browser, begun_after)
                .await?;
            let one = found.ok_or(NO_AUTHORIZATION)?;
            let redirect = RedirectUri::parse(&one.redirect_uri, self.clients.schemes());
            let redirect = redirect.map_err(|_| NO_AUTHORIZATION)?;
            let answer = match choice {
                None => {
                    let refusal = Refusal::new(Code::AccessDenied, "the person did not agree");
                    refused(&redirect, &refusal, one.state.as_deref(), &one.issuer)
                }
                Some(choice) => {
                    let code = agree(context, by, &one, &choice).await?;
                    let parameters = [("code", code.expose()), ("iss", &*one.issuer)];
                    let state = one.state.as_deref().map(|state| ("state", state));
                    redirect.answer(parameters.into_iter().chain(state))
                }
            };
            let is_first = context.tx.delete_authorization(id).await?;
            context.note_write();
            is_first.then_some(answer).ok_or(NO_AUTHORIZATION)
        };
        self.commands.run(Actor::Person(by.person), decide).await
    }

    async fn judge(
        &self,
        parameters: &Parameters,
        reader: Option<Reader>,
    ) -> Result<Asked<Request>, Error> {
        let (Some(client_id), false) = (
            parameters.client_id.as_deref(),
            parameters.has_no_one_destination(),
        ) else {
            return Ok(Asked::Problem(Problem::no_destination()));
        };
        let client = match self.clients.find(client_id, reader).await? {
            Ok(client) => client,
            Err(problem) => return Ok(Asked::Problem(problem)),
        };
        let Some(uri) = parameters.redirect_uri.as_deref() else {
            return Ok(Asked::Problem(Problem::no_destination()));
        };
        let redirect = RedirectUri::parse(uri, self.clients.schemes()).ok();
        let redirect = redirect.filter(|redirect| client.metadata.allows(redirect));
        let Some(redirect) = redirect else {
            return Ok(Asked::Problem(Problem::foreign_redirect(&client)));
        };
        let place = self.place(parameters.origin.as_deref());
        Ok(match parameters.terms(&place) {
            Ok(terms) => Asked::Fine(Request {
                client,
                redirect,
                terms,
                place,
            }),
            Err(refusal) => {
                let state = parameters.state.as_deref();
                let uri = refused(&redirect, &refusal, state, place.issuer());
                if redirect.is_loopback() {
                    Asked::Redirect(uri)
                } else {
                    let host = redirect.shown_host();
                    let way_back = WayBack { uri, host };
                    Asked::Problem(Problem::wrong_request(&refusal, way_back))
                }
            }
        })
    }

    /// What the person is shown.
    async fn pending(&self, authorization: Authorization) -> Result<Pending, Error> {
        let store = self.commands.store();
        let person = authorization.person_id;
        let session = store.find_session(authorization.session_id).await?;
        let current = session.and_then(|session| session.account_id);
        let mut memberships = store.list_memberships_of(person, MAX_SHOWN).await?;
        memberships.sort_by_key(|one| Some(one.account_id) != current);
        let now = self.commands.now();
        let before = store.list_connections(person, now, MAX_SHOWN).await?;
        let granted = |account| {
            let is_same = |grant: &&domain::oauth::Grant| {
                grant.client_id == authorization.client_id && grant.account_id == account
            };
            let grants = before.iter().map(|one| &one.grant).filter(is_same);
            Scopes::named(grants.flat_map(|grant| grant.scopes.iter()))
        };
        let accounts = memberships.into_iter().map(|membership| ConsentAccount {
            scopes: authorization.scopes.within(membership.rights.scopes()),
            granted: granted(membership.account_id),
            membership,
        });
        let redirect = RedirectUri::parse(&authorization.redirect_uri, self.clients.schemes());
        Ok(Pending {
            accounts: accounts.collect(),
            client: self.clients.get(authorization.client_id).await?,
            redirect: redirect.map_err(|_| NO_AUTHORIZATION)?,
            authorization,
        })
    }
}

/// Makes the code for what a person agrees to.
async fn agree(
    context: &mut Context,
    by: &SignedIn,
    one: &Authorization,
    choice: &Choice,
) -> Result<Secret, Error> {
    let no_member = || invalid("account_id", "must be an account of yours");
    let account = choice.account.ok_or_else(no_member)?;
    let found = context.tx.lock_account(account).await?;
    let rights = context.tx.find_rights(account, one.person_id).await?;
    let (Some(found), Some(rights)) = (found, rights) else {
        return Err(no_member());
    };
    if found.is_suspended {
        return Err(Error::AccountSuspended);
    }
    let chosen = choice.scopes.iter();
    let chosen = chosen.filter_map(|name| name.parse::<Scope>().ok());
    let scopes = Scopes::named(chosen).within(one.scopes.within(rights.scopes()));
    if scopes.iter().next().is_none() {
        return Err(invalid(
            "scopes",
            "must be at least one of those that the app asks for and that your role has",
        ));
    }
    if !scopes.only_read() && by.stepped_up_until <= context.now {
        return Err(Error::StepUpRequired);
    }
    let secret = Secret::generate(Kind::Code, context.entropy());
    let code = AuthorizationCode {
        hash: secret.hash(),
        client_id: one.client_id,
        person_id: one.person_id,
        account_id: account,
        redirect_uri: one.redirect_uri.clone(),
        challenge: one.challenge.clone(),
        scopes,
        audience: one.audience,
        created_at: context.now,
        grant_id: None,
    };
    context.tx.confirm_client(one.client_id).await?;
    context.tx.insert_authorization_code(&code).await?;
    Ok(secret)
}

/// The redirect that tells a client what is wrong.
fn refused(redirect: &RedirectUri, refusal: &Refusal, state: Option<&str>, issuer: &str) -> String {
    let parameters = [
        ("error", refusal.code.name()),
        ("error_description", &*refusal.description),
        ("iss", issuer),
    ];
    let state = state.map(|state| ("state", state));
    redirect.answer(parameters.into_iter().chain(state))
}

fn hash(browser: &str) -> Hash {
    Sha256::digest(browser).into()
}

fn invalid(field: &str, message: &str) -> Error {
    Error::Invalid(vec![FieldViolation {
        field: field.to_owned(),
        message: message.to_owned(),
    }])
}

impl Problem {
    fn new(message: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            cure: cure.into(),
            way_back: None,
        }
    }

    fn wrong_request(refusal: &Refusal, way_back: WayBack) -> Self {
        Self {
            way_back: Some(way_back),
            ..Self::new(
                format!("The app's request is not right: {}.", refusal.description),
                "The developer of the app has to correct its request.",
            )
        }
    }

    pub(super) fn unknown_client() -> Self {
        Self::new(
            "This site does not know the app that sent you here.",
            "Remove the connection in the app and add it again, so that the app registers anew.",
        )
    }

    pub(super) fn no_documents() -> Self {
        Self::new(
            "This site does not read the documents by which apps introduce themselves.",
            "If the app can register instead, it will do so when you add the connection again. Or ask the operator of this site to allow \
             documents.",
        )
    }

    pub(super) fn unreadable_document(why: &str) -> Self {
        Self::new(
            format!("The app introduces itself by a document, but {why}."),
            "Try again later. If it stays so, tell those who make the app. If this site has no way to the Internet, its operator can let \
             apps register instead.",
        )
    }

    fn no_destination() -> Self {
        Self::new(
            "The app that sent you here does not say clearly who it is or where to answer.",
            "Begin again in the app. If it happens again, tell those who make the app: client_id and redirect_uri must be there, once each.",
        )
    }

    fn foreign_redirect(client: &Client) -> Self {
        Self::new(
            format!(
                "The address to which {} wants the answer is not one that it has named before.",
                client.name()
            ),
            "Do not go on if a link from someone else brought you here. Otherwise remove the connection in the app and add it again.",
        )
    }
}
