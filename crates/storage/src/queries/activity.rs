//! The audit log of an account, with names.

use domain::{
    activity::Activity,
    cursor::Place,
    ids::{AccountId, PersonId},
};
use uuid::Uuid;

use crate::{
    ActivityView, Error, Reads,
    record::{Record as _, record},
    sql::{Fragment, sql},
};

// The rows are chosen by the index of the account or of the event, and then named one by one: PostgreSQL plans a join of seven tables
// for 5 ms, which is longer than a page takes, and this for 0.5 ms.
record! {
    Activity as a of "audit_log" {
        id,
        at,
        actor,
        actor_name = "COALESCE((SELECT k.label FROM api_keys k WHERE k.id = a.key_id AND k.account_id = a.account_id), \
            (SELECT c.name FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id WHERE g.id = a.grant_id), \
            (SELECT p.name FROM people p WHERE p.id = a.person_id AND a.grant_id IS NULL AND a.key_id IS NULL))",
        on_behalf_of = "(SELECT b.name FROM people b WHERE b.id = a.person_id AND (a.grant_id IS NOT NULL OR a.key_id IS NOT NULL))",
        action,
        subject_id,
        event_id,
        event_title = "(SELECT e.title FROM events e WHERE e.id = a.event_id AND e.account_id = a.account_id)",
        attendee = "(SELECT r.name FROM registrations r WHERE r.id = a.subject_id AND r.event_id = a.event_id)",
        key_label = "(SELECT k.label FROM api_keys k WHERE k.id = a.subject_id AND k.account_id = a.account_id)",
        app = "(SELECT c.name FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id \
            WHERE g.id = a.subject_id AND g.account_id = a.account_id)",
        member = "(SELECT m.name FROM people m WHERE m.id = a.subject_id)",
        before,
        after,
        reason,
        times,
    }
}

/// The page of account `$1` in a period and after a place.
const PAGE: Fragment = Fragment::new(
    "l.account_id = $1 AND l.at >= $3 AND l.at < $4 AND (l.at, l.id) < ($5, $6) \
     AND ($8 = TRUE OR l.event_id IS NULL) AND ($9 = TRUE OR l.action NOT LIKE 'person.%') ORDER BY l.at DESC, l.id DESC LIMIT $7",
);

impl Reads {
    /// Returns what a view shows of the audit log of an account after a place, latest first, with names.
    pub async fn list_activity(
        &self,
        account: AccountId,
        view: ActivityView,
        after: Option<Place>,
        limit: i64,
    ) -> Result<Vec<Activity>, Error> {
        let statement = if view.event.is_some() {
            sql!(
                "SELECT {} FROM (SELECT * FROM audit_log l WHERE l.event_id = $2 AND {}) a ORDER BY a.at DESC, a.id DESC",
                Activity::COLUMNS,
                PAGE,
            )
        } else {
            // The parameter is bound for both; it is used here so that the engine knows its type.
            sql!(
                "SELECT {} FROM (SELECT * FROM audit_log l WHERE ($2 IS NULL OR l.event_id = $2) AND {}) a \
                 ORDER BY a.at DESC, a.id DESC",
                Activity::COLUMNS,
                PAGE,
            )
        };
        let first = Place {
            key: i64::MAX,
            id: Uuid::max(),
        };
        let after = after.unwrap_or(first);
        let values = (
            account,
            view.event,
            view.period.from,
            view.period.before,
            after.key,
            after.id,
            limit,
            view.has_events,
            view.has_people,
        );
        self.all(statement, values).await
    }

    /// Returns what happened to a person themselves, latest first.
    pub async fn list_activity_of_person(
        &self,
        person: PersonId,
        limit: i64,
    ) -> Result<Vec<Activity>, Error> {
        let statement = sql!(
            "SELECT {} FROM (SELECT * FROM audit_log l WHERE l.subject_id = $1 AND l.account_id IS NULL \
             ORDER BY l.at DESC, l.id DESC LIMIT $2) a ORDER BY a.at DESC, a.id DESC",
            Activity::COLUMNS,
        );
        self.all(statement, (person, limit)).await
    }
}
