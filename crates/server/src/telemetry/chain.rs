//! Errors with their causes, for the log.

use std::{error::Error, fmt};

/// An error and its sources as one text, for example `cannot read the file: no such file`. A source that its error quotes
/// already is not repeated.
pub fn chain(error: &dyn Error) -> impl fmt::Display {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let cause = source.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        next = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Failed {
        #[error("cannot read the settings")]
        Reading(#[source] std::io::Error),
        #[error("cannot start: {0}")]
        Starting(#[source] Box<Self>),
    }

    #[test]
    fn every_cause_is_named_once() {
        let reading = Failed::Reading(std::io::Error::other("no such file"));
        assert_eq!(
            chain(&reading).to_string(),
            "cannot read the settings: no such file"
        );
        let starting = Failed::Starting(Box::new(reading));
        assert_eq!(
            chain(&starting).to_string(),
            "cannot start: cannot read the settings: no such file"
        );
    }
}
