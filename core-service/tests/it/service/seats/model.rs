//! The model: who stands where, with nothing in between.

use domain::registration::Status;

/// How long a seat is held, and how long a registration can be confirmed, in seconds.
const HELD: i64 = 30 * 60;
const CONFIRMABLE: i64 = 24 * 3_600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modelled {
    pub(super) person: u8,
    /// How many people it is for now.
    pub(super) size: i32,
    /// How many of them were checked in.
    pub(super) arrived: i32,
    pub(super) status: Status,
    pub(super) was_promoted: bool,
    /// Since when it awaits confirmation.
    pub(super) unconfirmed_since: Option<i64>,
    pub(super) holds_a_seat: bool,
}

/// How many people someone registers: one to three.
pub(super) fn size(person: u8) -> i32 {
    i32::from(person % 3) + 1
}

/// Who stands where, in the order of registering.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) max_capacity: i32,
    pub(super) requires_approval: bool,
    pub(super) confirm_by_email: bool,
    /// The present, in seconds.
    pub(super) now: i64,
    pub(super) registrations: Vec<Modelled>,
}

impl Model {
    /// The people of confirmed registrations.
    pub(super) fn seated(&self) -> i32 {
        let seated = self.registrations.iter();
        let seated = seated.filter(|one| one.status == Status::Confirmed);
        seated.map(|one| one.size).sum()
    }

    fn held(&self) -> i32 {
        let held = self.registrations.iter().filter(|one| one.holds_a_seat);
        held.map(|one| one.size).sum()
    }

    /// Where the next one stands: behind those who wait and fit, since they may wait although seats were held that are free now.
    pub(super) fn place(&self, size: i32) -> Status {
        let free = self.free();
        let waits = |one: &Modelled| one.status == Status::Waitlisted && one.size <= free;
        if size <= free && !self.registrations.iter().any(waits) {
            Status::Confirmed
        } else {
            Status::Waitlisted
        }
    }

    fn free(&self) -> i32 {
        self.max_capacity - self.seated() - self.held()
    }

    /// Nothing when the person is registered already.
    pub(super) fn register(&mut self, person: u8, by_owner: bool) -> Option<Status> {
        self.settle_before_registering();
        let is_there = |one: &Modelled| one.person == person && one.status != Status::Cancelled;
        if self.registrations.iter().any(is_there) {
            return None;
        }
        let size = size(person);
        let place = self.place(size);
        let confirms = self.confirm_by_email && !by_owner;
        let status = if confirms || self.requires_approval && !by_owner {
            Status::Pending
        } else {
            place
        };
        self.registrations.push(Modelled {
            person,
            size,
            arrived: 0,
            status,
            was_promoted: false,
            unconfirmed_since: confirms.then_some(self.now),
            holds_a_seat: confirms && !self.requires_approval && place == Status::Confirmed,
        });
        Some(status)
    }

    /// Gives each party on the waitlist seats that fits those that are free, in order.
    pub(super) fn promote(&mut self) {
        let mut free = self.free();
        for one in &mut self.registrations {
            if one.status == Status::Waitlisted && one.size <= free {
                free -= one.size;
                one.status = Status::Confirmed;
                one.was_promoted = true;
            }
        }
    }

    /// Registering settles first, also for someone who is there already.
    pub(super) fn settle_before_registering(&mut self) {
        if self.confirm_by_email || self.held() > 0 {
            self.settle();
        }
    }

    /// Lets what time ends end.
    pub(super) fn settle(&mut self) {
        for one in &mut self.registrations {
            let Some(since) = one.unconfirmed_since else {
                continue;
            };
            one.holds_a_seat &= self.now < since + HELD;
            if self.now >= since + CONFIRMABLE {
                one.status = Status::Cancelled;
                one.unconfirmed_since = None;
            }
        }
        self.promote();
    }

    /// Nothing, and no change, when the registration is cancelled.
    pub(super) fn confirm(&mut self, index: usize) -> Option<Status> {
        let before = self.registrations.clone();
        self.settle();
        let one = self.registrations[index];
        if one.status == Status::Cancelled {
            self.registrations = before;
            return None;
        }
        if one.unconfirmed_since.is_some() {
            let fits = self.seated() + one.size <= self.max_capacity;
            let keeps = one.holds_a_seat && fits;
            let place = if keeps {
                Status::Confirmed
            } else {
                self.place(one.size)
            };
            let after = &mut self.registrations[index];
            after.status = if self.requires_approval {
                Status::Pending
            } else {
                place
            };
            after.unconfirmed_since = None;
            after.holds_a_seat = false;
            self.promote();
        }
        Some(self.registrations[index].status)
    }

    pub(super) fn cancel(&mut self, index: usize) {
        let one = &mut self.registrations[index];
        one.status = Status::Cancelled;
        one.arrived = 0;
        one.unconfirmed_since = None;
        one.holds_a_seat = false;
        self.promote();
    }

    /// The attendee comes with this many people from now on. Nothing, and no change, when that is refused.
    pub(super) fn resize_party(&mut self, index: usize, size: i32) -> Option<Status> {
        let before = self.registrations.clone();
        self.settle();
        let one = &mut self.registrations[index];
        if one.status == Status::Cancelled || size > one.size || size < one.arrived {
            self.registrations = before;
            return None;
        }
        one.size = size;
        self.promote();
        Some(self.registrations[index].status)
    }
}
