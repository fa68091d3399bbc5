//! The pages, as browsers and programs get them.

mod articles;
mod behind_a_proxy;
mod brand;
mod caching;
mod calls;
mod catalogue;
mod crawl;
mod door;
mod ended_events;
mod every_form;
mod faults;
mod feeds;
mod few_spots;
mod formats;
mod headers;
mod hostile_forms;
mod hostile_names;
mod members;
mod mistakes;
mod noticing;
mod operator;
pub(crate) mod organizers;
mod own_account;
mod own_activity;
mod own_answers;
mod own_events;
mod own_lists;
mod own_messages;
mod own_questions;
mod own_registrations;
mod own_reminders;
mod own_series;
mod private;
mod refusals;
mod registering;
mod registration_times;
mod scanning;
mod signing_in;
mod sitemaps;
mod tickets;
mod two_cores;
mod typed;
mod webhooks;
mod world;

/// The values of an attribute in a page, such as `href`.
pub(crate) fn attributes<'h>(html: &'h str, name: &str) -> Vec<&'h str> {
    let beginning = format!(" {name}=\"");
    let after = html.split(&*beginning).skip(1);
    after.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The paths to which a page links and from which it loads, each once.
fn own_paths(html: &str) -> Vec<&str> {
    let mut paths = attributes(html, "href");
    paths.extend(attributes(html, "src"));
    paths.retain(|path| path.starts_with('/'));
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// A text of a page, as its reader sees it.
pub(crate) fn unescaped(text: &str) -> String {
    [
        ("&#34;", "\""),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#39;", "'"),
        ("&#38;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
