//! What clients know of a system: the replicas of each surface, and what there is to read and to write.

use std::sync::Arc;

use crate::{
    balancer::{Balancer, Caller},
    part::Kind,
    system::{Event, System},
};

/// A system as its clients see it.
pub(crate) struct Target {
    pub(crate) api: Arc<Balancer>,
    /// `None` if there is no bridge.
    pub(crate) tools: Option<Arc<Balancer>>,
    /// `None` if there is no site.
    pub(crate) site: Option<Arc<Balancer>>,
    events: Vec<Event>,
}

impl Target {
    pub(crate) fn of_system(system: &System) -> Arc<Self> {
        let balancer = |kind| {
            let addresses: Vec<_> = system
                .addresses(kind)
                .map(|address| kind.at(address))
                .collect();
            (!addresses.is_empty()).then(|| Arc::new(Balancer::of(&addresses)))
        };
        Arc::new(Self {
            api: balancer(Kind::Gateway).unwrap_or_else(|| Arc::new(Balancer::of(&[]))),
            tools: balancer(Kind::Bridge),
            site: balancer(Kind::Site),
            events: system.events.clone(),
        })
    }

    /// What stands in front of the parts of this kind. Nothing does in front of cores.
    pub(crate) fn of(&self, kind: Kind) -> Option<&Arc<Balancer>> {
        match kind {
            Kind::Core => None,
            Kind::Gateway => Some(&self.api),
            Kind::Bridge => self.tools.as_ref(),
            Kind::Site => self.site.as_ref(),
        }
    }

    /// The event and the account of the call with this number.
    pub(crate) fn event(&self, number: u64) -> (usize, &Event) {
        let place = usize::try_from(number).unwrap_or_default() % self.events.len();
        (place, &self.events[place])
    }
}

/// Someone who calls all surfaces.
pub(crate) struct Callers {
    pub(crate) api: Caller,
    pub(crate) tools: Option<Caller>,
    pub(crate) site: Option<Caller>,
}

impl Callers {
    pub(crate) fn of(target: &Target) -> Self {
        Self {
            api: Caller::of(&target.api),
            tools: target.tools.as_ref().map(Caller::of),
            site: target.site.as_ref().map(Caller::of),
        }
    }
}
