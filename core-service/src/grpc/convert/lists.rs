//! Filters and cursors of lists.

use domain::{
    catalogue::{Starts, read_series, search_words},
    cursor::{ListName, Place},
    ids::AccountId,
    period::Period,
    person::Reach,
    violation::{FieldViolation, Violations},
};
use muster_api::v1;

use super::violation;
use crate::service::{EventFilter, MyEventsFilter, PageStart, RegistrationFilter};

/// The filter of the caller's events. An unknown value is refused: it must not widen the list.
fn event_filter(status: &str) -> Result<EventFilter, Vec<FieldViolation>> {
    match status {
        "active" => Ok(EventFilter::Active),
        "past" => Ok(EventFilter::Past),
        "all" => Ok(EventFilter::All),
        _ => Err(violation("status", "must be active, past or all")),
    }
}

/// What a request for a page of the caller's events asks for.
pub(in crate::grpc) struct MyEventsAsked {
    pub(in crate::grpc) filter: MyEventsFilter,
    pub(in crate::grpc) after: Option<Place>,
    pub(in crate::grpc) list: ListName,
}

/// Reads a request for a page of the caller's events.
pub(in crate::grpc) fn my_events(
    caller: AccountId,
    request: &v1::ListMyEventsRequest,
) -> Result<MyEventsAsked, Vec<FieldViolation>> {
    let mut violations = Violations::default();
    let status = event_filter(request.status())?;
    let (q, from, to) = (
        request.q.as_deref(),
        request.from.as_deref(),
        request.to.as_deref(),
    );
    let series = request.series.as_deref();
    let given = |text: &&str| !text.is_empty();
    let filter = MyEventsFilter {
        status,
        text: searched(q, &mut violations),
        starts: Starts::read(from.filter(given), to.filter(given), &mut violations),
        series: series
            .filter(given)
            .and_then(|id| read_series(id, &mut violations)),
        // The use case sets what the caller reaches.
        reach: Reach::Account,
    };
    let owner = caller.to_string();
    let list = ListName::new([
        Some(match status {
            // A cursor of before they were in this order would skip some.
            EventFilter::Active => "events, next first",
            EventFilter::Past | EventFilter::All => "events",
        }),
        Some(&owner),
        Some(request.status()),
        q,
        from,
        to,
        series,
    ]);
    let after = place(request.cursor.as_deref(), list, &mut violations);
    violations.unless_any(Some(MyEventsAsked {
        filter,
        after,
        list,
    }))
}

/// Reads where a page of the mails about an event begins.
pub(in crate::grpc) fn event_mails(
    caller: AccountId,
    request: &v1::ListEventMailsRequest,
) -> Result<(Option<Place>, ListName), Vec<FieldViolation>> {
    let mut violations = Violations::default();
    let (owner, event) = (caller.to_string(), request.id.to_ascii_lowercase());
    let list = ListName::new([Some("undelivered mails"), Some(&*owner), Some(&*event)]);
    let after = place(request.cursor.as_deref(), list, &mut violations);
    violations.unless_any(Some((after, list)))
}

/// What a request for a page of registrations asks for.
pub(in crate::grpc) struct RegistrationsAsked {
    /// The whole address of those that are asked for.
    pub(in crate::grpc) address: Option<String>,
    pub(in crate::grpc) filter: RegistrationFilter,
    pub(in crate::grpc) start: PageStart,
    pub(in crate::grpc) list: ListName,
}

/// Reads a request for a page of an event's registrations.
pub(in crate::grpc) fn registrations(
    caller: AccountId,
    request: &v1::ListRegistrationsRequest,
) -> Result<RegistrationsAsked, Vec<FieldViolation>> {
    let mut violations = Violations::default();
    let status = super::registrations::status(request.status.as_deref())?;
    let (q, from, to) = (
        request.q.as_deref(),
        request.from.as_deref(),
        request.to.as_deref(),
    );
    let filter = RegistrationFilter {
        status,
        text: searched(q, &mut violations),
        registered: Period::read(from, to, &mut violations),
        approval_first: request.approval_first(),
        ..RegistrationFilter::default()
    };
    let given = |text: &&String| !text.is_empty();
    let address = request.email.as_ref().filter(given).cloned();
    if address.is_some() {
        let given = |text: Option<&str>| text.is_some_and(|text| !text.is_empty());
        let others = [
            ("q", filter.text.is_some()),
            ("from", given(from)),
            ("to", given(to)),
            ("cursor", given(request.cursor.as_deref())),
            ("offset", request.offset() > 0),
        ];
        for (field, _) in others.into_iter().filter(|(_, is_given)| *is_given) {
            violations.add(field, "must be left out with email");
        }
    }
    let (owner, event) = (caller.to_string(), request.id.to_ascii_lowercase());
    let list = ListName::new([
        Some(match (filter.text.is_some(), filter.approval_first) {
            (false, false) => "registrations",
            // A cursor of before the best matches came first would skip some.
            (true, false) => "registrations, best first",
            (_, true) => "registrations, approval first",
        }),
        Some(&owner),
        Some(&event),
        request.status.as_deref(),
        q,
        from,
        to,
    ]);
    let start = match place(request.cursor.as_deref(), list, &mut violations) {
        None => PageStart::Offset(request.offset()),
        Some(place) => {
            if request.offset() > 0 {
                violations.add("offset", "must be left out with a cursor");
            }
            PageStart::After(place)
        }
    };
    violations.unless_any(Some(RegistrationsAsked {
        address,
        filter,
        start,
        list,
    }))
}

/// The text that is looked for; an empty one is none.
pub(super) fn searched(q: Option<&str>, violations: &mut Violations) -> Option<String> {
    let text = q.map(str::trim).filter(|text| !text.is_empty())?;
    // Only of accents, so that it would match everything.
    if search_words::folded(text).is_empty() {
        violations.add("q", "must have a letter, a digit or a sign");
    }
    Some(text.to_owned())
}

/// The place that a cursor names; an empty one is none, since forms send empty fields.
pub(super) fn place(
    cursor: Option<&str>,
    list: ListName,
    violations: &mut Violations,
) -> Option<Place> {
    let cursor = cursor.filter(|cursor| !cursor.is_empty())?;
    let place = Place::of_cursor(cursor, list);
    if place.is_none() {
        violations.add(
            "cursor",
            "must be the next_cursor of an earlier page of this list, with the same filters",
        );
    }
    place
}

#[cfg(test)]
mod tests {
    use domain::registration::Status;

    use super::*;
    use crate::grpc::convert::registrations;

    #[test]
    fn an_unknown_value_never_widens_a_filter() {
        assert_eq!(event_filter("past"), Ok(EventFilter::Past));
        for status in ["", "Active", "upcoming"] {
            let refused = event_filter(status).unwrap_err();
            assert_eq!(refused[0].field, "status", "{status:?}");
        }
        let confirmed = registrations::status(Some("Confirmed")).unwrap();
        assert_eq!(confirmed, Some(Status::Confirmed));
        for status in ["", "confirmed", "Attended"] {
            let refused = registrations::status(Some(status)).unwrap_err();
            assert_eq!(refused[0].field, "status", "{status:?}");
        }
    }
}
