//! How many registrations and people an event has.

use std::ops::{Add, Sub};

use super::{Confirmation, Registration, Status};

/// How many registrations an event has, by status; the row is also the event's mutex (docs/storage.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Registrations that hold seats.
    pub confirmed: i32,
    /// Registrations that await approval or confirmation.
    pub pending: i32,
    /// Those of them that await the attendee's confirmation.
    pub unconfirmed: i32,
    /// Those of the unconfirmed that hold seats until they are confirmed.
    pub held: i32,
    /// Registrations that wait for seats.
    pub waitlisted: i32,
    /// Registrations that were cancelled.
    pub cancelled: i32,
    /// Those that hold seats and were checked in.
    pub checked_in: i32,
    /// The people who come with them.
    pub companions: Companions,
}

/// The people of registrations beyond the first of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Companions {
    /// They have seats.
    pub confirmed: i32,
    /// Their registrations await approval or confirmation.
    pub pending: i32,
    /// Seats are held for them until the attendee confirms.
    pub held: i32,
    /// They wait for seats.
    pub waitlisted: i32,
    /// They were checked in.
    pub checked_in: i32,
}

impl Counters {
    /// All that are not cancelled. These get a mail when the event is cancelled.
    pub const fn active(self) -> i32 {
        self.confirmed + self.pending + self.waitlisted
    }

    /// The people of all that are not cancelled: `registration_count`.
    pub const fn people(self) -> i32 {
        let Companions {
            confirmed,
            pending,
            waitlisted,
            ..
        } = self.companions;
        self.active() + confirmed + pending + waitlisted
    }

    /// All, in any status: `registrations_total`.
    pub const fn total(self) -> i32 {
        self.active() + self.cancelled
    }

    /// Those with a status.
    pub const fn with(self, status: Status) -> i32 {
        match status {
            Status::Pending => self.pending,
            Status::Confirmed => self.confirmed,
            Status::Waitlisted => self.waitlisted,
            Status::Cancelled => self.cancelled,
        }
    }

    /// Registrations that await the organizer's approval.
    pub const fn awaiting_approval(self) -> i32 {
        self.pending - self.unconfirmed
    }

    /// People who have seats.
    pub const fn seated(self) -> i32 {
        self.confirmed + self.companions.confirmed
    }

    /// People who wait for seats.
    pub const fn waiting(self) -> i32 {
        self.waitlisted + self.companions.waitlisted
    }

    /// People who were checked in.
    pub const fn arrived(self) -> i32 {
        self.checked_in + self.companions.checked_in
    }

    /// Seats that are taken, or held for someone.
    pub const fn taken(self) -> i32 {
        self.seated() + self.held + self.companions.held
    }

    /// Seats that nobody has; none if the capacity was lowered below those that are held.
    pub fn free(self, max_capacity: i32) -> i32 {
        (max_capacity - self.taken()).max(0)
    }

    /// Seats that the next people who register can get. Whoever waits alone fits any free seat, so there is none while only such people
    /// wait. Larger parties that wait do not fit the seats that are free, or they would have them.
    pub fn seats_left(self, max_capacity: i32) -> i32 {
        if self.waitlisted > 0 && self.companions.waitlisted == 0 {
            0
        } else {
            self.free(max_capacity)
        }
    }

    /// The status of the next registration, of `size` people: nobody gets a seat before those on the waitlist whom it fits.
    pub fn place(self, max_capacity: i32, size: i32) -> Status {
        if size <= self.seats_left(max_capacity) {
            Status::Confirmed
        } else {
            Status::Waitlisted
        }
    }

    /// What one registration of `size` people adds, none of whom is checked in.
    pub fn of(status: Status, confirmation: Option<Confirmation>, size: i32) -> Self {
        let is_held = confirmation.is_some_and(|awaited| awaited.held_until.is_some());
        let ones = |counts: bool| i32::from(counts);
        let others = |counts: bool| ones(counts) * (size - 1);
        Self {
            confirmed: ones(status == Status::Confirmed),
            pending: ones(status == Status::Pending),
            unconfirmed: ones(confirmation.is_some()),
            held: ones(is_held),
            waitlisted: ones(status == Status::Waitlisted),
            cancelled: ones(status == Status::Cancelled),
            checked_in: 0,
            companions: Companions {
                confirmed: others(status == Status::Confirmed),
                pending: others(status == Status::Pending),
                held: others(is_held),
                waitlisted: others(status == Status::Waitlisted),
                checked_in: 0,
            },
        }
    }
}

impl Registration {
    /// What it adds to its event's counters.
    pub fn counted(&self) -> Counters {
        let counted = Counters::of(self.status, self.confirmation, self.party.size);
        Counters {
            checked_in: i32::from(self.checked_in_at.is_some()),
            companions: Companions {
                checked_in: (self.arrived - 1).max(0),
                ..counted.companions
            },
            ..counted
        }
    }
}

impl Add for Counters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            confirmed: self.confirmed + other.confirmed,
            pending: self.pending + other.pending,
            unconfirmed: self.unconfirmed + other.unconfirmed,
            held: self.held + other.held,
            waitlisted: self.waitlisted + other.waitlisted,
            cancelled: self.cancelled + other.cancelled,
            checked_in: self.checked_in + other.checked_in,
            companions: Companions {
                confirmed: self.companions.confirmed + other.companions.confirmed,
                pending: self.companions.pending + other.companions.pending,
                held: self.companions.held + other.companions.held,
                waitlisted: self.companions.waitlisted + other.companions.waitlisted,
                checked_in: self.companions.checked_in + other.companions.checked_in,
            },
        }
    }
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            confirmed: self.confirmed - other.confirmed,
            pending: self.pending - other.pending,
            unconfirmed: self.unconfirmed - other.unconfirmed,
            held: self.held - other.held,
            waitlisted: self.waitlisted - other.waitlisted,
            cancelled: self.cancelled - other.cancelled,
            checked_in: self.checked_in - other.checked_in,
            companions: Companions {
                confirmed: self.companions.confirmed - other.companions.confirmed,
                pending: self.companions.pending - other.companions.pending,
                held: self.companions.held - other.companions.held,
                waitlisted: self.companions.waitlisted - other.companions.waitlisted,
                checked_in: self.companions.checked_in - other.companions.checked_in,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::{
        Party,
        tests::{NOW, registration},
    };

    #[test]
    fn a_party_counts_once_and_takes_a_seat_for_each() {
        let mut party = registration(Status::Confirmed);
        party.party = Party::of(3);
        let counted = party.counted();
        assert_eq!((counted.confirmed, counted.seated()), (1, 3));
        assert_eq!((counted.active(), counted.people()), (1, 3));
        assert_eq!((counted.checked_in, counted.arrived()), (0, 0));
        party.checked_in_at = Some(NOW);
        party.arrived = 2;
        let counted = party.counted();
        assert_eq!((counted.checked_in, counted.arrived()), (1, 2));
        let held = Counters::of(Status::Pending, Some(Confirmation::begun(NOW, true)), 4);
        assert_eq!((held.held, held.taken(), held.seated()), (1, 4, 0));
    }

    #[test]
    fn a_small_party_gets_seats_that_a_larger_one_cannot_use() {
        let waiting = Counters::of(Status::Waitlisted, None, 3);
        let counters = Counters {
            confirmed: 8,
            ..waiting
        };
        assert_eq!(counters.seats_left(10), 2);
        assert_eq!(counters.place(10, 2), Status::Confirmed);
        assert_eq!(counters.place(10, 3), Status::Waitlisted);
        let alone = Counters::of(Status::Waitlisted, None, 1);
        assert_eq!(alone.seats_left(10), 0);
    }
}
