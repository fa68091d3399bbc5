//! The model: who stands where, with nothing in between.

use core_service::domain::registration::Status;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modelled {
    pub(super) person: u8,
    pub(super) status: Status,
    pub(super) was_promoted: bool,
}

/// Who stands where, in the order of registering.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) max_capacity: i32,
    pub(super) requires_approval: bool,
    pub(super) registrations: Vec<Modelled>,
}

impl Model {
    pub(super) fn count(&self, status: Status) -> i32 {
        let of_status = self.registrations.iter().filter(|one| one.status == status);
        i32::try_from(of_status.count()).unwrap()
    }

    pub(super) fn place(&self) -> Status {
        if self.count(Status::Confirmed) < self.max_capacity {
            Status::Confirmed
        } else {
            Status::Waitlisted
        }
    }

    /// Nothing when the person is registered already.
    pub(super) fn register(&mut self, person: u8, by_owner: bool) -> Option<Status> {
        let is_there = |one: &Modelled| one.person == person && one.status != Status::Cancelled;
        if self.registrations.iter().any(is_there) {
            return None;
        }
        let status = if self.requires_approval && !by_owner {
            Status::Pending
        } else {
            self.place()
        };
        self.registrations.push(Modelled {
            person,
            status,
            was_promoted: false,
        });
        Some(status)
    }

    pub(super) fn promote(&mut self) {
        while self.place() == Status::Confirmed {
            let mut waiting = self.registrations.iter_mut();
            let Some(next) = waiting.find(|one| one.status == Status::Waitlisted) else {
                return;
            };
            next.status = Status::Confirmed;
            next.was_promoted = true;
        }
    }
}
