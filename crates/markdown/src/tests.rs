use super::*;

fn html(markdown: &str, author: Author) -> String {
    super::html(markdown, author, |path| (path == DOOR.path).then_some(DOOR))
}

const DOOR: Picture = Picture {
    path: "/images/door.webp",
    width: 720,
    height: 500,
};

fn stranger(markdown: &str) -> String {
    html(markdown, Author::Stranger)
}

#[test]
fn what_organizers_write_becomes_a_page() {
    let text = "# Talks\n\nBring *your* **laptop**.\nWe have power.\n\n- one\n- two\n\n3. three\n\n[Site](https://a.example \"x\")";
    assert_eq!(
        stranger(text),
        "<h3 dir=\"auto\">Talks</h3>\n\
         <p dir=\"auto\">Bring <em>your</em> <strong>laptop</strong>.<br>\nWe have power.</p>\n\
         <ul dir=\"auto\">\n<li>one</li>\n<li>two</li>\n</ul>\n\
         <ol dir=\"auto\" start=\"3\">\n<li>three</li>\n</ol>\n\
         <p dir=\"auto\"><a href=\"https://a.example\" rel=\"nofollow ugc noopener\">Site</a></p>\n"
    );
}

#[test]
fn addresses_in_plain_text_are_links_but_not_within_links_or_code() {
    let link =
        |address| format!("<a href=\"{address}\" rel=\"nofollow ugc noopener\">{address}</a>");
    assert_eq!(
        stranger("at https://a.example/b_c_d."),
        format!(
            "<p dir=\"auto\">at {}.</p>\n",
            link("https://a.example/b_c_d")
        )
    );
    let once = stranger("[https://a.example](https://b.example)");
    assert_eq!(once.matches("<a ").count(), 1, "{once}");
    for code in ["`https://a.example`", "```\nhttps://a.example\n```"] {
        assert!(!stranger(code).contains("<a "));
    }
    let mail = stranger("<ada@example.org>");
    assert!(mail.contains("href=\"mailto:ada@example.org\""), "{mail}");
}

#[test]
fn headings_follow_those_of_the_page_and_skip_no_level() {
    let levels = |markdown: &str| -> Vec<String> {
        let html = stranger(markdown);
        let opened = tags(&html)
            .into_iter()
            .filter_map(|tag| tag.strip_prefix('h'));
        opened.map(|tag| tag[..1].to_owned()).collect()
    };
    assert_eq!(
        levels("## a\n\n### b\n\n## c\n\n# d\n\n## e"),
        ["3", "4", "3", "3", "4"]
    );
    assert_eq!(
        levels("###### a\n\n# b\n\n###### c\n\n##### d"),
        ["3", "3", "4", "4"]
    );
    let deep = "# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f";
    assert_eq!(levels(deep), ["3", "4", "5", "6", "6", "6"]);
}

/// Every tag in a text, with its attributes.
fn tags(html: &str) -> Vec<&str> {
    let after = html.split('<').skip(1);
    after.map(|rest| rest.split('>').next().unwrap()).collect()
}

#[test]
fn hostile_text_stays_text() {
    let known = [
        "p",
        "p dir=\"auto\"",
        "h3",
        "h3 dir=\"auto\"",
        "em",
        "strong",
        "code",
        "pre tabindex=\"0\"",
        "br",
        "hr",
        "ul",
        "ul dir=\"auto\"",
        "li",
        "blockquote dir=\"auto\"",
    ];
    for text in [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<svg/onload=alert(1)>\n\n<p onclick=x>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1)) [y](data:text/html;base64,x) [z](vbscript:x)",
        "[x](<java\nscript:alert(1)>)",
        "![words](https://tracker.example/pixel.gif)",
        "<!-- <b> --> <![CDATA[ <b> ]]> <?php <b> ?>",
        "```html\" onload=\"x\n</code></pre><script>1</script>\n```",
        "> # deep <b>\n> - `<i>`",
        "&lt;script&gt; &#60;script&#62; &#x3c;b&#x3e;",
        "x\n===\n<iframe src=//evil.example>",
        "[a]: javascript:x\n\n[a] <a@b.example\"onx=1>",
    ] {
        for tag in tags(&stranger(text)) {
            let is_closing = tag.starts_with('/');
            assert!(is_closing || known.contains(&tag), "{tag:?} from {text:?}");
        }
    }
    let broken_out = stranger("[x](https://a.example/\"onmouseover=\"alert(1)) 'y' \"z\"");
    for tag in tags(&broken_out) {
        assert!(!tag.contains("onmouseover=\""), "{broken_out}");
    }
}

#[test]
fn twenty_thousand_characters_of_nesting_are_shown_flat_and_soon() {
    for unit in ["> ", "- ", "*a ", "[", "![a](", "`", "<b>", "_**", "1. "] {
        let text = unit.repeat(20_000 / unit.len());
        let html = stranger(&text);
        let nested = tags(&html)
            .iter()
            .fold((0_i32, 0_i32), |(depth, most), tag| {
                let depth = match *tag {
                    tag if tag.starts_with('/') => depth - 1,
                    "br" | "hr" => depth,
                    _ => depth + 1,
                };
                (depth, most.max(depth))
            });
        assert_eq!(nested.0, 0, "{unit:?}: every element is closed");
        assert!(
            nested.1 <= i32::try_from(MAX_NESTED).unwrap() + 1,
            "{unit:?}"
        );
    }
}

#[test]
fn our_own_texts_have_tables_and_links_within_the_site() {
    let text = "# Guide\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n[next](/guides/next)\n\n```sh needs=buf\ncurl\n```\n";
    assert_eq!(
        html(text, Author::Muster),
        "<h1 dir=\"auto\">Guide</h1>\n\
         <div class=\"table\" role=\"region\" aria-label=\"Table 1\" tabindex=\"0\"><table>\n\
         <thead><tr><th>a</th><th>b</th></tr></thead>\n<tbody>\n\
         <tr><td>1</td><td><code>2</code></td></tr>\n</tbody></table></div>\n\
         <p dir=\"auto\"><a href=\"/guides/next\">next</a></p>\n\
         <pre tabindex=\"0\"><code>curl\n</code></pre>\n"
    );
    assert!(!stranger("[next](/guides/next)").contains("<a "));
}

#[test]
fn our_own_texts_show_pictures_of_the_site_with_their_size() {
    let text = "![The *door* page:\n\"Undo\", `x`](/images/door.webp)";
    assert_eq!(
        html(text, Author::Muster),
        "<p dir=\"auto\"><img src=\"/images/door.webp\" width=\"720\" height=\"500\" loading=\"lazy\" \
         decoding=\"async\" alt=\"The door page: &#34;Undo&#34;, x\"></p>\n"
    );
    assert_eq!(
        stranger(text),
        "<p dir=\"auto\">The <em>door</em> page:<br>\n&#34;Undo&#34;, <code>x</code></p>\n"
    );
    for elsewhere in ["/images/nothing.webp", "https://a.example/images/door.webp"] {
        let html = html(&format!("![words]({elsewhere}) and more"), Author::Muster);
        assert_eq!(html, "<p dir=\"auto\">words and more</p>\n");
    }
}

#[test]
fn a_summary_is_words_and_short() {
    let text = "# Title\n\nSome *words* and a [link](https://a.example).\nMore `code`.";
    assert_eq!(
        summary(text, 160),
        "Title Some words and a link. More code."
    );
    assert_eq!(summary("one two three", 9), "one two…");
    assert_eq!(summary("one two three", 13), "one two three");
    assert_eq!(summary(&"日本語 ".repeat(100), 10), "日本語 日本語…");
    assert_eq!(summary("", 10), "");
    assert_eq!(summary(&"x".repeat(500), 4), "xxx…");
}
