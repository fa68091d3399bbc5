//! Requests that create or change events.

use domain::{
    change::Change,
    event::{CustomField, EventPatch, FieldId, FieldType, NewEvent, Reminders, WindowChange},
    schedule::ScheduleChange,
    violation::Checked,
};
use muster_api::v1;

use super::mask::Mask;

/// A request to create an event. Validation has applied the defaults.
pub(in crate::grpc) fn new_event(request: Checked<v1::CreateEventRequest>) -> Checked<NewEvent> {
    request.map(|request| NewEvent {
        max_capacity: request.max_capacity(),
        is_public: request.is_public(),
        is_location_private: request.is_location_private(),
        is_listed: request.is_listed(),
        requires_approval: request.requires_approval(),
        confirm_by_email: request.confirm_by_email,
        allows_answer_changes: request.allows_answer_changes(),
        max_party: request.max_party(),
        image_variant: request.image_variant(),
        window: WindowChange {
            is_open: Change::Set(request.is_registration_open()),
            opens: request.registration_opens.map_or(Change::Keep, Change::Set),
            closes: request
                .registration_closes
                .map_or(Change::Keep, Change::Set),
        },
        title: request.title.unwrap_or_default(),
        description: request.description.unwrap_or_default(),
        location: request.location.unwrap_or_default(),
        attendee_info: request.attendee_info,
        city: request.city.filter(|city| !city.is_empty()),
        start_date: request.start_date.unwrap_or_default(),
        end_date: request.end_date,
        timezone: request.timezone,
        image_query: request.image_query,
        custom_fields: custom_fields(request.custom_fields),
        organizer_name: request.organizer_name,
        contact_email: request.contact_email,
        reminders: Reminders::new(request.reminders),
    })
}

/// Questions. Validation refuses types that there are not; options are then right with such a type, or left out.
fn custom_fields(fields: Vec<v1::CustomField>) -> Vec<CustomField> {
    let question = |field: v1::CustomField| CustomField {
        field_type: field.field_type().parse().unwrap_or({
            if field.options.is_empty() {
                FieldType::Text
            } else {
                FieldType::MultiSelect
            }
        }),
        required: field.required(),
        id: given_id(field.id),
        label: field.label.unwrap_or_default(),
        options: field.options,
    };
    fields.into_iter().map(question).collect()
}

/// The identity of a question in a request; an empty one is none.
pub(in crate::grpc) fn given_id(id: Option<String>) -> Option<FieldId> {
    id.filter(|id| !id.is_empty()).map(FieldId::given)
}

/// A request to change an event.
pub(in crate::grpc) fn event_patch(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::UpdateEventRequest>,
) -> Checked<EventPatch> {
    let mut mask = Mask::read(request.update_mask);
    let custom_fields =
        Some(custom_fields(request.custom_fields)).filter(|fields| !fields.is_empty());
    let reminders = Some(request.reminders).filter(|hours| !hours.is_empty());
    let version = match mask.change("version", request.version) {
        Change::Set(version) => Some(version),
        Change::Keep | Change::Clear => None,
    };
    // It says which events change, and is a field of none.
    mask.pass_over("scope");
    let message = EventPatch {
        version,
        title: mask.change("title", request.title),
        description: mask.change("description", request.description),
        location: mask.change("location", request.location),
        is_location_private: mask.change("is_location_private", request.is_location_private),
        attendee_info: mask.change("attendee_info", request.attendee_info),
        city: mask.change("city", request.city.filter(|city| !city.is_empty())),
        schedule: ScheduleChange {
            start_date: mask.change("start_date", request.start_date),
            end_date: mask.change("end_date", request.end_date),
            timezone: mask.change("timezone", request.timezone),
        },
        window: WindowChange {
            opens: mask.change("registration_opens", request.registration_opens),
            closes: mask.change("registration_closes", request.registration_closes),
            is_open: mask.change("is_registration_open", request.is_registration_open),
        },
        max_capacity: mask.change("max_capacity", request.max_capacity),
        is_listed: mask.change("is_listed", request.is_listed),
        requires_approval: mask.change("requires_approval", request.requires_approval),
        confirm_by_email: mask.change("confirm_by_email", request.confirm_by_email),
        allows_answer_changes: mask.change("allows_answer_changes", request.allows_answer_changes),
        max_party: mask.change("max_party", request.max_party),
        image_query: mask.change("image_query", request.image_query),
        image_variant: mask.change("image_variant", request.image_variant),
        custom_fields: mask.change("custom_fields", custom_fields),
        shares_questions: false,
        organizer_name: mask.change("organizer_name", request.organizer_name),
        contact_email: mask.change("contact_email", request.contact_email),
        reminders: mask.change("reminders", reminders.map(Reminders::new)),
    };
    let mistakes = mask.with_unknown(mistakes);
    Checked { message, mistakes }
}

#[cfg(test)]
mod tests {
    use prost_types::FieldMask;

    use super::*;

    fn update(mask: Option<&[&str]>) -> v1::UpdateEventRequest {
        v1::UpdateEventRequest {
            title: Some("Another title".to_owned()),
            update_mask: mask.map(|names| FieldMask {
                paths: names.iter().map(|&name| name.to_owned()).collect(),
            }),
            ..v1::UpdateEventRequest::default()
        }
    }

    #[test]
    fn without_a_mask_the_fields_that_are_set_change() {
        for mask in [None, Some(&[][..])] {
            let patch = event_patch(update(mask).into()).message;
            assert_eq!(patch.title, Change::Set("Another title".to_owned()));
            assert_eq!(patch.city, Change::Keep);
        }
    }

    #[test]
    fn a_mask_names_what_changes_and_clears_what_has_no_value() {
        let patch = event_patch(update(Some(&["city", "custom_fields"])).into()).message;
        assert_eq!(patch.title, Change::Keep);
        assert_eq!(patch.city, Change::Clear);
        assert_eq!(patch.custom_fields, Change::Clear);
    }

    #[test]
    fn a_question_of_an_unknown_type_keeps_its_place_and_its_options() {
        let field = |field_type: &str, options: &[&str]| v1::CustomField {
            label: Some("When".to_owned()),
            field_type: Some(field_type.to_owned()),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            ..v1::CustomField::default()
        };
        let request = v1::CreateEventRequest {
            custom_fields: vec![field("date", &[]), field("date", &["1", "2"])],
            ..v1::CreateEventRequest::default()
        };
        let types: Vec<_> = new_event(request.into())
            .message
            .custom_fields
            .iter()
            .map(|field| field.field_type)
            .collect();
        assert_eq!(types, [FieldType::Text, FieldType::MultiSelect]);
    }

    #[test]
    fn a_mask_that_names_no_field_of_an_event_is_refused() {
        for name in ["id", "slug", "titel", "update_mask"] {
            let refused = event_patch(update(Some(&["title", name])).into()).mistakes;
            assert!(refused[0].message.contains(name), "{refused:?}");
        }
    }
}
