//! What a registrant is asked before something is stopped: what it means, and a button. Opening such a page changes nothing, since mail
//! scanners open links; a form does, and so does the post that mail programs send by themselves (RFC 8058), which comes from no page.

use askama::Template;
use axum::body::Body;
use muster_api::{
    binding::Rpc,
    v1::{
        GetMailRefusalByTokenRequest, OwnRegistration, RefuseRemindersByTokenRequest,
        StopMessagesByTokenRequest,
        bindings::{GetMailRefusalByToken, RefuseRemindersByToken, StopMessagesByToken},
    },
};

use super::{event, path, read};
use crate::{
    event::ShownEvent,
    flash,
    layout::{Page, PageResult, Section, private},
    request_context::RequestContext,
};

#[derive(Template)]
#[template(path = "registration_question.html")]
struct QuestionPage {
    page: Page,
    event: ShownEvent,
    own: OwnRegistration,
    question: Question,
    registration_url: String,
}

/// What is asked. Once it is done, the page says so.
#[derive(Debug, Clone, Copy)]
enum Question {
    Cancel,
    RefuseMail,
    RefuseReminders,
    StopMessages,
}

#[derive(Template)]
#[template(path = "former_no_mail.html")]
struct FormerRefuseMailPage {
    page: Page,
    organizer: Option<String>,
    is_refused: bool,
    /// Of the page, where its form goes.
    url: String,
}

impl QuestionPage {
    /// The button: where its form goes below the registration, its label, and the one of the link beside it. `None` if nothing is left to do.
    fn answer(&self) -> Option<(&'static str, &'static str, &'static str)> {
        const NO_MAIL: &str = "No more email from this organizer";
        const NO_MESSAGES: &str = "No more messages from this organizer";
        match self.question {
            Question::Cancel => Some(("/cancel", "Cancel my registration", "Keep it")),
            Question::RefuseMail if self.own.is_mail_refused => None,
            Question::RefuseMail => Some(("/no-mail", NO_MAIL, "Keep it")),
            Question::RefuseReminders if self.own.are_reminders_refused => None,
            Question::RefuseReminders => {
                Some(("/no-reminders", "No reminders for this event", "Keep them"))
            }
            Question::StopMessages if self.own.are_messages_stopped => Some((
                "/messages/again",
                "Get messages again",
                "See your registration",
            )),
            Question::StopMessages => Some(("/messages", NO_MESSAGES, "Keep them")),
        }
    }

    /// Whether the button is one to think about.
    fn is_harmful(&self) -> bool {
        match self.question {
            Question::Cancel | Question::RefuseMail => true,
            Question::RefuseReminders => false,
            Question::StopMessages => !self.own.are_messages_stopped,
        }
    }
}

/// What cancelling means. A registration that cannot be cancelled shows why on its page.
pub(in crate::pages) async fn cancel(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    if !own.is_cancellable {
        return Ok(flash::see(&path(&token), None));
    }
    ask(&context, &token, own, Question::Cancel)
}

/// What refusing means. Only people whom the organizer added can refuse, also after the registration got another address.
pub(in crate::pages) async fn refuse_mail(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = match read(&context, &token).await {
        Err(problem) if problem.http_status == 404 => return refuse_former(&context, token).await,
        own => own?,
    };
    if !own.is_added {
        return Ok(flash::see(&path(&token), None));
    }
    ask(&context, &token, own, Question::RefuseMail)
}

async fn refuse_former(context: &RequestContext, token: String) -> PageResult {
    let url = format!("{}/no-mail", path(&token));
    let request = GetMailRefusalByTokenRequest { token };
    let refusal = context.ask::<GetMailRefusalByToken>(request).await?;
    let title = if refusal.is_refused {
        "You won’t get email from this organizer any more"
    } else {
        "No more email from this organizer?"
    };
    private(&FormerRefuseMailPage {
        page: Page::private(context.site.links(), title),
        organizer: refusal.organizer,
        is_refused: refusal.is_refused,
        url,
    })
}

/// What refusing reminders means.
pub(in crate::pages) async fn refuse_reminders(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    ask(&context, &token, own, Question::RefuseReminders)
}

/// What stopping the organizer's messages means.
pub(in crate::pages) async fn stop_messages(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    ask(&context, &token, own, Question::StopMessages)
}

/// Refuses reminders.
pub(in crate::pages) async fn take_reminders(context: RequestContext, body: Body) -> PageResult {
    let request = |token| RefuseRemindersByTokenRequest { token };
    take::<RefuseRemindersByToken>(context, body, request, Question::RefuseReminders).await
}

/// Stops the organizer's messages.
pub(in crate::pages) async fn take_messages(context: RequestContext, body: Body) -> PageResult {
    let request = |token| StopMessagesByTokenRequest { token };
    take::<StopMessagesByToken>(context, body, request, Question::StopMessages).await
}

/// Does what was asked. Mail programs and their servers post here, too (RFC 8058): they come from anywhere, and follow no redirect. The
/// token in the address is all that is needed, so the body says nothing new.
async fn take<R: Rpc<Response = OwnRegistration>>(
    context: RequestContext,
    body: Body,
    request: fn(String) -> R::Request,
    question: Question,
) -> PageResult {
    let token = context.segment(1)?;
    context.body(body).await?;
    let own = context.ask::<R>(request(token.clone())).await?;
    ask(&context, &token, own, question)
}

fn ask(
    context: &RequestContext,
    token: &str,
    own: OwnRegistration,
    question: Question,
) -> PageResult {
    let title = match question {
        Question::Cancel => "Cancel your registration?",
        Question::RefuseMail => "No more email from this organizer?",
        Question::RefuseReminders if own.are_reminders_refused => "No more reminders",
        Question::RefuseReminders => "No reminders for this event?",
        Question::StopMessages => "Messages from this organizer",
    };
    private(&QuestionPage {
        page: Page::private(context.site.links(), title),
        event: event(&own)?,
        registration_url: path(token),
        own,
        question,
    })
}
