//! Taking back an address that was changed: a code goes to it, which is typed here.

use askama::Template;
use muster_api::internal::v1::{
    FinishTakeBackRequest, StartTakeBackRequest,
    bindings::{FinishTakeBack, StartTakeBack},
};

use super::{address, asked_for, code, email_only, head, with_trouble};
use crate::{
    browser::{Browser, device},
    cookies,
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::{Page, PageResult, Section, private, refused},
    request_context::RequestContext,
    return_path::DASHBOARD,
    words::sentence,
};

pub(in crate::pages) const PATH: &str = "/sign-in/take-back";
pub(in crate::pages) const CODE: &str = "/sign-in/take-back/code";

#[derive(Template)]
#[template(path = "take_back.html")]
struct TakeBackPage {
    page: Page,
    model: FormModel,
    /// The address, once a code is on its way to it.
    sent_to: Option<String>,
    url: &'static str,
}

impl TakeBackPage {
    fn of(context: &RequestContext, model: FormModel, sent_to: Option<String>) -> Self {
        Self {
            page: head(&context.site, "Take your address back"),
            model,
            url: if sent_to.is_some() { CODE } else { PATH },
            sent_to,
        }
    }
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    private(&TakeBackPage::of(&context, address(), None))
}

/// Has a code mailed: the same for all addresses.
pub(in crate::pages) async fn take(context: RequestContext, form: Form) -> PageResult {
    let browser = Browser::of(&context.parts.headers, &context.site);
    let email = form.text("email").unwrap_or_default();
    let request = StartTakeBackRequest {
        email: Some(email.clone()),
        browser: Some(browser.secret().to_owned()),
    };
    if let Err(problem) = context.ask::<StartTakeBack>(request).await {
        let model = address().filled(&form).refused(email_only(&problem));
        let model = with_trouble(model, &problem);
        return refused(&TakeBackPage::of(&context, model, None), &problem);
    }
    let mut response = flash::see(CODE, None);
    cookies::begin_sign_in(&mut response, context.site.is_secure(), &email);
    browser.remember(&mut response, &context.site);
    Ok(response)
}

pub(in crate::pages) async fn show_code(context: RequestContext) -> PageResult {
    match asked_for(&context) {
        Some(email) => private(&TakeBackPage::of(
            &context,
            FormModel::of(code()),
            Some(email),
        )),
        None => Ok(flash::see(PATH, None)),
    }
}

pub(in crate::pages) async fn take_code(context: RequestContext, form: Form) -> PageResult {
    let headers = &context.parts.headers;
    let browser = Browser::known(headers, &context.site);
    let (Some(email), Some(browser)) = (asked_for(&context), browser) else {
        return Ok(flash::see(PATH, None));
    };
    let request = FinishTakeBackRequest {
        browser: Some(browser.secret().to_owned()),
        code: form.text("code"),
        device: device(headers),
    };
    match context.ask::<FinishTakeBack>(request).await {
        Ok(signed_in) => {
            let is_secure = context.site.is_secure();
            let mut response = flash::see(DASHBOARD, Some(Flash::EMAIL_TAKEN_BACK));
            cookies::begin_session(&mut response, is_secure, &signed_in.token);
            cookies::end_sign_in(&mut response, is_secure);
            Ok(response)
        }
        Err(problem) => {
            let model = FormModel::of(code()).filled(&form);
            let mut model = with_trouble(model.refused(&problem.details), &problem);
            if problem.http_status == 409 {
                model.trouble = Some(sentence(&problem));
            }
            let page = TakeBackPage::of(&context, model, Some(email));
            refused(&page, &problem)
        }
    }
}
