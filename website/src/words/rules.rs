//! Rules of the API as sentences for people. The API says them for programs.

#[cfg(test)]
mod every_rule;
mod sentences;

use super::capitalized;
use sentences::SENTENCES;

/// The sentence for a rule that is about no field of a form. What no sentence is known for keeps the API's words; no rule of ours does.
pub(crate) fn general(rule: &str) -> String {
    known(rule).unwrap_or_else(|| format!("{}.", capitalized(rule)))
}

/// The sentence for a rule, if there is one.
fn known(rule: &str) -> Option<String> {
    if let Some((date, rule)) = of_date(rule) {
        return Some(format!("On {date}: {}", general(rule)));
    }
    let sentence = SENTENCES.iter().find(|(start, _)| rule.starts_with(start));
    match sentence {
        Some((_, sentence)) => Some((*sentence).to_owned()),
        None if is_missing(rule) => Some("Please fill this in.".to_owned()),
        None => with_numbers(rule),
    }
}

/// What a later date of a series breaks, beginning with its field: `on 30 March 2027 start_date must …`, with a comma or without. The date
/// and the rule.
pub(crate) fn of_date(rule: &str) -> Option<(&str, &str)> {
    let why = rule.strip_prefix("must be \"this\", because ");
    let rule = why.unwrap_or(rule).strip_prefix("on ")?;
    let (year_ends, _) = rule.match_indices(' ').nth(2)?;
    let (date, rest) = rule.split_at_checked(year_ends)?;
    let (_, rule) = rest.trim_start().split_once(' ')?;
    Some((date.trim_end_matches(','), rule))
}

/// Whether a rule says that there is nothing.
pub(crate) fn is_missing(rule: &str) -> bool {
    const RULES: [&str; 7] = [
        "is required",
        "must not be null",
        "must not be empty",
        "must not be blank",
        "must have an answer",
        "must have at least 1 item",
        "must be true for",
    ];
    RULES.iter().any(|start| rule.starts_with(start)) || rule == "must be true"
}

/// Rules with numbers.
fn with_numbers(rule: &str) -> Option<String> {
    let numbers: Vec<&str> = rule
        .split(|sign: char| !sign.is_ascii_digit() && sign != '-')
        .filter(|part| part.chars().any(|sign| sign.is_ascii_digit()))
        .collect();
    of_kinds(rule)
        .or_else(|| of_lengths(rule, &numbers))
        .or_else(|| of_people(rule, &numbers))
        .or_else(|| of_files(rule, &numbers))
        .or_else(|| of_ranges(rule, &numbers))
}

/// What a file is that is no cover: `is a GIF file`.
fn of_kinds(rule: &str) -> Option<String> {
    let file = rule.strip_prefix("is an ");
    let (kind, _) = file
        .or_else(|| rule.strip_prefix("is a "))?
        .split_once(" file")?;
    let what = match kind {
        "HEIC" => "pictures and videos",
        "PDF" => "files",
        _ => "pictures",
    };
    Some(format!(
        "We don’t support {kind} {what}. Use JPEG, PNG or WebP."
    ))
}

/// How many there are.
fn there(count: &str) -> String {
    match count {
        "1" => "There is 1 now.".to_owned(),
        count => format!("There are {count} now."),
    }
}

/// How long texts and lists are.
fn of_lengths(rule: &str, numbers: &[&str]) -> Option<String> {
    let is_length = rule.contains("characters");
    let is_list = rule.contains(" item");
    Some(match numbers {
        [max] if rule.ends_with("characters long in total") => {
            format!("All answers together can have at most {max} characters.")
        }
        [min, max, has] if is_length => {
            format!("Use {min} to {max} characters. {}", there(has))
        }
        [max, has] if is_length && rule.contains("at most") => {
            format!("Use at most {max} characters. {}", there(has))
        }
        [min, has] if is_length => {
            format!("Use at least {min} characters. {}", there(has))
        }
        [max] if is_length => format!("Use at most {max} characters."),
        [max, has] if is_list && rule.contains("at most") => {
            format!("Use at most {max}. {}", there(has))
        }
        [min, _] if is_list => format!("Choose at least {min}."),
        [max, _] if rule.contains(" words, has ") => {
            format!("Search for at most {max} words.")
        }
        [max] if rule.starts_with("must leave at most ") => {
            format!("At most {max} dates can be added at once. Choose an earlier day.")
        }
        [min, max] if rule.starts_with("must name from ") => {
            format!("Choose from {min} to {max} events.")
        }
        _ => return None,
    })
}

/// How many people there are, and what a plan has for them.
fn of_people(rule: &str, numbers: &[&str]) -> Option<String> {
    Some(match numbers {
        [taken] if rule.contains("spots that are taken") => {
            format!("{taken} spots are taken already. Enter at least {taken}.")
        }
        [here] if rule.contains("people who are here") => {
            format!("{here} of you are here already. Choose at least {here}.")
        }
        [size] if rule.contains("the people of the registration") => {
            format!("You registered {size} people. Choose at most {size}.")
        }
        [max] if rule.ends_with("register others on their own") => {
            format!("At most {max} people can come with one registration. Others register on their own.")
        }
        [_, names, size] if rule.contains("of them, party_size must be") => {
            let ending = if *names == "1" { "" } else { "s" };
            format!("You gave {names} name{ending}: choose {size} people.")
        }
        [_] if rule.starts_with("must be fewer than the ") => {
            "Your plan’s active events are used up. An event that is over or cancelled no longer counts.".to_owned()
        }
        [_, left, needed] if rule.starts_with("must be fewer than the ") => {
            format!("Your plan has {left} more active events, and this needs {needed}.")
        }
        [limit, left, .., needed, proofs] if rule.contains("may mail ") => format!(
            "A new account can email {limit} people a day who didn’t register themselves. {left} are left today, and this needs {needed}. The limit ends when {proofs} people have registered themselves and confirmed, cancelled or changed it on their page, or when the operator trusts the account."
        ),
        _ => return None,
    })
}

/// How large files are.
fn of_files(rule: &str, numbers: &[&str]) -> Option<String> {
    Some(match numbers {
        [max] if rule.starts_with("must be at most ") && rule.ends_with("MB") => {
            format!("That picture is too large. Choose one of at most {max} MB.")
        }
        [bytes] if rule.ends_with(" bytes") => {
            let megabytes = bytes.parse::<u64>().unwrap_or_default() >> 20;
            format!(
                "That file is too large. Choose one of at most {} MB.",
                megabytes.max(1)
            )
        }
        [max] if rule.contains(" lines below the header") => {
            format!("At most {max} people can be added at once. Add them in parts.")
        }
        [max] if rule.ends_with("columns: remove those that Muster does not need") => {
            format!("At most {max} columns are possible. Remove those that aren’t needed.")
        }
        [width, height, min_width, min_height, _] if rule.contains(" pixels: send ") => {
            format!(
                "That picture has {width} by {height} pixels. Choose one of at least {min_width} by {min_height}, and at most 25 million."
            )
        }
        _ => return None,
    })
}

/// From where to where a number goes.
fn of_ranges(rule: &str, numbers: &[&str]) -> Option<String> {
    let begins = |start: &str| rule.starts_with(start);
    Some(match numbers {
        [min, max, _] if begins("must be from ") => {
            format!("Enter a number from {min} to {max}.")
        }
        [min, _] if begins("must be at least ") => format!("Enter at least {min}."),
        [max, _] if begins("must be at most ") => format!("Enter at most {max}."),
        [left] if begins("is not the one in the email") => match *left {
            "1" => "That code doesn’t match. 1 try left.".to_owned(),
            left => format!("That code doesn’t match. {left} tries left."),
        },
        _ => return None,
    })
}
