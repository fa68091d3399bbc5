//! Stopping the messages of an organizer, and getting them again. Opening the page changes nothing, since mail scanners open links; a form
//! does, and the post that mail programs send by themselves (RFC 8058), which comes from no page.

use askama::Template;
use axum::body::Body;
use muster_api::v1::{
    OwnRegistration, ResumeMessagesByTokenRequest, StopMessagesByTokenRequest,
    bindings::{ResumeMessagesByToken, StopMessagesByToken},
};

use super::{change, event, path, read, unlisted};
use crate::{
    event::ShownEvent,
    flash::Flash,
    form::Form,
    layout::{Page, PageResult, Section, private},
    request_context::RequestContext,
};

#[derive(Template)]
#[template(path = "registration_messages.html")]
struct MessagesPage {
    page: Page,
    event: ShownEvent,
    email: String,
    is_stopped: bool,
    registration_url: String,
}

pub(in crate::pages) async fn ask(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    shown(&context, &token, own)
}

fn shown(context: &RequestContext, token: &str, own: OwnRegistration) -> PageResult {
    private(&MessagesPage {
        page: unlisted(&context.site, "Messages from this organizer"),
        event: event(&own)?,
        email: own.email,
        is_stopped: own.are_messages_stopped,
        registration_url: path(token),
    })
}

/// Stops them. Mail programs and their servers post here, too (RFC 8058): they come from anywhere, and follow no redirect. The token in the
/// address is all that is needed, so the body says nothing new.
pub(in crate::pages) async fn stop(context: RequestContext, body: Body) -> PageResult {
    let token = context.segment(1)?;
    context.body(body).await?;
    let request = StopMessagesByTokenRequest {
        token: token.clone(),
    };
    let own = context.ask::<StopMessagesByToken>(request).await?;
    shown(&context, &token, own)
}

pub(in crate::pages) async fn resume(context: RequestContext, _form: Form) -> PageResult {
    let token = context.segment(1)?;
    let path = path(&token);
    let request = ResumeMessagesByTokenRequest { token };
    change::<ResumeMessagesByToken>(&context, request, &path, Flash::MESSAGES_RESUMED).await
}
