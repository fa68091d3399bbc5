//! Markdown as plain text, for programs that would show its signs.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A text without the signs of Markdown: lists keep their dashes and numbers, links their address after the words.
pub fn text(markdown: &str) -> String {
    let mut plain = Plain::default();
    for event in Parser::new_ext(markdown, Options::empty()) {
        plain.write(event);
    }
    plain.text.trim().to_owned()
}

#[derive(Default)]
struct Plain {
    text: String,
    /// The next number of each list that is open; `None` if it has dashes.
    lists: Vec<Option<u64>>,
    /// The address of each link that is open, and where its words begin.
    links: Vec<(String, usize)>,
}

impl Plain {
    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::List(first)) => {
                self.begin_line();
                self.lists.push(first);
            }
            Event::Start(Tag::Item) => self.begin_item(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.links.push((dest_url.into_string(), self.text.len()));
            }
            Event::End(TagEnd::Link) => self.end_link(),
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.end_block();
                }
            }
            Event::End(TagEnd::Item) => self.begin_line(),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::BlockQuote(_)
                | TagEnd::HtmlBlock,
            )
            | Event::Rule => self.end_block(),
            Event::Text(text)
            | Event::Code(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::Start(_) | Event::End(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn begin_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Leaves a line empty, except within a list.
    fn end_block(&mut self) {
        self.begin_line();
        if self.lists.is_empty() && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn begin_item(&mut self) {
        self.begin_line();
        let depth = self.lists.len().saturating_sub(1);
        self.text.push_str(&"  ".repeat(depth));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                let _infallible = write!(self.text, "{number}. ");
                *number = number.saturating_add(1);
            }
            _ => self.text.push_str("- "),
        }
    }

    fn end_link(&mut self) {
        let Some((address, begin)) = self.links.pop() else {
            return;
        };
        let words = self.text.get(begin..).unwrap_or_default();
        let is_said = address.strip_prefix("mailto:").unwrap_or(&address) == words;
        if !is_said {
            let _infallible = write!(self.text, " ({address})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn markdown_is_read_and_not_shown() {
        let markdown = "# Rust *Night*\n\nTalks by **Ada** and\n`cargo`.\n\n- one\n  - deep\n- two\n\n3. three\n4. four\n\n> quoted\n\n\
                        [Page](https://a.example) and <https://b.example>\n\n---\nEnd\\.";
        assert_eq!(
            text(markdown),
            "Rust Night\n\nTalks by Ada and\ncargo.\n\n- one\n  - deep\n- two\n\n3. three\n4. four\n\nquoted\n\n\
             Page (https://a.example) and https://b.example\n\nEnd."
        );
        assert_eq!(text("just words, 2 < 3"), "just words, 2 < 3");
        assert_eq!(text(""), "");
    }
}
