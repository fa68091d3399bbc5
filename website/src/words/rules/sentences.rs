//! The sentences for rules of which nothing else needs to be known.

/// How the API's words begin, and the sentence. The first that fits counts.
pub(super) const SENTENCES: [(&str, &str); 117] = [
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
        "By this start, registration would close before it opens. Choose another one.",
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
    (
        "is no picture",
        "This file isn’t a picture. Use JPEG, PNG or WebP.",
    ),
    (
        "is required with failed_until",
        "Enter the start of the period, too.",
    ),
    (
        "must be after failed_since",
        "The end has to be after the beginning. Choose a later one.",
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
    (
        "cannot be chosen: a ping",
        "A ping comes only when you send one. Leave it out.",
    ),
    (
        "must be left out: the event asks no questions",
        "This event asks no questions.",
    ),
    (
        "must be one that the event asks for",
        "The questions of this event have changed. Look at them again.",
    ),
    (
        "must be 1: each person registers alone",
        "Here each person registers on their own.",
    ),
    (
        "must be left out with every week",
        "A day of the month is for every month. Choose days of the week.",
    ),
    (
        "must be left out with month_day",
        "Choose a day of the month or of the week, not both.",
    ),
    (
        "must be one day with nth_weekday",
        "Choose one day of the week.",
    ),
    (
        "must be 1 to 4, or -1 for the last",
        "Choose the first to fourth, or the last.",
    ),
    (
        "needs nth_weekday with every month",
        "Choose which one of the month.",
    ),
    (
        "must be left out with count",
        "Enter a last day or a number of dates, not both.",
    ),
    (
        "must be after the event's date",
        "Choose a day after the event’s own.",
    ),
    ("must be a date that exists", "Enter a date."),
    (
        "must be before the event starts",
        "Registration has to open before the event starts. Choose an earlier time, or a later one to close.",
    ),
    (
        "must be before the event is over",
        "Registration has to open before the event is over. Choose an earlier time, or leave this empty.",
    ),
    (
        "must not be after the event is over",
        "Registration closes when the event is over at the latest. Choose an earlier time, or leave this empty.",
    ),
    (
        "must be before registration_closes",
        "Registration has to open before it closes. Choose an earlier time.",
    ),
    (
        "must be after registration_opens",
        "Registration has to close after it opens. Choose a later time.",
    ),
    (
        "must leave at least one date",
        "No date is left after the event and after today. Choose others.",
    ),
    (
        "must be after audience.registered_after",
        "The second day is before the first. Choose a later one.",
    ),
    (
        "must be the id of one of the event's questions",
        "Choose one of the event’s questions.",
    ),
    (
        "must be the id of a question with options",
        "Choose a question with options, or a checkbox.",
    ),
    (
        "must come alone: choose one of send_at",
        "Choose one time to send it.",
    ),
    (
        "must lead to a time in the future",
        "This time has passed. Choose a later one.",
    ),
    (
        "need party_size beside them",
        "Choose how many people come, too.",
    ),
    ("needs organizer", "Choose an organizer, too."),
    (
        "must be with organizer alone",
        "Past events are listed without other filters.",
    ),
    ("must be a series_id", "There is no such series."),
    (
        "must be the next_cursor",
        "This part of the list has changed. Begin again at its first page.",
    ),
    ("must be active, past or all", "Choose one of the options."),
    ("must be Pending or", "Choose one of the options."),
    ("must be publish, update", "Choose one of the options."),
    ("must be v1 or v1a", "Choose one of the options."),
    (
        "must not name \"",
        "This can’t be changed here. Reload the page and try again.",
    ),
    (
        "must name none but",
        "This can’t be changed here. Reload the page and try again.",
    ),
    ("must name messages", "Choose at least one message."),
    ("must be the id of a message", "There is no such message."),
    (
        "must be a date-time with an offset",
        "Enter a date and a time.",
    ),
    (
        "must be empty for all events",
        "Choose all events, or some of them.",
    ),
    ("must name at least one event", "Choose at least one event."),
    (
        "must be events of this account",
        "Choose among the events of this account.",
    ),
    (
        "must be all events: an owner",
        "An owner is always there for all events.",
    ),
    (
        "must be of an event that takes registrations now",
        "Registration isn’t open now.",
    ),
    (
        "must be the present one",
        "This has changed. Look at it again.",
    ),
    ("must be a code of ", "This ticket is from another site."),
    (
        "must be text in UTF-8",
        "This file isn’t text. Save the spreadsheet as CSV first.",
    ),
    (
        "must have a line with the names of the columns",
        "Put the names of the columns into the first line, and one person into each line below.",
    ),
    (
        "must have a column with email addresses",
        "No column has email addresses. Name one “Email” in the first line.",
    ),
    (
        "must have a column with names",
        "No column has names. Name one “Name” in the first line.",
    ),
    (
        "must be a URL such as",
        "Enter a web address that begins with https://.",
    ),
    (
        "must be left out: this site posts nothing",
        "This site sends nothing to web addresses. Leave this empty.",
    ),
    (
        "cannot be used: its URL must begin with",
        "Enter a web address that begins with https://, without a user name and a password.",
    ),
    (
        "cannot be used: its host has no public",
        "This address isn’t public. Choose another one.",
    ),
    (
        "cannot be used",
        "This web address can’t be used. Choose another one.",
    ),
    (
        "is damaged: save the picture again",
        "This picture is damaged. Save it again, then choose it.",
    ),
    (
        "must be 1 to 255 visible ASCII",
        "Reload the page and send the form again.",
    ),
    (
        "must be sent at most once",
        "Reload the page and send the form again.",
    ),
    (
        "the daily mails of the",
        "Your plan doesn’t have enough emails left for today. Add fewer people, or try again tomorrow.",
    ),
    ("must be of the type", "Choose a file of another kind."),
    ("must be left out", "Leave this empty."),
];
