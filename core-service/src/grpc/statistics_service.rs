//! Numbers about the caller's events.

use domain::statistics::DayNumbers;
use muster_api::v1::{
    DayStatistics, EventStatistics, GetEventStatisticsRequest, ReferringHost,
    services::StatisticsHandlers,
};

use super::{
    Api,
    frame::{Authenticated, CoreFrame},
    request::event_id,
};
use crate::service::{self, Error};

impl StatisticsHandlers<CoreFrame> for Api {
    async fn get_event_statistics(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: GetEventStatisticsRequest,
    ) -> Result<EventStatistics, Error> {
        let id = event_id(&request.id)?;
        let found = self.statistics.of_event(&principal, id, request.days());
        found.await.map(shown)
    }
}

fn shown(found: service::EventStatistics) -> EventStatistics {
    let day = |one: &DayNumbers| DayStatistics {
        day: one.day.to_string(),
        views: number(one.views),
        registrations: number(one.registrations),
    };
    let host = |(host, views): (String, i64)| ReferringHost {
        host: Some(host).filter(|host| !host.is_empty()),
        views: number(views),
    };
    EventStatistics {
        views: number(found.days.iter().map(|one| one.views).sum()),
        registrations: number(found.days.iter().map(|one| one.registrations).sum()),
        came_percent: found.came_percent,
        days: found.days.iter().map(day).collect(),
        hosts: found.hosts.into_iter().map(host).collect(),
    }
}

fn number(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
