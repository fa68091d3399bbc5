//! How many people of a registration are here.

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

/// The same with the names of the others. Nobody says which of them are here.
pub(crate) fn all_of(arrived: i32, size: i32, companions: &[String]) -> Option<String> {
    let here = here(arrived, size)?;
    let names = companions.join(", ");
    Some(match arrived {
        _ if names.is_empty() => here,
        0 => format!("{here}, with {names}"),
        _ if arrived == size => format!("{here}, with {names}"),
        _ => format!("{here}. Registered with {names}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_door_reads_how_many_are_here() {
        assert_eq!(here(1, 1), None);
        assert_eq!(here(2, 3).as_deref(), Some("2 of 3 are here"));
        assert_eq!(here(3, 3).as_deref(), Some("All 3 are here"));
        let others = ["Bo".to_owned(), "Cy".to_owned()];
        let words = |arrived| all_of(arrived, 3, &others).unwrap();
        assert_eq!(words(0), "3 people, with Bo, Cy");
        assert_eq!(words(2), "2 of 3 are here. Registered with Bo, Cy");
        assert_eq!(words(3), "All 3 are here, with Bo, Cy");
        assert_eq!(all_of(2, 3, &[]).as_deref(), Some("2 of 3 are here"));
    }
}
