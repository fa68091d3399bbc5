//! The model: what the system should hold and answer, with nothing in between.

use domain::{instant::Instant, registration::Status};
use muster_api::Reason;
use serde_json::{Value, json};
use tests::TestApp;

use super::command::{Moment, NewEvent, Patch};

/// The first owner is on the free plan, the second on one without a limit.
pub(crate) const QUOTAS: [Option<usize>; 2] = [Some(3), None];

/// Everything.
#[derive(Debug)]
pub(crate) struct World {
    /// When the case began.
    pub(crate) began: Instant,
    /// The present.
    pub(crate) now: Moment,
    pub(crate) events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as the contract states them"
)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) owner: usize,
    pub(crate) title: &'static str,
    pub(crate) city: Option<&'static str>,
    pub(crate) start: Moment,
    pub(crate) end: Option<Moment>,
    pub(crate) max_capacity: i32,
    pub(crate) is_published: bool,
    pub(crate) is_listed: bool,
    pub(crate) confirm_by_email: bool,
    pub(crate) max_party: i32,
    pub(crate) is_cancelled: bool,
    pub(crate) cancel_reason: Option<String>,
    pub(crate) image_query: Option<&'static str>,
    pub(crate) confirmed: i32,
    pub(crate) pending: i32,
    pub(crate) waitlisted: i32,
    pub(crate) gone: i32,
    /// How often its owner edited it, and one more.
    pub(crate) version: i32,
    /// When its owner last changed it.
    pub(crate) changed: Moment,
}

impl Event {
    fn seats_left(&self) -> i32 {
        match self.waitlisted {
            0 => (self.max_capacity - self.confirmed).max(0),
            _ => 0,
        }
    }

    /// What a request to create asks for; the system says id and slug.
    pub(crate) fn asked_for(owner: usize, new: &NewEvent, now: Moment) -> Self {
        Self {
            id: String::new(),
            slug: String::new(),
            owner,
            title: new.title,
            city: None,
            start: new.start,
            end: new.end,
            max_capacity: new.max_capacity.unwrap_or(100),
            is_published: new.is_public.unwrap_or(false),
            is_listed: new.is_listed.unwrap_or(true),
            confirm_by_email: new.confirm_by_email.unwrap_or(false),
            max_party: new.max_party.unwrap_or(1),
            is_cancelled: false,
            cancel_reason: None,
            image_query: new.image_query,
            confirmed: 0,
            pending: 0,
            waitlisted: 0,
            gone: 0,
            version: 1,
            changed: now,
        }
    }

    /// The event after a change by its owner, with the time of that change if it is one.
    pub(crate) fn noted(self, before: &Self, now: Moment) -> Self {
        let unseated = Self {
            confirmed: before.confirmed,
            waitlisted: before.waitlisted,
            ..self.clone()
        };
        let changed = if unseated == *before {
            before.changed
        } else {
            now
        };
        Self { changed, ..self }
    }

    pub(crate) fn patched(&self, patch: &Patch) -> Self {
        let mut after = self.clone();
        after.title = patch.title.unwrap_or(self.title);
        after.start = patch.start.unwrap_or(self.start);
        after.max_capacity = patch.max_capacity.unwrap_or(self.max_capacity);
        after.is_listed = patch.is_listed.unwrap_or(self.is_listed);
        after.confirm_by_email = patch.confirm_by_email.unwrap_or(self.confirm_by_email);
        after.max_party = patch.max_party.unwrap_or(self.max_party);
        patch.end.clone().write_optional(&mut after.end);
        patch.city.clone().write_optional(&mut after.city);
        after.version += i32::from(after != *self);
        after
    }

    pub(crate) fn effective_end(&self) -> Moment {
        self.end.unwrap_or(self.start)
    }

    pub(crate) fn registered(&mut self, status: Status) {
        *match status {
            Status::Confirmed => &mut self.confirmed,
            Status::Pending => &mut self.pending,
            Status::Waitlisted => &mut self.waitlisted,
            Status::Cancelled => &mut self.gone,
        } += 1;
    }

    /// Gives free seats to those who wait.
    pub(crate) fn promote(&mut self) {
        let seats = (self.max_capacity - self.confirmed).clamp(0, self.waitlisted);
        self.confirmed += seats;
        self.waitlisted -= seats;
    }

    /// Whom a cancellation tells.
    pub(crate) fn active_registrations(&self) -> i32 {
        self.confirmed + self.pending + self.waitlisted
    }
}

impl World {
    /// Whether it is over for people: without an end of its own it lasts until its day ends, three hours at least.
    pub(crate) fn has_ended(&self, event: &Event) -> bool {
        const HOUR: Moment = 3_600_000_000;
        const DAY: Moment = 24 * HOUR;
        let over_at = if let Some(end) = event.end.filter(|end| *end > event.start) {
            end
        } else {
            let began = self.began.micros();
            let midnight = ((began + event.start).div_euclid(DAY) + 1) * DAY - began;
            midnight.max(event.start + 3 * HOUR)
        };
        over_at <= self.now
    }

    pub(crate) fn is_over(&self, event: &Event) -> bool {
        event.effective_end() <= self.now
    }

    pub(crate) fn is_active(&self, event: &Event) -> bool {
        !event.is_cancelled && !self.is_over(event)
    }

    pub(crate) fn is_public(&self, event: &Event) -> bool {
        event.is_published && event.is_listed && self.is_active(event)
    }

    pub(crate) fn active_events(&self, owner: usize) -> usize {
        let active = |event: &&Event| event.owner == owner && self.is_active(event);
        self.events.iter().filter(active).count()
    }

    /// Why an event cannot become `after`; `before` is nothing when it is new.
    pub(crate) fn objection(&self, before: Option<&Event>, after: &Event) -> Option<Reason> {
        let was_active = before.is_some_and(|before| self.is_active(before));
        let times = |event: &Event| (event.start, event.end);
        let moved = before.is_none_or(|before| times(before) != times(after));
        let shrinks = before.is_some_and(|before| after.max_capacity < before.max_capacity);
        let is_full =
            || QUOTAS[after.owner].is_some_and(|quota| self.active_events(after.owner) >= quota);
        if before.is_some_and(|before| before.is_cancelled) {
            Some(Reason::EventCancelled)
        } else if after.end.is_some_and(|end| end < after.start)
            || (moved && after.is_published && self.is_over(after))
        {
            Some(Reason::InvalidRequest)
        } else if shrinks && after.max_capacity < after.confirmed {
            Some(Reason::CapacityTooLow)
        } else if !was_active && self.is_active(after) && is_full() {
            Some(Reason::QuotaExceeded)
        } else {
            None
        }
    }

    /// A moment as requests say it and answers show it.
    pub(crate) fn written(&self, moment: Moment) -> String {
        Instant::from_micros(self.began.micros() + moment).to_string()
    }

    fn public(&self, event: &Event) -> Value {
        let Event { slug, .. } = event;
        let url = TestApp::PUBLIC_URL;
        json!({
            "slug": slug,
            "title": event.title,
            "description": "Talks.",
            "location": "Hall",
            "city": event.city,
            "start_date": self.written(event.start),
            "end_date": self.written(event.effective_end()),
            "timezone": "UTC",
            "capacity": event.max_capacity,
            "image_url": event.image_query.map(|_| format!("{url}/api/v1/events/{slug}/cover")),
            "url": format!("{url}/events/{slug}"),
            "registration_url": format!("{url}/events/{slug}/register"),
            "image_credit": null,
            "organizer_name": null,
            "contact_email": null,
            "updated_at": self.written(event.changed),
            "is_full": event.seats_left() == 0,
            "seats_left": event.seats_left(),
            "requires_approval": false,
            "custom_fields": [],
            "organizer": "Olga Owner",
            "is_location_private": false,
            "registration_opens": null,
            "registration_closes": null,
            "is_registration_open": true,
            "organizer_handle": null,
            "organizer_url": null,
            "max_party": event.max_party,
            "series_id": null,
        })
    }

    /// What anyone is told of an event; nothing when there is none for them.
    pub(crate) fn public_detail(&self, event: &Event) -> Option<Value> {
        self.is_public(event).then(|| self.public(event))
    }

    /// The catalogue.
    pub(crate) fn public_events(&self) -> Vec<&Event> {
        let public = |event: &&Event| self.is_public(event);
        let mut events: Vec<&Event> = self.events.iter().filter(public).collect();
        events.sort_by_key(|event| (event.start, &event.id));
        events
    }

    /// A page of the catalogue.
    pub(crate) fn catalogue(&self, limit: usize, offset: usize) -> Value {
        let events = self.public_events();
        let page = events.iter().skip(offset).take(limit);
        let items: Vec<Value> = page.map(|event| self.public(event)).collect();
        let next = offset + items.len();
        let more = !items.is_empty() && next < events.len();
        json!({
            "items": items,
            "count": events.len(),
            "limit": limit,
            "offset": offset,
            "next_offset": more.then_some(next),
            "count_is_exact": true,
        })
    }

    /// An owner's list.
    pub(crate) fn own(&self, owner: usize, status: &str, limit: usize) -> Value {
        let passes = |event: &&Event| {
            event.owner == owner
                && match status {
                    "active" => self.is_active(event),
                    "past" => self.is_over(event),
                    _ => true,
                }
        };
        let mut events: Vec<&Event> = self.events.iter().filter(passes).collect();
        events.sort_by_key(|event| (event.start, &event.id));
        if status != "active" {
            events.reverse();
        }
        let shown = |event: &&Event| {
            json!({
                "id": event.id,
                "slug": event.slug,
                "title": event.title,
                "start_date": self.written(event.start),
                "registration_count": event.active_registrations(),
                "max_capacity": event.max_capacity,
                "is_published": event.is_published,
                "is_cancelled": event.is_cancelled,
                "event_url": format!("{}/events/{}", TestApp::PUBLIC_URL, event.slug),
                "registrations_confirmed": event.confirmed,
                "registrations_waitlisted": event.waitlisted,
                "is_ended": self.has_ended(event),
                "seats_taken": event.confirmed,
            })
        };
        let items: Vec<Value> = events.iter().take(limit).map(shown).collect();
        json!({ "items": items, "count": events.len(), "next_cursor": null, "count_is_exact": true })
    }

    /// What its owner is told of an event.
    pub(crate) fn own_detail(&self, event: &Event) -> Value {
        let public = self.public(event);
        let mut detail = json!({
            "id": event.id,
            "slug": event.slug,
            "title": event.title,
            "description": public["description"],
            "location": public["location"],
            "city": public["city"],
            "start_date": public["start_date"],
            "end_date": public["end_date"],
            "timezone": public["timezone"],
            "max_capacity": event.max_capacity,
            "is_published": event.is_published,
            "is_listed": event.is_listed,
            "is_cancelled": event.is_cancelled,
            "registrations_total": event.active_registrations() + event.gone,
            "registrations_confirmed": event.confirmed,
            "registrations_active": event.active_registrations(),
            "event_url": public["url"],
            "image_url": public["image_url"],
            "custom_fields": [],
            "requires_approval": false,
            "confirm_by_email": event.confirm_by_email,
            "organizer_name": null,
            "contact_email": null,
            "version": event.version,
            "is_hidden": false,
            "registrations_pending": event.pending,
            "registrations_unconfirmed": 0,
            "registrations_waitlisted": event.waitlisted,
            "registrations_checked_in": 0,
            "registrants_notified": null,
            "events_updated": null,
            "image_query": event.image_query,
            "image_variant": 1,
            "is_ended": self.has_ended(event),
            "reminders": [24],
            "reminders_missed": [],
            "has_own_cover": false,
            "allows_answer_changes": false,
            "is_location_private": false,
            "attendee_info": null,
        });
        for name in [
            "registration_opens",
            "registration_closes",
            "is_registration_open",
        ] {
            detail[name] = public[name].clone();
        }
        detail["is_registration_ahead"] = json!(false);
        detail["is_registration_closed"] = json!(event.start <= self.now);
        // A literal has a bound on its length.
        detail["max_party"] = json!(event.max_party);
        detail["seats_taken"] = json!(event.confirmed);
        detail["people_checked_in"] = json!(0);
        detail["seats_left"] = json!(event.seats_left());
        detail["series_id"] = json!(null);
        detail
    }
}
