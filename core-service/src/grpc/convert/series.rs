//! Series of events.

use domain::event::{Dates, LeftOut, LeftOutReason, NewRepetition};
use muster_api::v1;

use crate::service::{Repeat, Repeated};

/// How an event is to be repeated.
pub(in crate::grpc) fn repeat(request: v1::RepeatEventRequest) -> Repeat {
    Repeat {
        is_public: request.is_public(),
        when: NewRepetition {
            every: request.every().to_owned(),
            interval: request.interval(),
            weekdays: request.weekdays,
            month_day: request.month_day,
            nth_weekday: request.nth_weekday,
            count: request.count,
            until: request.until.filter(|text| !text.is_empty()),
            except: request.except,
        },
    }
}

/// The events that one was repeated as.
pub(in crate::grpc) fn repeated(repeated: Repeated) -> v1::RepeatedEvents {
    let events = repeated.events.into_iter();
    let items = events.map(|event| v1::RepeatedEvent {
        id: event.id.to_string(),
        slug: event.slug,
        start_date: event.schedule.start.rfc3339(),
    });
    v1::RepeatedEvents {
        series_id: repeated.series.to_string(),
        items: items.collect(),
        left_out: left_out(repeated.left_out),
    }
}

/// When an event would be repeated.
pub(in crate::grpc) fn planned_dates(dates: Dates) -> v1::RepetitionPreview {
    let schedules = dates.schedules.iter();
    v1::RepetitionPreview {
        start_dates: schedules.map(|one| one.start.rfc3339()).collect(),
        left_out: left_out(dates.left_out),
        existing: i32::try_from(dates.existing).unwrap_or(i32::MAX),
    }
}

fn left_out(dates: Vec<LeftOut>) -> Vec<v1::LeftOutDate> {
    let shown = dates.into_iter().map(|LeftOut { date, reason }| {
        let reason = match reason {
            LeftOutReason::NoSuchDay => "NO_SUCH_DAY",
            LeftOutReason::SkippedTime => "SKIPPED_TIME",
            LeftOutReason::Exists => "EXISTS",
            LeftOutReason::NotInRule => "NOT_IN_RULE",
        };
        v1::LeftOutDate {
            date,
            reason: reason.to_owned(),
        }
    });
    shown.collect()
}
