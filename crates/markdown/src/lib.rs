//! Markdown as HTML. Organizers are strangers, so this writes every tag itself, from a short list, and escapes all else: raw HTML
//! shows as text, an image as its words (but for those of our own texts), and links lead to the web or to a mail program only.

mod links;
mod plain;

use std::fmt::Write as _;

use askama::filters::{Escaper as _, Html};
use pulldown_cmark::{
    Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream,
};

use links::{Piece, pieces};
pub use plain::text as plain_text;

/// Deeper nesting is shown flat. Browsers stop at some hundred, and no text needs more.
const MAX_NESTED: usize = 24;

/// How blocks are closed that hold others.
const CLOSE_QUOTE: &str = "</blockquote>\n";
const CLOSE_LIST: &str = "</ul>\n";
const CLOSE_NUMBERED_LIST: &str = "</ol>\n";

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// An organizer. Its headings are below those of the page, and its line breaks count, since most write plain text.
    Stranger,
    /// Muster, with tables and links within the site.
    Muster,
}

/// A picture that our own texts may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Its path on the site.
    pub path: &'static str,
    /// In pixels.
    pub width: u16,
    /// In pixels.
    pub height: u16,
}

/// The picture at a path, if there is one.
pub type Pictures = fn(&str) -> Option<Picture>;

/// No pictures.
pub const fn no_pictures(_path: &str) -> Option<Picture> {
    None
}

/// A text as HTML.
pub fn html(markdown: &str, author: Author, pictures: Pictures) -> String {
    let options = match author {
        Author::Stranger => Options::empty(),
        Author::Muster => Options::ENABLE_TABLES,
    };
    let mut writer = Writer {
        html: String::with_capacity(markdown.len() * 3 / 2),
        author,
        pictures,
        open: Vec::new(),
        links: 0,
        is_in_image: false,
        is_head: false,
        tables: 0,
        headings: Vec::new(),
    };
    for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
        writer.write(event);
    }
    writer.html
}

/// The words of a text, cut to a number of characters at the end of a word.
pub fn summary(markdown: &str, max_characters: usize) -> String {
    let mut words = String::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => words.push(' '),
            _ => {}
        }
        if words.len() > max_characters * 8 {
            break;
        }
    }
    shortened(&words, max_characters)
}

/// A text without repeated space, cut at the end of a word.
fn shortened(text: &str, max_characters: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= max_characters {
        return text;
    }
    let beginning: String = text
        .chars()
        .take(max_characters.saturating_sub(1))
        .collect();
    let whole_words = beginning.rsplit_once(' ').map(|(words, _cut)| words);
    format!("{}…", whole_words.unwrap_or(&beginning))
}

struct Writer {
    html: String,
    author: Author,
    pictures: Pictures,
    /// How each open element is closed; nothing for one that is not shown.
    open: Vec<&'static str>,
    /// How many of them are links.
    links: usize,
    /// Whether the words are those of an image, which an attribute has.
    is_in_image: bool,
    /// Whether the row of a table is its head.
    is_head: bool,
    /// How many tables have begun: each is a region with a name of its own.
    tables: usize,
    /// The levels of the headings above, each deeper than the one before.
    headings: Vec<HeadingLevel>,
}

impl Writer {
    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => {
                let closing = if self.open.len() < MAX_NESTED && !self.is_in_image {
                    self.start(&tag)
                } else {
                    ""
                };
                self.open.push(closing);
            }
            Event::End(_) => self.end(),
            Event::Text(text) | Event::Code(text) if self.is_in_image => self.escape(&text),
            Event::SoftBreak | Event::HardBreak if self.is_in_image => self.html.push(' '),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.html.push_str("<code>");
                self.escape(&text);
                self.html.push_str("</code>");
            }
            Event::SoftBreak if self.author == Author::Muster => self.html.push('\n'),
            Event::SoftBreak | Event::HardBreak => self.html.push_str("<br>\n"),
            Event::Rule => self.html.push_str("<hr>\n"),
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.escape(&text),
            Event::TaskListMarker(_) => {}
        }
    }

    /// Opens an element. Answers how it is closed.
    fn start(&mut self, tag: &Tag<'_>) -> &'static str {
        let dir = self.direction();
        let (opening, closing) = match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block("p", dir, "</p>\n"),
            Tag::Heading { level, .. } => {
                let (name, closing) = self.heading(*level);
                self.block(name, dir, closing)
            }
            Tag::BlockQuote(_) => self.block("blockquote", dir, CLOSE_QUOTE),
            // What scrolls must be within reach of the keyboard.
            Tag::CodeBlock(_) => ("<pre tabindex=\"0\"><code>", "</code></pre>\n"),
            Tag::List(None) => self.block("ul", dir, CLOSE_LIST),
            Tag::List(Some(first)) => {
                let _infallible = writeln!(self.html, "<ol{dir} start=\"{first}\">");
                ("", CLOSE_NUMBERED_LIST)
            }
            Tag::Item => ("<li>", "</li>\n"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => return self.link(*link_type, dest_url),
            Tag::Image { dest_url, .. } => return self.image(dest_url),
            Tag::Table(_) => {
                self.tables += 1;
                let _infallible = writeln!(
                    self.html,
                    "<div class=\"table\" role=\"region\" aria-label=\"Table {}\" tabindex=\"0\"><table>",
                    self.tables
                );
                ("", "</tbody></table></div>\n")
            }
            Tag::TableHead => {
                self.is_head = true;
                ("<thead><tr>", "</tr></thead>\n<tbody>\n")
            }
            Tag::TableRow => {
                self.is_head = false;
                ("<tr>", "</tr>\n")
            }
            Tag::TableCell if self.is_head => ("<th>", "</th>"),
            Tag::TableCell => ("<td>", "</td>"),
            _ => ("", ""),
        };
        self.html.push_str(opening);
        closing
    }

    /// The direction of a block by its first letter, for the outermost one alone: what is within has the same, so that bullets and the lines of
    /// quotes are on the side where the words begin. One of a list counts nothing that has a direction of its own.
    fn direction(&self) -> &'static str {
        let is_within =
            |close: &&str| [CLOSE_QUOTE, CLOSE_LIST, CLOSE_NUMBERED_LIST].contains(close);
        if self.open.iter().any(is_within) {
            ""
        } else {
            " dir=\"auto\""
        }
    }

    fn block(
        &mut self,
        name: &str,
        dir: &str,
        closing: &'static str,
    ) -> (&'static str, &'static str) {
        let _infallible = write!(self.html, "<{name}{dir}>");
        let holds_blocks = [CLOSE_QUOTE, CLOSE_LIST].contains(&closing);
        (if holds_blocks { "\n" } else { "" }, closing)
    }

    /// Headings count from those of the page, and none skips a level, whatever the author does: readers find their way by them.
    fn heading(&mut self, level: HeadingLevel) -> (&'static str, &'static str) {
        let of_the_page = match self.author {
            Author::Stranger => 2,
            Author::Muster => 0,
        };
        self.headings.retain(|above| *above < level);
        self.headings.push(level);
        match of_the_page + self.headings.len() {
            ..=1 => ("h1", "</h1>\n"),
            2 => ("h2", "</h2>\n"),
            3 => ("h3", "</h3>\n"),
            4 => ("h4", "</h4>\n"),
            5 => ("h5", "</h5>\n"),
            6.. => ("h6", "</h6>\n"),
        }
    }

    /// A link that may be followed, or nothing, so that only its words show.
    fn link(&mut self, link_type: LinkType, target: &str) -> &'static str {
        let is_within = self.author == Author::Muster && target.starts_with('/');
        let target = match link_type {
            LinkType::Email => format!("mailto:{target}"),
            _ => target.to_owned(),
        };
        if !is_within && !links::may_be_followed(&target) {
            return "";
        }
        self.open_link(&target);
        self.links += 1;
        CLOSE_LINK
    }

    fn open_link(&mut self, target: &str) {
        self.html.push_str("<a href=\"");
        self.escape(target);
        self.html.push_str(match self.author {
            Author::Stranger => "\" rel=\"nofollow ugc noopener\">",
            Author::Muster => "\">",
        });
    }

    /// A picture of the site in a text of ours. Any other is shown as its words.
    fn image(&mut self, target: &str) -> &'static str {
        let image = (self.pictures)(target).filter(|_| self.author == Author::Muster);
        let Some(image) = image else {
            return "";
        };
        let Picture {
            path,
            width,
            height,
        } = image;
        let _infallible = write!(
            self.html,
            "<img src=\"{path}\" width=\"{width}\" height=\"{height}\" loading=\"lazy\" decoding=\"async\" alt=\""
        );
        self.is_in_image = true;
        CLOSE_IMAGE
    }

    fn end(&mut self) {
        let closing = self.open.pop().unwrap_or_default();
        if closing == CLOSE_LINK {
            self.links -= 1;
        }
        if closing == CLOSE_IMAGE {
            self.is_in_image = false;
        }
        self.html.push_str(closing);
    }

    /// Text, with links where a stranger wrote a web address.
    fn text(&mut self, text: &str) {
        let is_code = self.open.iter().any(|closing| closing.contains("</pre>"));
        if self.author == Author::Muster || self.links > 0 || is_code {
            return self.escape(text);
        }
        for piece in pieces(text) {
            match piece {
                Piece::Words(words) => self.escape(words),
                Piece::Address(address) => {
                    self.open_link(address);
                    self.escape(address);
                    self.html.push_str(CLOSE_LINK);
                }
            }
        }
    }

    fn escape(&mut self, text: &str) {
        // A string takes everything.
        let _infallible = Html.write_escaped_str(&mut self.html, text);
    }
}

const CLOSE_LINK: &str = "</a>";
const CLOSE_IMAGE: &str = "\">";

#[cfg(test)]
mod as_parsed;
#[cfg(test)]
mod tests;
