//! Pictures of what the words name.

use std::{env, fs, path::Path};

use sha2::{Digest, Sha256};

use super::{request, svg};
use crate::{
    CoverRequest, TOPICS, Topic, VARIANTS, draw,
    pen::Hour,
    poster::compose,
    raster::tests::overview,
    topics::{find, hour},
};

fn cover(words: &str, variant: u8, has_text: bool) -> CoverRequest {
    CoverRequest {
        words: words.to_owned(),
        variant,
        has_text,
        ..request(words)
    }
}

/// The words that choose a topic.
fn words(topic: &'static Topic) -> impl Iterator<Item = &'static str> {
    let others = topic.words.split(", ");
    let others = others.map(|word| word.trim_end_matches('?'));
    std::iter::once(topic.name).chain(others)
}

#[test]
fn words_draw_what_they_name() {
    for (text, name) in [
        ("beach at sunset", "beach"),
        ("Sunset over the city", "city"),
        ("running", "running"),
        ("Jazz concert", "jazz"),
        ("cooking workshop", "cooking"),
        ("workshop on pottery", "pottery"),
        ("CHESS!", "chess"),
        ("Table-tennis for everyone", "table tennis"),
        ("two cups of café", "coffee"),
        ("books & wine", "books"),
        ("crab on a keyboard", "crab"),
        ("Rock climbing", "climbing"),
        ("Ice cream", "ice cream"),
        ("a night in the mountains", "mountains"),
        ("summer festival", "beach"),
        ("golden hour", "sea at sunset"),
        ("sunset", "sea at sunset"),
        ("Schach für Anfänger", "chess"),
    ] {
        let found = find(text);
        assert_eq!(found.first().map(|topic| topic.name), Some(name), "{text}");
    }
    for text in ["", "quarterly gathering", "?", "お祭り", "a & b"] {
        assert!(find(text).is_empty(), "{text}");
    }
}

#[test]
fn words_name_the_hour_of_a_landscape() {
    assert_eq!(hour("beach at sunset"), Some(Hour::Sunset));
    assert_eq!(hour("the city by night"), Some(Hour::Night));
    assert_eq!(hour("morning in the forest"), Some(Hour::Day));
    assert_eq!(hour("beach"), None);
}

#[test]
fn every_word_of_the_list_names_its_topic_and_no_other() {
    assert!(TOPICS.len() >= 60);
    for topic in TOPICS {
        for word in words(topic) {
            let found: Vec<&str> = find(word).iter().map(|topic| topic.name).collect();
            assert_eq!(found, [topic.name], "{word}");
        }
    }
}

#[test]
fn every_topic_has_pictures_to_choose_from() {
    for topic in TOPICS {
        let mut pictures: Vec<String> = (0..VARIANTS)
            .map(|variant| compose(&cover(topic.name, variant, true)).svg)
            .collect();
        assert!(
            pictures.iter().all(|svg| svg.contains("url(#window)")),
            "{}",
            topic.name
        );
        pictures.sort();
        pictures.dedup();
        assert_eq!(pictures.len(), usize::from(VARIANTS), "{}", topic.name);
    }
}

#[test]
fn words_without_a_topic_have_pictures_to_choose_from_too_and_words_with_two_topics_show_both() {
    let picture = |words: &str, variant| compose(&cover(words, variant, true)).svg;
    let [first, second, third] = [0, 1, 2].map(|variant| picture("quarterly gathering", variant));
    assert!(first != second && second != third && first != third);
    let names = find("yoga on the beach")
        .into_iter()
        .map(|topic| topic.name);
    assert_eq!(names.collect::<Vec<_>>(), ["yoga", "beach"]);
    assert!(picture("yoga on the beach", 0).contains("<ellipse"));
}

#[test]
fn without_words_the_title_makes_a_poster_of_shapes() {
    let without = CoverRequest {
        words: String::new(),
        ..request("Chess for all")
    };
    let shapes = compose(&without).svg;
    assert!(!shapes.contains("url(#window)"));
    assert!(shapes.contains(">Chess"));
    // As version 2 drew it for the title as words.
    let other = CoverRequest {
        words: " ".to_owned(),
        ..without
    };
    assert_eq!(compose(&other).svg, shapes);
}

#[test]
fn a_picture_without_text_has_none_and_fills_the_cover() {
    for words in ["chess", "beach", "quarterly gathering"] {
        let cover = cover(words, 0, false);
        let drawing = compose(&cover);
        assert!(!drawing.svg.contains("<text"), "{words}");
        let png = draw(&cover).expect("a cover");
        assert_eq!(super::size(&png), (600, 315));
    }
}

/// Guards against motifs that change unnoticed: a change that is meant raises `DRAWING_VERSION` with this.
#[test]
fn the_motifs_are_those_of_this_version() {
    let mut hash = Sha256::new();
    for topic in TOPICS {
        for variant in 0..VARIANTS {
            hash.update(compose(&cover(topic.name, variant, true)).svg);
            hash.update(compose(&cover(topic.name, variant, false)).svg);
        }
    }
    let digest = hash
        .finalize()
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    insta::assert_snapshot!(digest);
    assert!(!svg("Jazz under the Stars").contains("url(#window)"));
}

/// `TOPICS=chess,beach cargo test -p covers --lib overviews -- --ignored` writes `target/covers`.
#[test]
#[ignore = "writes files for people to look at"]
fn overviews_of_motifs() {
    const TOPICS_ON_ONE: usize = 12;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/covers");
    fs::create_dir_all(&folder).expect("a folder");
    let only = env::var("TOPICS").unwrap_or_default();
    let names: Vec<&str> = if only.is_empty() {
        TOPICS.iter().map(|topic| topic.name).collect()
    } else {
        only.split(',').collect()
    };
    for (number, names) in names.chunks(TOPICS_ON_ONE).enumerate() {
        let covers = names.iter().flat_map(|words| {
            let shown = (0..VARIANTS)
                .map(|variant| (variant, true))
                .chain([(0, false)]);
            shown.map(|(variant, has_text)| compose(&cover(words, variant, has_text)))
        });
        let png = overview(&covers.collect::<Vec<_>>());
        fs::write(folder.join(format!("{number:02}.png")), png).expect("a file");
    }
}
