//! The time zones that forms offer. Core decides which ones there are.

use std::sync::LazyLock;

/// Names of places, and UTC; not the old names that say no place.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = jiff::tz::db().available();
    let is_place = |name: &str| {
        let (area, _) = name.split_once('/').unwrap_or_default();
        AREAS.contains(&area) || name == "UTC"
    };
    let mut names: Vec<String> = all
        .map(|name| name.as_str().to_owned())
        .filter(|name| is_place(name))
        .collect();
    names.sort_unstable();
    names
});

const AREAS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// Their names, in order.
pub(crate) fn names() -> &'static [String] {
    &NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cities_are_offered() {
        for name in ["Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC"] {
            assert!(names().iter().any(|one| one == name), "{name}");
        }
        assert!(names().iter().all(|name| !name.starts_with("Etc/")));
    }
}
