//! How many people of a registration are here.

use crate::form::Form;

/// How many of a party are here, as the door says; what is no number is one that core refuses.
pub(crate) fn people(form: &Form) -> Option<i32> {
    let text = form.value("people")?;
    Some(text.parse().unwrap_or(0))
}

/// How many of a party are here, in words, if it is one.
pub(crate) fn here(arrived: i32, size: i32) -> Option<String> {
    match (arrived, size) {
        (_, 1) => None,
        (0, size) => Some(format!("{size} people")),
        (arrived, size) if arrived == size => Some(format!("All {size} are here")),
        (1, size) => Some(format!("1 of {size} is here")),
        (arrived, size) => Some(format!("{arrived} of {size} are here")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_door_reads_how_many_are_here() {
        assert_eq!(here(1, 1), None);
        assert_eq!(here(2, 3).as_deref(), Some("2 of 3 are here"));
        assert_eq!(here(3, 3).as_deref(), Some("All 3 are here"));
    }
}
