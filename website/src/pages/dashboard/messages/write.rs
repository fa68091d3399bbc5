//! Writing a message and changing one: the form, then what people will read and how many they are, then the button.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        CreateMessageRequest, GetMessageRequest, ListMessagesRequest, Message, MessagePreview,
        MyEventDetail,
        bindings::{CreateMessage, GetMessage, ListMessages, PreviewMessage, UpdateMessage},
    },
};

use super::{form, message::path_of_message, obstacle, path};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::dashboard::{
        event_head::{EventHead, Part, read},
        mail_preview::{MailPreview, people},
    },
};

const TITLE: &str = "Write to your guests";

const CONFLICT: &str = "Someone else changed this message while you had the form open. Nothing is saved yet. Saving replaces their changes.";

const LOST_QUESTION: &str = "This message goes only to people with certain answers to a question that you no longer ask. That stays until you choose other recipients.";

#[derive(Template)]
#[template(path = "dashboard/message_write.html")]
struct WritePage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    /// Where the form is sent.
    action: String,
    /// Sends one message, however often the form is sent.
    key: String,
    /// The version of the message that is changed.
    version: Option<String>,
    /// What the form cannot show of its recipients.
    note: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "dashboard/message_review.html")]
struct ReviewPage {
    page: Frame,
    head: EventHead,
    action: String,
    preview: MessagePreview,
    mail: MailPreview,
    /// `40 people`.
    who: String,
    /// Who gets a test, once one was sent.
    test_sent_to: Option<String>,
    is_change: bool,
    /// Whether it is sent now, and the emails of the day are not enough.
    is_over_quota: bool,
    key: String,
    /// The form, to be sent again.
    typed: Form,
}

/// What is written: a new message, or a change of one.
enum Draft {
    New,
    Change(Box<Message>),
}

impl Draft {
    /// Where its form is sent.
    fn action(&self, event: &MyEventDetail) -> String {
        match self {
            Self::New => format!("{}/new", path(&event.id)),
            Self::Change(message) => format!("{}/edit", path_of_message(&event.id, message)),
        }
    }
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::MessagesWrite)?;
    let request = ListMessagesRequest {
        id: caller.context.segment(2)?,
        limit: Some(1),
        cursor: None,
    };
    let (event, list) = tokio::join!(read(&caller), caller.ask::<ListMessages>(request));
    let (event, list) = (event?, list?);
    if obstacle(&caller, &list).is_some() {
        return Ok(flash::see(&path(&event.id), None));
    }
    let is_thanks = caller.context.query().value("for") == Some(form::THANKS);
    page(&caller, &event, &Draft::New, &form::blank(is_thanks))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let event = read(&caller).await?;
    write(caller, &event, Draft::New, form).await
}

pub(in crate::pages) async fn show_change(caller: Caller) -> PageResult {
    caller.require(Scope::MessagesWrite)?;
    let (event, message) = both(&caller).await?;
    if message.state != "scheduled" {
        let too_late = caller.form().map(|_| Flash::MESSAGE_TOO_LATE);
        return Ok(flash::see(&path_of_message(&event.id, &message), too_late));
    }
    let form = form::stored(&message);
    page(&caller, &event, &Draft::Change(Box::new(message)), &form)
}

pub(in crate::pages) async fn take_change(caller: Caller, form: Form) -> PageResult {
    let (event, message) = both(&caller).await?;
    write(caller, &event, Draft::Change(Box::new(message)), form).await
}

/// The event and the message of the path `/dashboard/events/{id}/messages/{message_id}/…`.
pub(super) async fn both(caller: &Caller) -> Result<(MyEventDetail, Message), Problem> {
    let request = GetMessageRequest {
        id: caller.context.segment(2)?,
        message_id: caller.context.segment(4)?,
    };
    let (event, message) = tokio::join!(read(caller), caller.ask::<GetMessage>(request));
    Ok((event?, message?))
}

fn page(caller: &Caller, event: &MyEventDetail, draft: &Draft, begun: &Form) -> PageResult {
    let typed = caller.form().unwrap_or(begun);
    let mut model = caller.again(form::model(event, typed));
    let (mut version, mut note) = (None, None);
    if let Draft::Change(message) = draft {
        let present = message.version.to_string();
        let opened = typed.value("version").unwrap_or(&present);
        let is_refused = caller.problem().is_some();
        if is_refused && opened != present {
            model.trouble = Some(CONFLICT.to_owned());
        }
        // Who was told that someone else changed it may save over that.
        version = Some(if is_refused {
            present.clone()
        } else {
            opened.to_owned()
        });
        note = form::has_lost_question(event, message).then_some(LOST_QUESTION);
    }
    caller.answer(&WritePage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(event, Part::Messages),
        model,
        action: draft.action(event),
        key: caller.key(),
        version,
        note,
    })
}

async fn write(caller: Caller, event: &MyEventDetail, draft: Draft, form: Form) -> PageResult {
    if form.value("action") == Some("back") {
        return page(&caller.typed(form), event, &draft, &Form::default());
    }
    let request = form::request(event, &form)?;
    match form.value("action") {
        Some("send") => send(&caller, event, draft, request, &form).await,
        Some("test") => {
            let test = CreateMessageRequest {
                test: Some(true),
                ..request.clone()
            };
            let sent = caller.ask::<CreateMessage>(test).await?;
            review(&caller, event, &draft, (request, form), sent.test_sent_to).await
        }
        _ => review(&caller, event, &draft, (request, form), None).await,
    }
}

/// What people will read, and how many they are.
async fn review(
    caller: &Caller,
    event: &MyEventDetail,
    draft: &Draft,
    (request, form): (CreateMessageRequest, Form),
    test_sent_to: Option<String>,
) -> PageResult {
    let preview = caller.ask::<PreviewMessage>(request).await?;
    caller.answer_with_mail(&ReviewPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(event, Part::Messages),
        action: draft.action(event),
        who: people(preview.recipients),
        mail: MailPreview::of_message(&preview),
        is_over_quota: form.value("when") == Some("now") && !preview.fits_today,
        preview,
        test_sent_to,
        is_change: matches!(draft, Draft::Change(_)),
        key: form.key().map_or_else(|| caller.key(), str::to_owned),
        typed: form.without(&["action", "key"]),
    })
}

async fn send(
    caller: &Caller,
    event: &MyEventDetail,
    draft: Draft,
    request: CreateMessageRequest,
    form: &Form,
) -> PageResult {
    let (message, done) = match draft {
        Draft::New => {
            let sent = caller
                .context
                .ask_once::<CreateMessage>(request, form.key());
            (sent.await?, Flash::MESSAGE_SCHEDULED)
        }
        Draft::Change(message) => {
            let change = form::change(event, &message, request, form);
            (
                caller.ask::<UpdateMessage>(change).await?,
                Flash::MESSAGE_SAVED,
            )
        }
    };
    Ok(flash::see(
        &path_of_message(&event.id, &message),
        Some(done),
    ))
}
