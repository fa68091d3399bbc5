//! For which events someone is a member, in words.

use muster_api::internal::v1::{MemberEvent, ReceivedInvitation};

/// Events of a member that a list names. The page of the member has all.
const MAX_NAMED: usize = 3;

/// `Rust Meetup, Picnic and 3 more`.
pub(crate) fn named(events: &[MemberEvent]) -> String {
    let titles = events.iter().take(MAX_NAMED).map(|event| &*event.title);
    joined(titles, events.len())
}

/// The same for an invitation.
pub(crate) fn invited(one: &ReceivedInvitation) -> String {
    let count = usize::try_from(one.event_count).unwrap_or_default();
    joined(one.event_titles.iter().map(String::as_str), count)
}

fn joined<'t>(titles: impl Iterator<Item = &'t str>, count: usize) -> String {
    let mut parts: Vec<String> = titles.map(str::to_owned).collect();
    let others = count.saturating_sub(parts.len());
    if others > 0 {
        parts.push(format!("{others} more"));
    }
    match parts.pop() {
        None => "no event any more".to_owned(),
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_events_are_named_and_the_others_counted() {
        let events: Vec<MemberEvent> = ["A", "B", "C", "D", "E"]
            .into_iter()
            .map(|title| MemberEvent {
                title: title.to_owned(),
                ..MemberEvent::default()
            })
            .collect();
        for (count, words) in [
            (0, "no event any more"),
            (1, "A"),
            (2, "A and B"),
            (3, "A, B and C"),
            (5, "A, B, C and 2 more"),
        ] {
            assert_eq!(named(&events[..count]), words);
        }
    }
}
