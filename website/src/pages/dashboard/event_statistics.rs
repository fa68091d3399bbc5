//! The numbers of an event's last days, as small plots and a table.

use http_kit::Problem;
use muster_api::v1::{
    DayStatistics, EventStatistics, GetEventStatisticsRequest, MyEventDetail, ReferringHost,
    bindings::GetEventStatistics,
};

use crate::{caller::Caller, date::short_day};

/// Days in the plots: a month.
const DAYS: i32 = 30;

/// The size of a plot, in its own units.
const WIDTH: i64 = 300;
const HEIGHT: i64 = 48;

/// Hosts in the list.
const HOSTS: usize = 5;

/// The numbers of an event.
pub(super) struct ShownStatistics {
    pub(super) plots: Vec<Plot>,
    /// Days on which something happened.
    pub(super) rows: Vec<Row>,
    pub(super) hosts: Vec<ReferringHost>,
    pub(super) came_percent: Option<i32>,
}

/// A number for each day, as bars.
pub(super) struct Plot {
    /// `310 views`.
    pub(super) words: String,
    pub(super) bars: Vec<Bar>,
    /// `15 April`, and the last one.
    pub(super) first_day: String,
    pub(super) last_day: String,
}

/// A day of a plot.
pub(super) struct Bar {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
    /// `14 May: 25`.
    pub(super) title: String,
}

/// A day of the table.
pub(super) struct Row {
    pub(super) day: String,
    pub(super) views: i32,
    pub(super) registrations: i32,
}

/// The numbers of an event; `None` for a draft that nobody saw.
pub(super) async fn read(
    caller: &Caller,
    event: &MyEventDetail,
) -> Result<Option<ShownStatistics>, Problem> {
    let request = GetEventStatisticsRequest {
        id: event.id.clone(),
        days: Some(DAYS),
    };
    let found = caller.ask::<GetEventStatistics>(request).await?;
    let is_empty = found.views == 0 && found.registrations == 0;
    Ok((event.is_published || !is_empty).then(|| ShownStatistics::of(found)))
}

impl ShownStatistics {
    fn of(found: EventStatistics) -> Self {
        let day =
            |day: Option<&DayStatistics>| day.map_or_else(String::new, |day| short_day(&day.day));
        let plot = |total: i32, word: &str, number: fn(&DayStatistics) -> i32| {
            let plural = if total == 1 { "" } else { "s" };
            Plot {
                words: format!("{total} {word}{plural}"),
                bars: bars(&found.days, number),
                first_day: day(found.days.first()),
                last_day: day(found.days.last()),
            }
        };
        let happened = |day: &&DayStatistics| day.views > 0 || day.registrations > 0;
        let row = |day: &DayStatistics| Row {
            day: short_day(&day.day),
            views: day.views,
            registrations: day.registrations,
        };
        Self {
            plots: vec![
                plot(found.views, "view", |day| day.views),
                plot(found.registrations, "registration", |day| day.registrations),
            ],
            rows: found.days.iter().filter(happened).map(row).collect(),
            came_percent: found.came_percent,
            hosts: found.hosts.into_iter().take(HOSTS).collect(),
        }
    }
}

/// A bar for each day, the highest as high as the plot. What is not zero can be seen.
fn bars(days: &[DayStatistics], number: fn(&DayStatistics) -> i32) -> Vec<Bar> {
    let max = days.iter().map(number).max().unwrap_or(0).max(1);
    let count = i64::try_from(days.len()).unwrap_or(1).max(1);
    let step = WIDTH / count;
    let bar = |(index, day): (usize, &DayStatistics)| {
        let value = number(day);
        let min = i64::from(value > 0);
        let height = (i64::from(value) * HEIGHT / i64::from(max)).max(2 * min);
        Bar {
            x: i64::try_from(index).unwrap_or(0) * step,
            y: HEIGHT - height,
            width: (step - 2).max(1),
            height,
            title: format!("{}: {value}", short_day(&day.day)),
        }
    };
    days.iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_plot_and_no_number_is_invisible() {
        let day = |day: &str, views| DayStatistics {
            day: day.to_owned(),
            views,
            registrations: 0,
        };
        let days = [
            day("2030-05-01", 0),
            day("2030-05-02", 1),
            day("2030-05-03", 900),
        ];
        let bars = bars(&days, |day| day.views);
        let heights: Vec<i64> = bars.iter().map(|bar| bar.height).collect();
        assert_eq!(heights, [0, 2, HEIGHT]);
        assert_eq!(bars[1].title, "2 May: 1");
        assert!(bars.iter().all(|bar| bar.x + bar.width <= WIDTH));
    }
}
