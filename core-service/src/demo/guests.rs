//! The registrants of the demo's events, from `guests.json`: names by region, each with the local part of an address at
//! example.org, which receives no mail.

use std::collections::BTreeMap;

use domain::{
    entropy::Entropy,
    event::{CustomField, Event, FieldType},
    ids::RegistrationId,
    instant::Instant,
    registration::{Answer, CheckInCode, Party, Registration, Status},
};
use serde::Deserialize;

/// [`Guests`].
pub(super) const JSON: &str = include_str!("guests.json");

/// People arrive from ten minutes before an event starts until twenty minutes after.
const DOORS_OPEN_SECONDS: i64 = 10 * 60;
const ARRIVAL_SECONDS: u64 = 30 * 60;

/// An upper bound for numbers in answers, such as children or years.
const MAX_OF_ANYTHING: u64 = 9;

/// How many registrations an event has, by status.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Turnout {
    /// The region whose people are chosen first.
    guests: String,
    confirmed: usize,
    pub(super) pending: usize,
    waitlisted: usize,
    cancelled: usize,
    /// How many of the confirmed.
    checked_in: usize,
    /// Answers to questions that accept any text, by label.
    texts: BTreeMap<String, Vec<String>>,
}

/// A name and the part of an address before the `@`.
type Guest = (String, String);

/// All people, by region.
#[derive(Debug, Deserialize)]
pub(super) struct Guests(BTreeMap<String, Vec<Guest>>);

impl Guests {
    /// An event's registrations, made between its creation and its start or the present. `chance` chooses the people, `ids`
    /// makes the ids.
    pub(super) fn registrations(
        &self,
        event: &Event,
        turnout: &Turnout,
        now: Instant,
        chance: &Entropy,
        ids: &Entropy,
    ) -> Vec<Registration> {
        let statuses = turnout.statuses(chance);
        let guests = self.invited(&turnout.guests, chance);
        let moments = moments(event, statuses.len(), now, chance);
        let mut arriving = turnout.checked_in;
        let mut registrations = Vec::with_capacity(statuses.len());
        for (((seq, status), (name, local)), registered_at) in
            (1..).zip(statuses).zip(guests).zip(moments)
        {
            let is_here = status == Status::Confirmed && arriving > 0;
            arriving -= usize::from(is_here);
            registrations.push(Registration {
                id: RegistrationId::new(ids.uuid_v7(registered_at)),
                event_id: event.id,
                seq,
                name: name.clone(),
                email: format!("{local}@example.org"),
                status,
                confirmation: None,
                answers: turnout.answers(&event.custom_fields, chance),
                check_in_code: CheckInCode::generate(ids),
                is_added: false,
                party: Party::default(),
                arrived: i32::from(is_here),
                checked_in_at: is_here.then(|| arrival(event, chance)),
                checked_in_by: None,
                checked_in_by_name: None,
                refuses_reminders: false,
                registered_at,
                updated_at: registered_at,
            });
        }
        registrations
    }

    /// Each person once, those of `region` first, otherwise in random order.
    fn invited(&self, region: &str, chance: &Entropy) -> Vec<&Guest> {
        let people = self.0.iter();
        let mut guests: Vec<(bool, &Guest)> = people
            .flat_map(|(home, people)| people.iter().map(move |guest| (home != region, guest)))
            .collect();
        guests.sort_by_cached_key(|(is_foreign, _)| (*is_foreign, chance.below(u64::MAX)));
        guests.into_iter().map(|(_, guest)| guest).collect()
    }
}

impl Turnout {
    /// The statuses in the order of registering: the last ones wait, for approval or for a seat.
    fn statuses(&self, chance: &Entropy) -> Vec<Status> {
        let of = |status, count| std::iter::repeat_n(status, count);
        let mut statuses: Vec<Status> = of(Status::Confirmed, self.confirmed)
            .chain(of(Status::Cancelled, self.cancelled))
            .collect();
        statuses.sort_by_cached_key(|_| chance.below(u64::MAX));
        statuses.extend(of(Status::Pending, self.pending));
        statuses.extend(of(Status::Waitlisted, self.waitlisted));
        statuses
    }
}

impl Turnout {
    /// A person's answers: to all required questions and to most others.
    fn answers(&self, fields: &[CustomField], chance: &Entropy) -> Vec<Answer> {
        let answered = fields
            .iter()
            .filter(|field| field.required || chance.below(3) > 0);
        let answers = answered.map(|field| Answer {
            field_id: field.id.clone(),
            label: field.label.clone(),
            values: self.values(field, chance),
        });
        answers.filter(|answer| !answer.values.is_empty()).collect()
    }

    fn values(&self, field: &CustomField, chance: &Entropy) -> Vec<String> {
        match field.field_type {
            FieldType::Text => {
                let texts = self.texts.get(&field.label);
                let text = texts.and_then(|texts| one_of(texts, chance));
                text.cloned().into_iter().collect()
            }
            FieldType::Integer => vec![chance.below(MAX_OF_ANYTHING).to_string()],
            FieldType::Select => one_of(&field.options, chance)
                .cloned()
                .into_iter()
                .collect(),
            FieldType::MultiSelect => {
                let Some(first) = one_of(&field.options, chance) else {
                    return Vec::new();
                };
                let is_chosen = |option: &&String| *option == first || chance.below(3) == 0;
                field.options.iter().filter(is_chosen).cloned().collect()
            }
            FieldType::Checkbox => {
                let is_ticked = field.required || chance.below(4) == 0;
                vec![is_ticked.to_string()]
            }
        }
    }
}

fn one_of<'a>(choices: &'a [String], chance: &Entropy) -> Option<&'a String> {
    let index = usize::try_from(chance.below(choices.len() as u64)).ok()?;
    choices.get(index)
}

/// Times of registering, in order and at about equal intervals.
fn moments(
    event: &Event,
    count: usize,
    now: Instant,
    chance: &Entropy,
) -> impl Iterator<Item = Instant> {
    let first = event.created_at.micros();
    let last = now.min(event.schedule.start.at).micros();
    let parts = i64::try_from(count).unwrap_or(i64::MAX).saturating_add(1);
    let step = (last - first).max(0) / parts;
    (1..parts).map(move |part| {
        let late = chance.below(step.unsigned_abs()).cast_signed();
        Instant::from_micros(first + part * step + late)
    })
}

fn arrival(event: &Event, chance: &Entropy) -> Instant {
    let after = chance.below(ARRIVAL_SECONDS).cast_signed();
    event
        .schedule
        .start
        .at
        .plus_seconds(after - DOORS_OPEN_SECONDS)
}
