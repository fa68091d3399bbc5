//! Changing an event.

use super::{
    CustomField, Event, Refusal, Reminders, WindowChange, create::MUST_BE_AHEAD, field_id::NewIds,
};
use crate::{
    change::Change, instant::Instant, schedule::ScheduleChange, violation::Violations, zone::Zone,
};

/// A partial update; the proto's limits are already applied.
#[derive(Debug, Clone, Default)]
pub struct EventPatch {
    /// The version that the patch was made for; `None` if any will do.
    pub version: Option<i32>,
    /// Title; never null.
    pub title: Change<String>,
    /// Description; never null.
    pub description: Change<String>,
    /// Location; never null.
    pub location: Change<String>,
    /// Whether only guests see the location; never null.
    pub is_location_private: Change<bool>,
    /// Information for guests only.
    pub attendee_info: Change<String>,
    /// City.
    pub city: Change<String>,
    /// Start, end and zone.
    pub schedule: ScheduleChange,
    /// When the public can register.
    pub window: WindowChange,
    /// Seats; never null.
    pub max_capacity: Change<i32>,
    /// Whether it appears in the catalogue once it is published; never null.
    pub is_listed: Change<bool>,
    /// Whether new registrations await the owner's approval; never null.
    pub requires_approval: Change<bool>,
    /// Whether new registrations by the public await the attendee's confirmation; never null.
    pub confirm_by_email: Change<bool>,
    /// Whether guests may change their own answers until it begins; never null.
    pub allows_answer_changes: Change<bool>,
    /// How many people one registration may be for; never null.
    pub max_party: Change<i32>,
    /// Search words for a cover.
    pub image_query: Change<String>,
    /// Which of the pictures that the words have; never null.
    pub image_variant: Change<i32>,
    /// All questions to registrants; null for none.
    pub custom_fields: Change<Vec<CustomField>>,
    /// Whether the identities of new questions are those of another date of the series, so that they are taken.
    pub shares_questions: bool,
    /// Name of the organizer.
    pub organizer_name: Change<String>,
    /// Email address for questions.
    pub contact_email: Change<String>,
    /// All reminders; null for none.
    pub reminders: Change<Reminders>,
}

impl Event {
    /// The event with the patch applied. `confirmed` is the number of taken seats.
    pub fn patched(
        &self,
        patch: EventPatch,
        confirmed: i32,
        now: Instant,
    ) -> Result<Self, Refusal> {
        if self.is_cancelled {
            return Err(Refusal::Cancelled);
        }
        if patch.version.is_some_and(|version| version != self.version) {
            return Err(Refusal::Edited);
        }
        let mut violations = Violations::default();
        let mut after = self.with(patch, now, &mut violations);
        let is_too_small = after.max_capacity < self.max_capacity && after.max_capacity < confirmed;
        if is_too_small && violations.as_slice().is_empty() {
            return Err(Refusal::CapacityBelowConfirmed { confirmed });
        }
        if is_too_small {
            let message =
                format!("must be at least {confirmed}, the number of spots that are taken");
            violations.add("max_capacity", message);
        }
        violations.unless_any(Some(())).map_err(Refusal::Invalid)?;
        if after != *self {
            after.sequence += i32::from(after.takes_place_elsewhere(self));
            after.version = after.version.saturating_add(1);
            after.updated_at = now;
        }
        Ok(after)
    }

    fn with(&self, patch: EventPatch, now: Instant, violations: &mut Violations) -> Self {
        let mut after = self.clone();
        patch.title.write(&mut after.title, "title", violations);
        patch
            .description
            .write(&mut after.description, "description", violations);
        patch
            .location
            .write(&mut after.location, "location", violations);
        patch
            .max_capacity
            .write(&mut after.max_capacity, "max_capacity", violations);
        patch
            .is_listed
            .write(&mut after.is_listed, "is_listed", violations);
        patch.requires_approval.write(
            &mut after.requires_approval,
            "requires_approval",
            violations,
        );
        patch
            .confirm_by_email
            .write(&mut after.confirm_by_email, "confirm_by_email", violations);
        patch.allows_answer_changes.write(
            &mut after.allows_answer_changes,
            "allows_answer_changes",
            violations,
        );
        patch
            .max_party
            .write(&mut after.max_party, "max_party", violations);
        patch.is_location_private.write(
            &mut after.is_location_private,
            "is_location_private",
            violations,
        );
        patch.attendee_info.write_optional(&mut after.attendee_info);
        patch.city.write_optional(&mut after.city);
        patch
            .organizer_name
            .write_optional(&mut after.organizer_name);
        patch.contact_email.write_optional(&mut after.contact_email);
        patch
            .image_variant
            .write(&mut after.image_variant, "image_variant", violations);
        patch.image_query.write_optional(&mut after.image_query);
        after.image_query.take_if(|words| words.is_empty());
        if after.image_query != self.image_query {
            // Other words need another photograph; the cover is drawn until there is one.
            after.image_credit = None;
        }
        match patch.custom_fields {
            Change::Keep => {}
            Change::Clear => after.custom_fields.clear(),
            Change::Set(fields) => {
                let new_ids = if patch.shares_questions {
                    NewIds::Shared
                } else {
                    NewIds::Made(self.id, self.version.saturating_add(1))
                };
                after.custom_fields = CustomField::identified(fields, &self.custom_fields, new_ids);
            }
        }
        CustomField::check_all(&after.custom_fields, violations);
        match patch.reminders {
            Change::Keep => {}
            Change::Clear => after.reminders = Reminders::default(),
            Change::Set(reminders) => after.reminders = reminders,
        }
        let zone = match &patch.schedule.timezone {
            Change::Set(name) => Zone::find(name).ok(),
            Change::Keep | Change::Clear => Zone::find(&self.schedule.timezone).ok(),
        };
        let is_moved = !patch.schedule.timezone.is_keep();
        if after.reschedule(patch.schedule, now, violations) {
            let schedules = (&self.schedule, &after.schedule);
            after.window = self.window.changed(patch.window, schedules, violations);
        } else {
            let window = self.window;
            window.judge_untimed(patch.window, zone.as_ref(), is_moved, violations);
        }
        after.reminders_missed = after.still_missed(self);
        after
    }

    /// Whether the change leads to a schedule.
    fn reschedule(
        &mut self,
        change: ScheduleChange,
        now: Instant,
        violations: &mut Violations,
    ) -> bool {
        let blamed = change.blamed_field();
        let is_over_everywhere = change.is_over(&self.schedule, now);
        let Some(schedule) = self.schedule.changed(change, violations) else {
            if self.is_published && is_over_everywhere && !violations.has(blamed) {
                violations.add(blamed, MUST_BE_AHEAD);
            }
            return false;
        };
        let is_over = schedule.effective_end() <= now;
        if schedule == self.schedule {
            return true;
        }
        if self.is_published && is_over {
            violations.add(blamed, MUST_BE_AHEAD);
        }
        self.schedule = schedule;
        // Moments that stayed are by the stored release, others by this program's: the older one, so that the newer is followed.
        if Zone::release() < self.zone_release.as_str() {
            Zone::release().clone_into(&mut self.zone_release);
        }
        true
    }

    /// Whether calendar entries of the event must change.
    fn takes_place_elsewhere(&self, before: &Self) -> bool {
        self.schedule != before.schedule
            || self.location != before.location
            || self.city != before.city
            || self.attendee_info != before.attendee_info
    }
}

#[cfg(test)]
mod tests {
    use super::super::create::tests::event_from;
    use super::*;
    use crate::image_credit::ImageCredit;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000); // 2027-01-15T08:00:00Z

    fn starting(text: &str) -> EventPatch {
        EventPatch {
            schedule: ScheduleChange {
                start_date: Change::Set(text.to_owned()),
                ..ScheduleChange::default()
            },
            ..EventPatch::default()
        }
    }

    #[test]
    fn a_change_with_a_wrong_zone_says_what_is_wrong_of_its_times() {
        let set = |text: &str| Change::Set(text.to_owned());
        let published = Event {
            is_published: true,
            ..event_from(NOW)
        };
        let moved = |start: &str, end: &str| EventPatch {
            schedule: ScheduleChange {
                start_date: set(start),
                end_date: set(end),
                timezone: set("CET+1"),
            },
            window: WindowChange {
                opens: set("soon"),
                ..WindowChange::default()
            },
            ..EventPatch::default()
        };
        let end = ["timezone", "end_date", "registration_opens"];
        for (start, end, expected) in [
            ("2020-05-01T18:00", "2020-05-01T19:00", &end[..]),
            ("2027-05-01T18:00", "2027-05-01T17:00", &end),
            (
                "2027-05-01T18:00",
                "2027-05-01T19:00",
                &["timezone", "registration_opens"],
            ),
        ] {
            match published.patched(moved(start, end), 0, NOW) {
                Err(Refusal::Invalid(found)) => {
                    let fields: Vec<&str> = found.iter().map(|one| &*one.field).collect();
                    assert_eq!(fields, expected);
                }
                other => panic!("expected violations, not {other:?}"),
            }
        }
    }

    #[test]
    fn other_words_for_the_cover_give_up_its_photograph() {
        let credited = Event {
            image_query: Some("crab".to_owned()),
            image_credit: Some(ImageCredit::default()),
            ..event_from(NOW)
        };
        let asking = |image_query| EventPatch {
            image_query,
            ..EventPatch::default()
        };
        let set = |words: &str| asking(Change::Set(words.to_owned()));
        let credit = |patch| credited.patched(patch, 0, NOW).unwrap().image_credit;
        assert_eq!(credit(set("lobster")), None);
        assert_eq!(credit(asking(Change::Clear)), None);
        assert!(credit(set("crab")).is_some());
        assert!(credit(EventPatch::default()).is_some());
    }

    fn blamed(outcome: Result<Event, Refusal>) -> Vec<String> {
        match outcome {
            Err(Refusal::Invalid(found)) => found.into_iter().map(|one| one.field).collect(),
            other => panic!("expected violations, not {other:?}"),
        }
    }

    #[test]
    fn a_patch_that_says_nothing_new_changes_nothing() {
        let event = event_from(NOW);
        let same = EventPatch {
            title: Change::Set(event.title.clone()),
            max_capacity: Change::Set(event.max_capacity),
            ..starting("2027-05-01T18:00")
        };
        let later = NOW.plus_seconds(60);
        assert_eq!(
            event.patched(EventPatch::default(), 0, later),
            Ok(event.clone())
        );
        assert_eq!(event.patched(same, 0, later), Ok(event));
    }

    #[test]
    fn only_the_fields_present_change() {
        let event = event_from(NOW);
        let patch = EventPatch {
            title: Change::Set("Rust Night".to_owned()),
            city: Change::Set("Berlin".to_owned()),
            ..EventPatch::default()
        };
        let later = NOW.plus_seconds(60);
        let expected = Event {
            title: "Rust Night".to_owned(),
            city: Some("Berlin".to_owned()),
            sequence: 1,
            version: 2,
            updated_at: later,
            ..event.clone()
        };
        assert_eq!(event.patched(patch, 0, later), Ok(expected));
    }

    #[test]
    fn a_patch_for_an_earlier_version_is_refused_and_one_that_changes_nothing_makes_none() {
        let event = event_from(NOW);
        let titled = |title: &str, version| EventPatch {
            version: Some(version),
            title: Change::Set(title.to_owned()),
            ..EventPatch::default()
        };
        let first = event.patched(titled("Rust Night", 1), 0, NOW).unwrap();
        assert_eq!(first.version, 2);
        let late = first.patched(titled("Rust Day", 1), 0, NOW);
        assert_eq!(late, Err(Refusal::Edited));
        let same = first.patched(titled("Rust Night", 2), 0, NOW).unwrap();
        assert_eq!(same.version, 2);
        assert_eq!(first.published(NOW).unwrap().version, 2);
    }

    #[test]
    fn null_clears_what_may_be_null_and_nothing_else() {
        let event = Event {
            city: Some("Berlin".to_owned()),
            image_query: Some("crab".to_owned()),
            organizer_name: Some("Rust Berlin".to_owned()),
            contact_email: Some("hello@rust.berlin".to_owned()),
            ..event_from(NOW)
        };
        let cleared = EventPatch {
            organizer_name: Change::Clear,
            contact_email: Change::Clear,
            city: Change::Clear,
            image_query: Change::Clear,
            custom_fields: Change::Clear,
            schedule: ScheduleChange {
                end_date: Change::Clear,
                ..ScheduleChange::default()
            },
            ..EventPatch::default()
        };
        let after = event.patched(cleared, 0, NOW).unwrap();
        assert_eq!((after.city, after.image_query), (None, None));
        assert_eq!((after.organizer_name, after.contact_email), (None, None));

        let refused = EventPatch {
            title: Change::Clear,
            description: Change::Clear,
            location: Change::Clear,
            max_capacity: Change::Clear,
            is_listed: Change::Clear,
            requires_approval: Change::Clear,
            confirm_by_email: Change::Clear,
            allows_answer_changes: Change::Clear,
            max_party: Change::Clear,
            is_location_private: Change::Clear,
            ..EventPatch::default()
        };
        let expected = [
            "title",
            "description",
            "location",
            "max_capacity",
            "is_listed",
            "requires_approval",
            "confirm_by_email",
            "allows_answer_changes",
            "max_party",
            "is_location_private",
        ];
        assert_eq!(blamed(event.patched(refused, 0, NOW)), expected);
    }

    #[test]
    fn another_time_is_by_the_older_release_of_the_zones() {
        let by = |release: &str| Event {
            zone_release: release.to_owned(),
            ..event_from(NOW)
        };
        let release = |event: Event, patch| event.patched(patch, 0, NOW).unwrap().zone_release;
        let moved = || starting("2027-05-02T18:00");
        assert_eq!(release(by("9999z"), moved()), Zone::release());
        assert_eq!(release(by("2020a"), moved()), "2020a");
        assert_eq!(release(by(""), moved()), "");
        assert_eq!(release(by("9999z"), EventPatch::default()), "9999z");
    }

    #[test]
    fn a_published_event_is_not_moved_into_the_past() {
        let draft = event_from(NOW);
        assert!(draft.patched(starting("2027-01-15T08:00Z"), 0, NOW).is_ok());
        let published = draft.published(NOW).unwrap();
        let moved = published.patched(starting("2027-01-15T08:00Z"), 0, NOW);
        assert_eq!(blamed(moved), ["start_date"]);
        assert!(
            published
                .patched(starting("2027-01-15T08:00:00.000001Z"), 0, NOW)
                .is_ok()
        );
    }

    #[test]
    fn a_published_event_that_is_over_may_still_be_worded_differently() {
        let over = event_from(NOW).published(NOW).unwrap();
        let patch = EventPatch {
            description: Change::Set("It was lovely.".to_owned()),
            ..EventPatch::default()
        };
        let later = NOW.plus_seconds(365 * 86_400);
        assert!(over.has_ended(later));
        assert!(over.patched(patch, 0, later).is_ok());
    }

    #[test]
    fn capacity_does_not_fall_below_those_who_hold_seats() {
        let event = event_from(NOW);
        let to = |seats| EventPatch {
            max_capacity: Change::Set(seats),
            ..EventPatch::default()
        };
        assert!(event.patched(to(42), 42, NOW).is_ok());
        assert_eq!(
            event.patched(to(41), 42, NOW),
            Err(Refusal::CapacityBelowConfirmed { confirmed: 42 })
        );
    }

    #[test]
    fn the_sequence_rises_with_time_and_place_only() {
        let event = event_from(NOW);
        let retitled = EventPatch {
            title: Change::Set("Rust Night".to_owned()),
            ..EventPatch::default()
        };
        assert_eq!(event.patched(retitled, 0, NOW).unwrap().sequence, 0);
        let moved = event.patched(starting("2027-05-02T18:00"), 0, NOW).unwrap();
        assert_eq!(moved.sequence, 1);
        let elsewhere = EventPatch {
            location: Change::Set("xHain".to_owned()),
            ..EventPatch::default()
        };
        assert_eq!(moved.patched(elsewhere, 0, NOW).unwrap().sequence, 2);
    }
}
