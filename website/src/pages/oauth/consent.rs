//! The page on which a person connects an app: which app, where its answer goes, for which account, and what it may do.

use askama::Template;
use http::StatusCode;
use http_kit::Problem;
use muster_api::internal::v1::{
    AuthorizationAccount, AuthorizationClient, DecideAuthorizationRequest, GetAuthorizationRequest,
    GetSessionRequest, PendingAuthorization, RequestedScope,
    bindings::{DecideAuthorization, GetAuthorization, GetSession},
};

use super::{own_words, problem_page};
use crate::{
    browser::Browser,
    caller::PROVE,
    field::{Choice, Field, FieldKind, FormModel},
    flash,
    form::Form,
    layout::{Page, PageResult, Section, private, refused},
    request_context::RequestContext,
    unsent::{Unsent, Why, may_be_sent_again},
    viewer::Role,
};

pub(in crate::pages) const PATH: &str = "/oauth/authorize/{id}";

/// The index of the identifier in the path.
const ID: usize = 2;

#[derive(Template)]
#[template(path = "oauth_consent.html")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what the template asks, each by itself"
)]
struct ConsentPage {
    page: Page,
    /// Where the form goes.
    url: String,
    client: AuthorizationClient,
    email: String,
    surfaces: &'static str,
    /// The one account; `None` if there are several, or none.
    account: Option<(String, String)>,
    has_accounts: bool,
    /// What it asks for that can be granted.
    asked: Vec<Choice>,
    /// Whether some of that only reads, and some does more.
    has_reading: bool,
    does_more: bool,
    /// Whether the person was choosing one by one.
    is_choosing: bool,
    /// The accounts, if there are several, and what is asked for, to be left out one by one.
    model: FormModel,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    match ConsentPage::read(&context).await {
        Ok(page) => private(&page),
        Err(problem) => closed(&context, problem),
    }
}

/// Takes the decision, and leads back to the app.
pub(in crate::pages) async fn take(context: RequestContext, form: Form) -> PageResult {
    let decision = match Decision::of(&context, &form).await {
        Ok(decision) => decision,
        Err(problem) => return closed(&context, problem),
    };
    let request = DecideAuthorizationRequest {
        id: Some(context.segment(ID)?),
        browser: Some(browser(&context)),
        agrees: decision.agrees,
        account_id: form.value("account_id").map(str::to_owned),
        scopes: decision.scopes,
    };
    let problem = match context.ask::<DecideAuthorization>(request).await {
        Ok(decided) => return Ok(flash::see(&decided.redirect_uri, None)),
        Err(problem) => problem,
    };
    if may_be_sent_again(&problem) {
        return again(&context, &form, &problem, &UNAVAILABLE);
    }
    if problem.code == "STEP_UP_REQUIRED" {
        return again(&context, &form, &problem, &UNPROVEN);
    }
    if !matches!(problem.http_status, 400 | 403) {
        return closed(&context, problem);
    }
    let mut page = match ConsentPage::read(&context).await {
        Ok(page) => page,
        Err(problem) => return closed(&context, problem),
    };
    page.is_choosing = form.value("action") == Some(CONNECT);
    page.model = page.model.again(&form, &problem);
    refused(&page, &problem)
}

/// The button to connect the app with what is ticked.
const CONNECT: &str = "connect";

/// What a person decides by a button.
#[derive(Default)]
struct Decision {
    agrees: bool,
    /// The names of the scopes that they grant.
    scopes: Vec<String>,
}

impl Decision {
    async fn of(context: &RequestContext, form: &Form) -> Result<Self, Problem> {
        let only_reading = match form.value("action") {
            Some("read") => true,
            Some("all") => false,
            Some(CONNECT) => {
                return Ok(Self {
                    agrees: true,
                    scopes: form.values("scopes").map(str::to_owned).collect(),
                });
            }
            _ => return Ok(Self::default()),
        };
        let asked = pending(context).await?.scopes.into_iter();
        let granted = asked.filter(|scope| scope.only_reads || !only_reading);
        Ok(Self {
            agrees: true,
            scopes: granted.map(|scope| scope.name).collect(),
        })
    }
}

async fn pending(context: &RequestContext) -> Result<PendingAuthorization, Problem> {
    let request = GetAuthorizationRequest {
        id: Some(context.segment(ID)?),
        browser: Some(browser(context)),
    };
    context.ask::<GetAuthorization>(request).await
}

/// The browser's secret. A browser without one has begun nothing.
fn browser(context: &RequestContext) -> String {
    let browser = Browser::of(&context.parts.headers, &context.site);
    browser.secret().to_owned()
}

/// A request that is not open in this browser for whoever is signed in.
fn closed(context: &RequestContext, problem: Problem) -> PageResult {
    const CLOSED: &str = "It was decided, it is older than 10 minutes, or it was begun in another browser or by someone else.";
    if !matches!(problem.http_status, 400 | 401 | 404) {
        return Err(problem);
    }
    let headline = "This request is no longer open";
    let problem = own_words(CLOSED, "Go back to the app and connect it again.");
    problem_page(context, headline, problem, StatusCode::NOT_FOUND)
}

const UNAVAILABLE: Why = Why {
    headline: "The app is not connected yet",
    text: "We couldn’t reach the server. Please send your decision again in a moment.",
    before: None,
};

const UNPROVEN: Why = Why {
    headline: "Please confirm that it is you",
    text: "The app gets more than reading, which needs a new code from your email. Confirm, then send your decision again from this page.",
    before: Some((PROVE, "Confirm that it is you")),
};

/// The form, to be sent again.
fn again(
    context: &RequestContext,
    form: &Form,
    problem: &Problem,
    why: &'static Why,
) -> PageResult {
    let unsent = Unsent {
        page: Page::private(context.site.links(), why.headline),
        why,
        reason: None,
        url: context.parts.uri.path(),
        form,
        label: |_| None,
    };
    refused(&unsent, problem)
}

impl ConsentPage {
    async fn read(context: &RequestContext) -> Result<Self, Problem> {
        let (pending, session) = tokio::try_join!(
            pending(context),
            context.ask::<GetSession>(GetSessionRequest {}),
        )?;
        let person = session.person.unwrap_or_default();
        Ok(Self::of(context, pending, person.email))
    }

    fn of(context: &RequestContext, pending: PendingAuthorization, email: String) -> Self {
        let open = pending.accounts.iter().filter(|one| !one.is_suspended);
        let open: Vec<_> = open.collect();
        let account = match open.as_slice() {
            [only] => Some((only.account_id.clone(), only.account_name.clone())),
            _ => None,
        };
        let fields = (open.len() > 1).then(|| accounts(&open));
        let mut scopes = (!open.is_empty()).then(|| scopes(&pending.scopes, &open));
        let mut asked = Vec::new();
        if let Some(field) = &mut scopes {
            asked.clone_from(&field.options);
            // The list above the form has the hints.
            field.options.iter_mut().for_each(|one| one.hint = None);
        }
        let reads = |choice: &&Choice| {
            let mut all = pending.scopes.iter();
            all.any(|scope| scope.name == choice.value && scope.only_reads)
        };
        let reading = asked.iter().filter(reads).count();
        Self {
            page: Page::private(context.site.links(), "Connect an app"),
            url: context.parts.uri.path().to_owned(),
            client: pending.client.unwrap_or_default(),
            email,
            surfaces: surfaces(&pending.surfaces),
            account,
            has_accounts: !open.is_empty(),
            has_reading: reading > 0,
            does_more: reading < asked.len(),
            asked,
            is_choosing: false,
            model: FormModel::of(fields.into_iter().chain(scopes).collect()),
        }
    }
}

/// The accounts to choose from.
fn accounts(open: &[&AuthorizationAccount]) -> Field {
    let choices = open.iter().enumerate().map(|(index, account)| {
        let choice = Choice::new(&account.account_id, &account.account_name);
        choice
            .hint(Role::of(&account.role).word())
            .chosen(index == 0)
    });
    let field = Field::new(FieldKind::Radio, "account_id", "For which account");
    field.choices(choices).required()
}

/// What the app asks for, all of it ticked. What no role of the person includes cannot be granted.
fn scopes(asked: &[RequestedScope], open: &[&AuthorizationAccount]) -> Field {
    let grantable = asked.iter().filter(|scope| {
        let mut accounts = open.iter();
        accounts.any(|account| account.scopes.contains(&scope.name))
    });
    let choices = grantable.map(|scope| Choice {
        hint: hint(scope, open),
        is_chosen: true,
        ..Choice::new(&scope.name, &scope.description)
    });
    Field::new(FieldKind::Ticks, "scopes", "What it may do")
        .choices(choices)
        .required()
}

/// Where a scope cannot be granted, and where it was granted before.
fn hint(scope: &RequestedScope, open: &[&AuthorizationAccount]) -> Option<String> {
    let names = |is_among: &dyn Fn(&AuthorizationAccount) -> bool| {
        let accounts = open.iter().filter(|account| is_among(account));
        let names: Vec<&str> = accounts.map(|account| &*account.account_name).collect();
        names.join(", ")
    };
    let lacking = names(&|account| !account.scopes.contains(&scope.name));
    let granted = names(&|account| account.granted_scopes.contains(&scope.name));
    let mut parts = Vec::new();
    if !granted.is_empty() {
        parts.push(if open.len() == 1 {
            "granted before".to_owned()
        } else {
            format!("granted before for {granted}")
        });
    }
    if !lacking.is_empty() {
        parts.push(format!("your role does not include it in {lacking}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// For which surfaces a token is.
pub(crate) fn surfaces(names: &[String]) -> &'static str {
    let has = |name: &str| names.iter().any(|one| one == name);
    match (has("mcp"), has("api")) {
        (true, false) => "As an agent (MCP)",
        (false, true) => "Through the API",
        _ => "As an agent (MCP) and through the API",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str, scopes: &[&str], granted: &[&str]) -> AuthorizationAccount {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        AuthorizationAccount {
            account_name: name.to_owned(),
            scopes: owned(scopes),
            granted_scopes: owned(granted),
            ..AuthorizationAccount::default()
        }
    }

    fn asked(name: &str) -> RequestedScope {
        RequestedScope {
            name: name.to_owned(),
            description: format!("Does {name}"),
            only_reads: false,
        }
    }

    #[test]
    fn a_scope_says_where_it_was_granted_and_where_it_cannot_be() {
        let (one, other) = (account("A", &["x"], &["x"]), account("B", &[], &[]));
        let hint_in = |open: &[&AuthorizationAccount]| hint(&asked("x"), open);
        assert_eq!(
            hint_in(&[&one, &other]).as_deref(),
            Some("granted before for A; your role does not include it in B")
        );
        assert_eq!(hint_in(&[&one]).as_deref(), Some("granted before"));
        assert_eq!(hint_in(&[&account("C", &["x"], &[])]), None);
    }

    #[test]
    fn what_no_role_of_the_person_includes_is_not_offered() {
        let door = account("A", &["x"], &[]);
        let field = scopes(&[asked("x"), asked("y")], &[&door]);
        let offered: Vec<_> = field.options.iter().map(|one| &*one.value).collect();
        assert_eq!(offered, ["x"]);
        assert!(field.options.iter().all(|one| one.is_chosen));
    }
}
