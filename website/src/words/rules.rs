//! Rules of the API as sentences for people. The API says them for programs.

use super::capitalized;

/// Rules that nothing else needs to be known of: how the API's words begin, and the sentence.
const SENTENCES: [(&str, &str); 55] = [
    (
        "must be \"this\", because more than 104 dates follow",
        "More than 104 dates follow. Change this one alone.",
    ),
    (
        "must be \"this\", because you are not a member",
        "You are not a member for all dates that follow. Change this one alone.",
    ),
    (
        "must be false: the operator",
        "The operator of this site has taken this event down, so copies can only be drafts.",
    ),
    (
        "must put the end at a time",
        "Clocks are put forward then and skip the time at which it would end. Choose another one.",
    ),
    (
        "must leave the end and the times of registration",
        "Enter a year from 1 to 9999.",
    ),
    (
        "must leave registration_opens",
        "By this start, registration would open after the event is over. Choose another one.",
    ),
    (
        "must be of an event that is not cancelled",
        "This event is cancelled.",
    ),
    (
        "must be of an event that has not ended",
        "This event is over.",
    ),
    (
        "must be of a published event",
        "This event isn’t published yet.",
    ),
    (
        "must be of a registration that is not",
        "This registration is cancelled.",
    ),
    (
        "cannot be changed so now",
        "This has changed. Look at it again.",
    ),
    ("must be an integer", "Enter a whole number."),
    ("must be a whole number", "Enter a whole number."),
    (
        "must be an email address",
        "Enter an email address, like ada@example.org.",
    ),
    (
        "must be one that is not registered",
        "This address is registered already.",
    ),
    (
        "must be the name of an IANA time zone",
        "Choose a time zone from the list.",
    ),
    ("must be an ISO 8601 date-time", "Enter a date and a time."),
    (
        "must not name a zone in brackets",
        "Enter a date and a time.",
    ),
    ("must have a time of day", "Enter the time of day, too."),
    ("must lie in the years", "Enter a year from 1 to 9999."),
    (
        "must be a time that clocks",
        "Clocks are put forward then and skip this time. Choose another one.",
    ),
    (
        "must be in the future",
        "This is in the past. Choose a later time.",
    ),
    (
        "must not be before start_date",
        "The end is before the start.",
    ),
    (
        "must not be before from",
        "The end date is before the start date.",
    ),
    ("must be a date or a date-time", "Enter a date."),
    ("must have an offset", "Enter a date."),
    (
        "must be unique among the event's labels",
        "Another question has the same words.",
    ),
    (
        "must be unique among the field's options",
        "This option is there twice.",
    ),
    ("must not come twice", "This is there twice."),
    ("must not have \"", "Choose each option once."),
    (
        "must have at least one item when",
        "Add at least one option.",
    ),
    (
        "must be empty unless",
        "Remove the options: this kind of answer has none.",
    ),
    ("must be one of its options", "Choose one of the options."),
    ("must be one of", "Choose one of the options."),
    ("must be at least one of those", "Choose at least one."),
    ("must have one value", "Choose one of the options."),
    ("must be true or false", "Choose one of the options."),
    ("must be text, integer", "Choose one of the options."),
    ("must be owner, organizer", "Choose a role."),
    ("must be approvals", "Choose one of the options."),
    ("must be a time from now", "Choose how long it works."),
    (
        "must be an account of yours",
        "Choose one of your accounts.",
    ),
    (
        "must be the name of the account",
        "This is not the name of the account.",
    ),
    (
        "must be your email address",
        "This isn’t your email address.",
    ),
    (
        "must have only the letters a to z",
        "Use only the letters a to z, digits and hyphens.",
    ),
    (
        "must not be a word of this site",
        "This one is reserved. Choose another one.",
    ),
    (
        "must be one that nobody else has",
        "This one is taken. Choose another one.",
    ),
    (
        "must not change more than",
        "You changed this three times within a year. Take an earlier one back, or wait.",
    ),
    (
        "must be a web address that begins",
        "Enter a web address that begins with https://.",
    ),
    ("must be the 8 digits", "Enter the 8 digits from the email."),
    (
        "needs a paid plan",
        "Needs a paid plan: without one you couldn’t see who asks.",
    ),
    (
        "needs to be a paid one",
        "Needs a paid plan: without one you couldn’t see who asks.",
    ),
    ("must have a letter", "Enter at least one letter or digit."),
    (
        "must not have control characters, line breaks",
        "Remove line breaks and invisible characters.",
    ),
    (
        "must not have control characters other",
        "Remove invisible characters.",
    ),
];

/// The sentence for a rule that is about no field of a form.
pub(crate) fn general(rule: &str) -> String {
    let known = SENTENCES.iter().find(|(start, _)| rule.starts_with(start));
    match known {
        Some((_, sentence)) => (*sentence).to_owned(),
        None => format!("{}.", capitalized(rule)),
    }
}
