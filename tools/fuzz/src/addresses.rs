//! Email addresses. What the API accepts is an address, and mail can be sent to it and to nobody else.

use core_service::email::Mail;
use domain::email::{Email, in_ascii, normalised, readable};

use crate::{
    Target,
    mail::{Postbox, check},
};

pub(crate) const TARGET: Target = Target {
    name: "addresses",
    seeds,
    words,
    run,
};

thread_local! {
    static POSTBOX: Postbox = Postbox::new();
}

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let Ok(email) = text.parse::<Email>() else {
        return;
    };
    let stored = email.as_str();
    assert_eq!(
        stored,
        in_ascii(text),
        "an address is stored as browsers send it"
    );
    if text.is_ascii() {
        assert_eq!(stored, text, "an address is stored as it is given");
    }
    assert!(
        stored.is_ascii() && stored.matches('@').count() == 1 && stored.len() <= 254,
        "{stored:?}"
    );
    let compared = normalised(stored);
    assert!(
        compared.parse::<Email>().is_ok(),
        "{stored:?} is compared as {compared:?}"
    );
    assert_eq!(normalised(&compared), compared);
    let shown = readable(stored);
    assert_eq!(
        normalised(&in_ascii(&shown)),
        compared,
        "the address that people read, {shown:?}, is another one"
    );
    let letter = Mail {
        key: "test_mail.fuzz".to_owned(),
        host: "muster.example".to_owned(),
        name: None,
        address: stored.to_owned(),
        reply_to: None,
        subject: "Test".to_owned(),
        text: "Test\n".to_owned(),
        html: "<p>Test</p>\n".to_owned(),
        stop: None,
        ticket_image: None,
        calendar: None,
    };
    let source = POSTBOX.with(|postbox| postbox.sent(&letter));
    check(&letter, &source);
}

fn seeds() -> Vec<Vec<u8>> {
    let long = format!("{}@{}.example", "a".repeat(64), "b".repeat(63));
    let seeds = [
        "grace@example.org",
        "Ada.Lovelace+events@Example.ORG",
        "!#$%&'*+/=?^_`{|}~-@example.org",
        "a@b",
        "a@127.0.0.1",
        "a@xn--bcher-kva.example",
        "a@bücher.example",
        "a@BÜCHER。example",
        "ada@@example.org",
        ".ada@example.org",
        "ada.@example.org",
        "ada..lovelace@example.org",
        "Ada <ada@example.org>",
        "ada@example.org\r\nBcc: eve@example.org",
        &long,
    ];
    seeds.map(|text| text.as_bytes().to_vec()).into()
}

fn words() -> Vec<String> {
    [
        "@",
        "..",
        ".@",
        "@.",
        "-.",
        "example.org",
        "\"",
        "[127.0.0.1]",
        ",",
        "\u{130}",
        "xn--",
        "ß",
        "。",
    ]
    .map(str::to_owned)
    .into()
}
