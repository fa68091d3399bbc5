//! The activity of an account.

use domain::{
    activity::{Activity, FieldChange},
    cursor::{ListName, Place},
    ids::{AccountId, EventId},
    period::Period,
    violation::{FieldViolation, Violations},
};
use muster_api::v1;

use super::lists::{place, searched};
use crate::service::ActivityFilter;

/// What a request for a page of the activity asks for.
pub(in crate::grpc) struct ActivityAsked {
    pub(in crate::grpc) filter: ActivityFilter,
    pub(in crate::grpc) after: Option<Place>,
    pub(in crate::grpc) list: ListName,
}

/// Reads a request for a page of the activity.
pub(in crate::grpc) fn activity_asked(
    caller: AccountId,
    event: Option<EventId>,
    request: &v1::ListActivityRequest,
) -> Result<ActivityAsked, Vec<FieldViolation>> {
    let mut violations = Violations::default();
    let (q, from, to) = (
        request.q.as_deref(),
        request.from.as_deref(),
        request.to.as_deref(),
    );
    let filter = ActivityFilter {
        event,
        text: searched(q, &mut violations),
        period: Period::read(from, to, &mut violations),
    };
    let (owner, event) = (caller.to_string(), event.map(|event| event.to_string()));
    let list = ListName::new([
        Some("activity"),
        Some(&owner),
        event.as_deref(),
        q,
        from,
        to,
    ]);
    let after = place(request.cursor.as_deref(), list, &mut violations);
    violations.unless_any(Some(ActivityAsked {
        filter,
        after,
        list,
    }))
}

/// Reads a request for all of the activity.
pub(in crate::grpc) fn activity_exported(
    caller: AccountId,
    event: Option<EventId>,
    request: v1::ExportActivityRequest,
) -> Result<ActivityFilter, Vec<FieldViolation>> {
    let list = v1::ListActivityRequest {
        q: request.q,
        from: request.from,
        to: request.to,
        ..v1::ListActivityRequest::default()
    };
    let asked = activity_asked(caller, event, &list)?;
    Ok(asked.filter)
}

/// An entry of the activity.
pub(in crate::grpc) fn activity(entry: &Activity) -> v1::ActivityItem {
    let change = |change: FieldChange| v1::FieldChange {
        field: change.field,
        before: change.before,
        after: change.after,
    };
    v1::ActivityItem {
        id: entry.id.hyphenated().to_string(),
        at: entry.at.to_string(),
        text: entry.sentence(),
        actor: entry.actor_kind().to_owned(),
        actor_name: entry.actor_name.clone(),
        action: entry.action.clone(),
        event_id: entry.event_id.map(|event| event.to_string()),
        registration_id: entry
            .registration_id()
            .map(|id| id.hyphenated().to_string()),
        changes: entry.changes().into_iter().map(change).collect(),
        reason: entry.reason.clone(),
    }
}
