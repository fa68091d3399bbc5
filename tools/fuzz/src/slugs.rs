//! Slugs of titles. Each can be looked up, reads well, and as a title gives itself.

use domain::{entropy::Entropy, slug};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "slugs",
    seeds,
    words,
    run,
};

fn run(input: &[u8]) {
    let title = String::from_utf8_lossy(input);
    let plain = slug::from_title(&title);
    check(&title, &plain);
    assert_eq!(
        slug::from_title(&plain),
        plain,
        "{title:?} has no lasting slug"
    );
    check(
        &title,
        &slug::from_title_with_suffix(&title, &Entropy::seeded(7)),
    );
    // What clients ask for is compared with slugs, so nothing else may look like one.
    if slug::is_possible(&title) {
        assert!(is_slug(&title), "{title:?} is looked up");
    }
}

fn check(title: &str, slug: &str) {
    let reads_well = !slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--");
    assert!(
        slug::is_possible(slug) && is_slug(slug) && reads_well,
        "{title:?} has the slug {slug:?}"
    );
}

fn is_slug(text: &str) -> bool {
    let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().count() <= slug::MAX_CHARACTERS && text.chars().all(is_kept)
}

fn seeds() -> Vec<Vec<u8>> {
    let seeds = [
        "Rust Meetup Berlin",
        "Anna’s & Bob's  Wedding!!",
        "東京ナイト 2027",
        "مهرجان",
        "\u{202e}\u{200b}🎉",
        "incomprehensible incomprehensible incomprehensible incomprehensible incomprehensible",
    ];
    seeds.map(|title| title.as_bytes().to_vec()).into()
}

fn words() -> Vec<String> {
    [
        "'",
        "-",
        "\u{2019}",
        "\u{df}",
        "\u{1f389}",
        "\u{32ff}",
        "  ",
    ]
    .map(str::to_owned)
    .into()
}
