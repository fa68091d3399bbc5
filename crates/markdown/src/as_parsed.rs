//! What a browser makes of the HTML: ammonia reads it with html5ever, as browsers do, and drops every element, attribute and
//! address that is not on its own list. What it leaves must be what was written.

use std::collections::{HashMap, HashSet};

use ammonia::Builder;
use proptest::{prelude::*, sample::select};

use super::{Author, html, no_pictures};

/// What may be in the text of an organizer.
fn parsed(html: &str) -> String {
    let tags = [
        "a",
        "blockquote",
        "br",
        "code",
        "em",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "ul",
    ];
    let attributes = [
        ("a", HashSet::from(["href", "rel"])),
        ("ol", HashSet::from(["start"])),
        ("pre", HashSet::from(["tabindex"])),
    ];
    Builder::empty()
        .tags(HashSet::from(tags))
        .clean_content_tags(HashSet::new())
        .tag_attributes(HashMap::from(attributes))
        .generic_attributes(HashSet::from(["dir"]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(None)
        .clean(html)
        .to_string()
}

/// The HTML with its characters escaped as ammonia does it.
fn escaped_alike(html: &str) -> String {
    let mut alike = String::new();
    for (index, piece) in html.split('<').enumerate() {
        let (tag, text) = match piece.split_once('>') {
            Some((tag, text)) if index > 0 => (Some(tag), text),
            _ => (None, piece),
        };
        if let Some(tag) = tag {
            let tag = tag.replace("&#34;", "&quot;");
            alike.extend(["<", &tag, ">"]);
        }
        alike.push_str(&text.replace("&#34;", "\""));
    }
    for (ours, theirs) in [
        ("&#39;", "'"),
        ("&#60;", "&lt;"),
        ("&#62;", "&gt;"),
        ("&#38;", "&amp;"),
        ("\u{a0}", "&nbsp;"),
    ] {
        alike = alike.replace(ours, theirs);
    }
    alike
}

#[track_caller]
fn assert_unchanged(markdown: &str) {
    let html = html(markdown, Author::Stranger, no_pictures);
    assert_eq!(parsed(&html), escaped_alike(&html), "{markdown:?}");
}

#[test]
fn a_browser_finds_nothing_in_hostile_text_that_was_not_written() {
    for markdown in [
        "<script>alert(1)</script>",
        "<ScRiPt src=//evil.example></sCrIpT>",
        "a <img src=x onerror=alert(1)> b",
        "<svg/onload=alert(1)>\n\n<math><annotation-xml encoding=\"text/html\"><style>",
        "<p onclick=x>\n<style>@import '//evil.example'</style>",
        "<a href=\"javascript:alert(1)\">x</a>",
        "[x](javascript:alert(1)) [y](JaVaScRiPt&colon;alert(1)) [z](data:text/html;base64,x)",
        "[x](<java\tscript:alert(1)>) [y](\u{1}javascript:alert(1)) [z](//evil.example)",
        "[x](https://a.example/\"onmouseover=\"alert(1)) 'y' \"z\"",
        "[x](https://a.example 'a\" onclick=\"b')",
        "![words](https://tracker.example/pixel.gif \"t\")",
        "[![x](javascript:1)](https://a.example \"https://b.example\")",
        "[https://a.example](https://b.example) [a [b](https://c.example)](https://d.example)",
        "<https://a.example/?a=1&b=2> <javascript:alert(1)> <a@b.example\"onx=1>",
        "<!-- <b> --> <![CDATA[ <b> ]]> <?php <b> ?> <!DOCTYPE html>",
        "```html\" onload=\"x\n</code></pre><script>1</script>\n```",
        "    </pre><script>indented</script>",
        "`</code><script>` ``a ` b``",
        "&lt;script&gt; &#60;script&#62; &#x3c;b&#x3e; &amp;lt; &nbsp; &unknown;",
        "x\n===\n<iframe src=//evil.example>\n---\n## y <textarea>",
        "- a\n\n  <template>\n\n- b\n  1. c\n     > <table><tr><td>",
        "> # deep <plaintext>\n> - `<i>`\n>\n> <noscript><p title=\"</noscript><img>\">",
        "[a]: javascript:x\n\n[a] [A][a] [b]\n\n[b]: https://b.example/<b> '\"<'",
        "\u{202e}<b>\u{feff}[x](https://a.example/\u{202e})",
        "</p></div></main></body></html><h1>outside</h1>",
        "https://a.example\u{202e}<script> https://a.example[x https://a.example:x https://[::1",
        "a  \nb\\\nc\n\n***\n\n_**d_**",
    ] {
        assert_unchanged(markdown);
    }
}

proptest! {
    #[test]
    fn a_browser_finds_nothing_in_any_mixture(
        pieces in proptest::collection::vec(
            select(&[
                "<script>", "</script>", "<p>", "</p>", "<a href=", "<img src=x onerror=1>", "<!--", "-->", "<![CDATA[", "]]>",
                "<style>", "<math>", "<svg>", "<table>", "<select>", "<b", "</", "javascript:", "https://a.example", "mailto:a@b.example",
                "[", "](", ")", "](https://b.example \"", "![", "<https://c.example>", "`", "```", "~~~\n", "    ", "\n", "\n\n", "> ", "- ",
                "1. ", "9) ", "# ", "###### ", "***", "---\n", "===\n", "**", "_", "\\", "&", "&lt;", "&#60;", "&colon;", "\"", "'", "=",
                " on=1", "x", " ", "\t", "é", "🎉", "\u{a0}", "\u{202e}",
            ][..]),
            0..40,
        )
    ) {
        assert_unchanged(&pieces.concat());
    }
}
