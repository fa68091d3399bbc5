//! Date-times as clients write them. What is read is answered as RFC 3339, and that is read as the same time again.

use domain::{date_time::WrittenTime, zone::Zone};

use crate::{Target, bytes};

pub(crate) const TARGET: Target = Target {
    name: "date_times",
    seeds,
    words,
    run,
};

/// With odd offsets, days that clocks skip, and local mean time of seconds.
const ZONES: [&str; 9] = [
    "UTC",
    "Europe/Berlin",
    "Europe/Dublin",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Africa/Monrovia",
    "Australia/Lord_Howe",
    "America/Caracas",
];

fn run(input: &[u8]) {
    let Some((zone, text)) = bytes::choose(input, &ZONES) else {
        return;
    };
    let (zone, text) = (zone_of(zone), String::from_utf8_lossy(text));
    let Ok(time) = text
        .parse::<WrittenTime>()
        .and_then(|written| written.in_zone(&zone))
    else {
        return;
    };
    let answer = time.rfc3339();
    assert!(is_rfc3339(&answer), "{text:?} is answered as {answer}");
    let again = answer
        .parse::<WrittenTime>()
        .and_then(|written| written.in_zone(&zone));
    assert_eq!(again, Ok(time), "{text:?} is answered as {answer}");
    // Another reader sees the same moment; its years end a day before ours.
    if let Ok(moment) = answer.parse::<jiff::Timestamp>() {
        assert_eq!(moment.as_microsecond(), time.at.micros(), "{answer}");
    } else {
        assert!(
            answer.starts_with("9999-12-3"),
            "nobody else reads {answer}"
        );
    }
}

fn zone_of(name: &str) -> Zone {
    Zone::find(name).expect("the bundled database has it")
}

/// `2027-05-01T18:00:00`, perhaps a fraction, then `Z` or `+02:00`.
fn is_rfc3339(text: &str) -> bool {
    let digits = |text: &str, form: &str| {
        text.len() == form.len()
            && text
                .bytes()
                .zip(form.bytes())
                .all(|(byte, form)| match form {
                    b'0' => byte.is_ascii_digit(),
                    other => byte == other,
                })
    };
    let Some((time, rest)) = text.split_at_checked(19) else {
        return false;
    };
    let offset = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let fraction = &rest[..rest.len() - offset.len()];
    digits(time, "0000-00-00T00:00:00")
        && (fraction.is_empty() || (fraction.starts_with('.') && (2..=7).contains(&fraction.len())))
        && (offset == "Z" || digits(offset, "+00:00") || digits(offset, "-00:00"))
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "2030-05-14T19:00:00+02:00",
        "2027-05-01 18:00",
        "20270501T1800+0200",
        "2027-03-28T02:30",
        "2027-10-31T02:30:00.123456789",
        "0001-01-01T00:00Z",
        "9999-12-31T23:59:59.999999Z",
        "2027-05-01T18:00:00,5-00:00",
        "1880-01-01T00:00",
        "2011-12-30T12:00",
        "2027-05-01T18:00[Europe/Berlin]",
    ];
    let zones = 0_u8..9;
    zones
        .flat_map(|zone| texts.map(|text| bytes::joined(zone, &[text])))
        .collect()
}

fn words() -> Vec<String> {
    [
        "T",
        "Z",
        "+23:59",
        "-00:00",
        ".999999",
        "9999-12-31",
        "0001-01-01",
        "24:00",
        "[UTC]",
    ]
    .map(str::to_owned)
    .into()
}
