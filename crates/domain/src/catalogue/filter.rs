//! What a search of the catalogue looks for.

use super::{
    Starts,
    search_words::{self, Term},
};
use crate::{
    ids::{AccountId, SeriesId},
    violation::{FieldViolation, Violations},
};

/// Words of one search. Each is a look-up in the index.
const MAX_WORDS: usize = 20;

/// The texts of a search, as they were sent. An empty one is the same as none, since forms send empty fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilterTexts<'t> {
    /// The words.
    pub q: Option<&'t str>,
    /// The city.
    pub city: Option<&'t str>,
    /// The first start.
    pub from: Option<&'t str>,
    /// The end of the starts.
    pub to: Option<&'t str>,
    /// Whether events that are going on are found as well, if `from` is not later than now.
    pub running: bool,
    /// The handle of the organizer.
    pub organizer: Option<&'t str>,
    /// Whether the organizer's events are asked for that are over.
    pub past: bool,
    /// The id of the series.
    pub series: Option<&'t str>,
}

impl<'t> FilterTexts<'t> {
    /// The handle of the organizer, if one is looked for.
    pub fn organizer(self) -> Option<&'t str> {
        given(self.organizer)
    }

    /// The handle of the organizer whose past events are asked for; `None` if they are not.
    pub fn past_of(self) -> Result<Option<&'t str>, Vec<FieldViolation>> {
        if !self.past {
            return Ok(None);
        }
        let others = [self.q, self.city, self.from, self.to, self.series];
        let mut violations = Violations::default();
        if self.organizer().is_none() {
            violations.add("past", "needs organizer");
        } else if self.running || others.into_iter().any(|text| given(text).is_some()) {
            violations.add("past", "must be with organizer alone");
        }
        violations.unless_any(Some(self.organizer()))
    }
}

/// Which events of the catalogue to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueFilter {
    /// All of these occur.
    pub terms: Vec<Term>,
    /// The folded name of the city.
    pub city: Option<String>,
    /// When they start.
    pub starts: Starts,
    /// Whether events are found as well that began before `starts` and are going on, at a time that is within it.
    pub running: bool,
    /// The account that organizes them.
    pub organizer: Option<AccountId>,
    /// The series that they are dates of.
    pub series: Option<SeriesId>,
}

impl CatalogueFilter {
    /// Reads a search of upcoming events, without its organizer; `None` if it looks for nothing else in particular.
    pub fn read(texts: FilterTexts) -> Result<Option<Self>, Vec<FieldViolation>> {
        let FilterTexts {
            q,
            city,
            from,
            to,
            running,
            series,
            ..
        } = texts;
        let [q, city, from, to, series] = [q, city, from, to, series].map(given);
        if [q, city, from, to, series].iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut violations = Violations::default();
        let filter = Self {
            terms: q.map_or_else(Vec::new, |q| read_words(q, &mut violations)),
            city: city.and_then(|city| read_city(city, &mut violations)),
            starts: Starts::read(from, to, &mut violations),
            running,
            organizer: None,
            series: series.and_then(|id| read_series(id, &mut violations)),
        };
        violations.unless_any(Some(Some(filter)))
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

const NO_LETTER: &str = "must have a letter or a digit";

fn read_words(q: &str, violations: &mut Violations) -> Vec<Term> {
    let (count, terms) = search_words::searched(q);
    if count == 0 {
        violations.add("q", NO_LETTER);
    }
    if count > MAX_WORDS {
        let message = format!("must have at most {MAX_WORDS} words, has {count}");
        violations.add("q", message);
    }
    terms
}

fn read_city(city: &str, violations: &mut Violations) -> Option<String> {
    let name = search_words::name(city);
    if name.is_none() {
        violations.add("city", NO_LETTER);
    }
    name
}

/// Reads the id of a series.
pub fn read_series(id: &str, violations: &mut Violations) -> Option<SeriesId> {
    let series = id.parse().ok();
    if series.is_none() {
        violations.add("series", "must be a series_id");
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blamed(texts: FilterTexts) -> Vec<String> {
        let violations = CatalogueFilter::read(texts).unwrap_err();
        violations.into_iter().map(|one| one.field).collect()
    }

    #[test]
    fn empty_fields_of_a_form_look_for_nothing() {
        let empty = FilterTexts {
            q: Some(""),
            city: Some(" "),
            from: Some(""),
            organizer: Some(" "),
            ..FilterTexts::default()
        };
        assert_eq!(CatalogueFilter::read(empty), Ok(None));
        assert_eq!(empty.organizer(), None);
        assert_eq!(CatalogueFilter::read(FilterTexts::default()), Ok(None));
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let wrong = FilterTexts {
            q: Some("🎉 !"),
            city: Some("—"),
            from: Some("soon"),
            to: Some("later"),
            running: true,
            ..FilterTexts::default()
        };
        assert_eq!(blamed(wrong), ["q", "city", "from", "to"]);
    }

    #[test]
    fn past_events_are_those_of_one_organizer() {
        let past = FilterTexts {
            organizer: Some("rust-berlin"),
            past: true,
            ..FilterTexts::default()
        };
        assert_eq!(past.past_of(), Ok(Some("rust-berlin")));
        let upcoming = FilterTexts {
            past: false,
            ..past
        };
        assert_eq!(upcoming.past_of(), Ok(None));
        for wrong in [
            FilterTexts {
                organizer: Some(""),
                ..past
            },
            FilterTexts {
                q: Some("rust"),
                ..past
            },
            FilterTexts {
                running: true,
                ..past
            },
        ] {
            assert_eq!(wrong.past_of().unwrap_err()[0].field, "past");
        }
    }

    #[test]
    fn a_search_has_at_most_20_words() {
        let q = "w ".repeat(MAX_WORDS);
        let texts = |q| FilterTexts {
            q: Some(q),
            ..FilterTexts::default()
        };
        let filter = CatalogueFilter::read(texts(&q)).unwrap().unwrap();
        assert_eq!(filter.terms.len(), MAX_WORDS);
        assert_eq!(blamed(texts(&format!("{q} w"))), ["q"]);
    }
}
