//! Registering someone oneself.

use askama::Template;
use muster_api::{
    Scope,
    v1::{
        AddRegistrationRequest, AddedRegistration, CheckInRequest,
        bindings::{AddRegistration, CheckIn},
    },
};

use super::path;
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::{Form, link},
    layout::PageResult,
    pages::{
        dashboard::{
            door::{self, DoorQuery},
            event_head::{EventHead, Part, read},
        },
        register::{
            form::{answers, model},
            party,
        },
    },
};

#[derive(Template)]
#[template(path = "dashboard/registration_add.html")]
struct AddPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    /// Whether someone new is put on the waitlist.
    is_full: bool,
    /// Whether they stand at the door, to be checked in.
    is_at_door: bool,
    /// Registers once, however often the form is sent.
    key: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsWrite)?;
    let event = read(&caller).await?;
    if event.is_ended {
        return Ok(flash::see(&path(&event.id), Some(Flash::EVENT_IS_OVER)));
    }
    let name = Field::line("name", "Name").required();
    let email = Field::email("email", "Email").autocomplete("off");
    let mut everyone = vec![name, email.required()];
    everyone.extend(party::fields_of_guest(event.max_party));
    let model = model(everyone, &event.custom_fields);
    let asked = caller.context.query();
    let model = if asked.has("door") {
        model.filled(&asked)
    } else {
        model
    };
    let typed = caller.form().unwrap_or(&asked);
    caller.answer(&AddPage {
        is_full: event.seats_left == 0,
        is_at_door: typed.has("door"),
        page: caller.page("Add a guest", Tab::Events),
        head: EventHead::of(&event, Part::Registrations),
        model: caller.again(model),
        key: caller.key(),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let event = read(&caller).await?;
    let list = path(&event.id);
    let request = AddRegistrationRequest {
        id: event.id,
        name: form.text("name"),
        email: form.text("email"),
        answers: answers(&event.custom_fields, &form),
        party_size: party::size(&form),
        companions: party::companions(&form),
    };
    let id = request.id.clone();
    let added = caller
        .context
        .ask_once::<AddRegistration>(request, form.key())
        .await?;
    let is_in = added.status == "Confirmed";
    if form.has("door") {
        return check_in(&caller, id, added).await;
    }
    let done = if is_in {
        Flash::REGISTRATION_ADDED
    } else {
        Flash::REGISTRATION_WAITLISTED
    };
    Ok(flash::see(&list, Some(done)))
}

/// Checks in who was added at the door, if there was a spot, and goes back there.
async fn check_in(caller: &Caller, id: String, added: AddedRegistration) -> PageResult {
    let door = door::path(&id);
    let request = CheckInRequest {
        id,
        registration_id: added.id.clone(),
        people: None,
    };
    if added.status == "Confirmed" {
        caller.ask::<CheckIn>(request).await?;
    }
    let query = DoorQuery::of(added.id, false);
    Ok(flash::see(&link(&door, &query), None))
}
