//! The drawing as a whole: what goes in and what can be seen in the SVG and the PNG.

mod motifs;

use proptest::prelude::*;

use super::{CoverRequest, draw, etag, poster::compose};

fn request(title: &str) -> CoverRequest {
    CoverRequest {
        title: title.to_owned(),
        subtitle: vec!["Fri 14 March 2026 · 20:00".to_owned(), "Lisbon".to_owned()],
        words: "quarterly gathering".to_owned(),
        variant: 0,
        has_text: true,
    }
}

fn svg(title: &str) -> String {
    compose(&request(title)).svg
}

/// The lines of text of an SVG from top to bottom, as they are seen from left to right: markup unescaped, overrides dropped (so
/// that the letters of each Arabic or Hebrew piece are in the order in which they are read).
fn lines(svg: &str) -> Vec<String> {
    let texts = svg.lines().filter_map(|line| {
        line.strip_prefix("<text x=\"")?
            .strip_suffix("</text>")?
            .split_once('>')
    });
    let mut lines: Vec<(String, String)> = Vec::new();
    for (attributes, text) in texts {
        let y = attributes.split('"').nth(2).expect("a baseline").to_owned();
        let text = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&amp;", "&");
        let text = text
            .replace(['\u{202e}', '\u{202c}'], "")
            .replace('\u{a0}', " ");
        match lines.last_mut() {
            Some((above, line)) if *above == y => line.push_str(&text),
            _ => lines.push((y, text)),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The lines of a title as one.
fn title(title: &str) -> String {
    let mut lines = lines(&svg(title));
    lines.truncate(lines.len() - 2);
    lines.join(" ")
}

/// The size of a line of text, in pixels.
fn size_of(svg: &str, line: usize) -> f64 {
    let sizes = svg.split("font-size=\"").skip(1);
    let size = sizes.map(|rest| rest.split('"').next().unwrap_or_default());
    size.clone()
        .nth(line)
        .expect("a line")
        .parse()
        .expect("a size")
}

/// Width and height of a PNG, from its header.
fn size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    (number(16), number(20))
}

#[test]
fn a_cover_is_a_png_of_the_size_that_social_previews_want() {
    let png = draw(&request("Jazz under the Stars")).expect("a cover");
    assert_eq!(size(&png), (1200, 630));
    assert!(png.len() < 150_000, "{} bytes", png.len());
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let request = request("Berlin 🎉 ורשה 東京");
    assert_eq!(
        draw(&request).expect("a cover"),
        draw(&request).expect("a cover")
    );
}

/// Guards against a drawing that changes unnoticed: a change that is meant raises `DRAWING_VERSION` with this.
#[test]
fn the_drawing_is_the_one_of_this_version() {
    insta::assert_snapshot!(svg("Jazz under the Stars"));
}

#[test]
fn case_and_spacing_of_the_words_make_no_difference_but_other_words_do() {
    let mut other = request("Jazz");
    other.words = "  QUARTERLY   Gathering ".to_owned();
    assert_eq!(compose(&other).svg, svg("Jazz"));
    other.words = "rock concert".to_owned();
    assert_ne!(compose(&other).svg, svg("Jazz"));
}

#[test]
fn the_entity_tag_tells_every_field_apart() {
    let first = request("Jazz");
    let mut tags = vec![etag(&first)];
    tags.push(etag(&CoverRequest {
        title: "Jazz!".to_owned(),
        ..first.clone()
    }));
    tags.push(etag(&CoverRequest {
        words: "jazz concerts".to_owned(),
        ..first.clone()
    }));
    tags.push(etag(&CoverRequest {
        subtitle: vec!["Fri 14 March 2026 · 20:00Lisbon".to_owned()],
        ..first.clone()
    }));
    tags.push(etag(&CoverRequest {
        subtitle: Vec::new(),
        ..first.clone()
    }));
    tags.push(etag(&CoverRequest {
        variant: 1,
        ..first.clone()
    }));
    tags.push(etag(&CoverRequest {
        has_text: false,
        ..first.clone()
    }));
    assert_eq!(etag(&first), tags[0]);
    assert!(tags.iter().all(|tag| tag.len() == 32));
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 7);
}

#[test]
fn markup_in_a_title_is_shown_as_it_was_typed() {
    let title = "</text><script>alert(\"1\")</script> & <b>bold</b> ]]>";
    let svg = svg(title);
    assert!(!svg.contains("<script") && !svg.contains("<b>"));
    assert_eq!(
        super::tests::title(title).replace(' ', ""),
        title.replace(' ', "")
    );
    draw(&request(title)).expect("well-formed");
}

#[test]
fn a_title_of_200_latin_characters_is_whole() {
    let long = "all of these words are there ".repeat(7);
    let long = long[..200].trim();
    assert_eq!(title(long), long);
}

#[test]
fn a_title_that_cannot_fit_ends_in_an_ellipsis() {
    let shown = title(&"🦀".repeat(200));
    assert!(shown.ends_with('…'), "{shown}");
}

#[test]
fn a_title_from_right_to_left_stands_at_the_right_edge_and_the_picture_at_the_left() {
    let svg = svg("ערב שירה");
    assert!(svg.contains("matrix(-1 0 0 1 1200 0)"));
    let line = svg
        .lines()
        .find(|line| line.contains("MusterHebrew"))
        .expect("a line in the Hebrew font");
    let x: f64 = line
        .split('"')
        .nth(1)
        .expect("an x")
        .parse()
        .expect("a number");
    assert!(x > 500.0, "{line}");
}

#[test]
fn in_a_title_from_right_to_left_numbers_and_latin_words_keep_their_own_direction() {
    let svg = svg("סדנה של 2026 חינם לכולם, כולל Rust ו-SQL");
    let title = lines(&svg);
    // Seen from left to right the number comes first, since it is read last; its digits stand as they do everywhere.
    assert_eq!(title[0], "2026סדנה של ");
    let seen = ["SQL", "Rust", "כולל"].map(|word| title[2].find(word));
    assert!(seen.is_sorted() && seen[0].is_some(), "{:?}", title[2]);
}

#[test]
fn every_character_is_in_a_font_that_has_it() {
    for (title, family) in [
        ("Ночь музеев", "MusterSans"),
        ("مهرجان", "MusterArabic"),
        ("ערב שירה", "MusterHebrew"),
        ("東京の夏祭り", "MusterEastAsian"),
        ("서울", "MusterEastAsian"),
        ("दिल्ली", "MusterDevanagari"),
        ("เทศกาล", "MusterThai"),
        ("🎉👩🏽‍💻🇫🇷❤️", "MusterEmoji"),
    ] {
        let families: Vec<&str> = compose(&request(title))
            .fonts
            .iter()
            .map(|font| font.family)
            .collect();
        assert!(families.contains(&family), "{title}: {families:?}");
        assert_eq!(
            super::tests::title(title).replace(' ', ""),
            title.replace(' ', "")
        );
    }
}

#[test]
fn what_no_font_has_is_romanised_or_left_out() {
    assert_eq!(title("ᏣᎳᎩ 𝓗𝓮𝓵𝓵𝓸 \u{e000}").to_lowercase(), "tsalagi hello");
    assert_eq!(
        lines(&svg("\u{e000}\u{e001}\u{e002}")),
        ["Fri 14 March 2026 · 20:00", "Lisbon"]
    );
}

#[test]
fn control_characters_and_direction_marks_do_not_reach_the_drawing() {
    assert_eq!(
        title("Jazz\u{202e} night\u{0}\n\u{7}now\u{feff}"),
        "Jazz night now"
    );
}

#[test]
fn east_asian_titles_break_between_words() {
    assert_eq!(
        lines(&svg("서울 인디 음악 페스티벌"))[..2],
        ["서울 인디", "음악 페스티벌"]
    );
    assert_eq!(
        lines(&svg("東京の夏祭り：花火と音楽の夜、そして屋台めぐり"))[..3],
        ["東京の夏祭り：", "花火と音楽の夜、", "そして屋台めぐり"]
    );
}

#[test]
fn a_long_word_is_broken_with_hyphens_rather_than_set_small() {
    let word = "Donaudampfschifffahrtsgesellschaftskapitänspatent";
    let svg = svg(word);
    let lines = lines(&svg);
    let title = &lines[..lines.len() - 2];
    assert_eq!(title.concat().replace('-', ""), word);
    let (last, others) = title.split_last().unwrap();
    assert!(!last.ends_with('-') && !others.is_empty(), "{title:?}");
    assert!(others.iter().all(|line| line.ends_with('-')), "{title:?}");
    assert!(size_of(&svg, 0) >= 50.0, "{svg}");
    // What is no word has no hyphens of ours.
    let address = "https://example.org/one/very_long_name_without_spaces/";
    assert_eq!(super::tests::title(address).replace(' ', ""), address);
}

#[test]
fn titles_in_scripts_without_spaces_are_larger_than_the_date() {
    for title in [
        "เทศกาลดนตรีและอาหารริมแม่น้ำเจ้าพระยาประจำปี",
        "ບຸນປະເພນີແຂ່ງເຮືອນະຄອນຫຼວງວຽງຈັນ",
        "ពិធីបុណ្យអុំទូកនិងសំពះព្រះខែប្រចាំឆ្នាំ",
    ] {
        let svg = svg(title);
        assert!(size_of(&svg, 0) >= 50.0, "{title}: {}", size_of(&svg, 0));
        assert_eq!(super::tests::title(title).replace(' ', ""), title);
    }
}

/// Titles of everything: single characters of all of Unicode, and pieces that are known to be hard.
fn any_title() -> impl Strategy<Value = String> {
    let hard = prop::sample::select(vec![
        "👩‍👩‍👧‍👦",
        "🇫🇷",
        "ﷺ",
        "क्ष्म्य",
        "ไทย",
        "e\u{301}\u{302}\u{303}",
        "\u{202e}",
        "\u{200d}",
        "&amp;",
        "<a>",
        " ",
        "אב",
        "12",
        "مرحبا",
        "漢",
        "-",
    ]);
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        hard.prop_map(str::to_owned)
    ];
    prop::collection::vec(piece, 3..200).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_title_becomes_a_cover(title in any_title(), words in ".{0,40}") {
        let request = CoverRequest { title: title.clone(), subtitle: vec![title], words, variant: 1, has_text: true };
        prop_assert_eq!(size(&draw(&request).expect("a cover")), (1200, 630));
    }
}
