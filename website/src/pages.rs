//! The pages, each with what it asks core.

mod articles;
mod calendars;
mod catalogue;
mod dashboard;
mod docs;
mod embed;
mod event;
mod feeds;
mod llms;
mod mail_events;
mod oauth;
mod organizer;
mod private;
mod register;
mod robots;
mod sign_in;
mod sitemaps;
mod status;
mod ticket;

use http::Method;
use http_kit::Resource;

use crate::{
    caller::{Needs, PROVE},
    request_context::Site,
};

/// Every path of the site but its static files.
pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let person = site.signed_in(Needs::Person);
    let mut resources = vec![
        Resource::new("/use-cases").with(site.get(articles::use_cases).shared()),
        Resource::new("/use-cases/{slug}").with(site.get(articles::use_case).shared()),
        Resource::new("/use-cases.md").with(site.get(articles::use_cases_as_markdown).shared()),
        Resource::new("/guides").with(site.get(articles::guides).shared()),
        Resource::new("/guides.md").with(site.get(articles::guides_as_markdown).shared()),
        Resource::new("/guides/{slug}").with(site.get(articles::guide).shared()),
        Resource::new(docs::PATH).with(site.get(docs::index).shared()),
        Resource::new("/docs.md").with(site.get(docs::index_as_markdown).shared()),
        Resource::new("/docs/{page}").with(site.get(docs::show).shared()),
        Resource::new("/").with(site.get(catalogue::home)),
        Resource::new("/events").with(site.get(catalogue::events)),
        Resource::new("/events/{slug}/embed").with(site.get(embed::embed)),
        Resource::new("/oembed").with(site.get(embed::oembed).shared()),
        Resource::new("/events/{slug}").with(site.get(event::show)),
        Resource::new("/events/{slug}/event.ics").with(site.get(event::calendar).shared()),
        Resource::new("/events/{slug}/calendar/{service}").with(site.get(calendars::lead)),
        Resource::new("/events.atom").with(site.get(feeds::atom).shared()),
        Resource::new("/events.ics").with(site.get(feeds::calendar).shared()),
        Resource::new("/o/{handle}").with(site.get(organizer::show).shared()),
        Resource::new("/o/{handle}/past").with(site.get(organizer::past_events)),
        Resource::new("/o/{handle}/embed").with(site.get(organizer::embedded)),
        Resource::new(oauth::AUTHORIZE).with(site.get(oauth::authorize)),
        Resource::new(oauth::consent::PATH)
            .with(site.get(oauth::consent::show))
            .with(site.post(oauth::consent::take)),
        Resource::new("/registrations/{token}")
            .with(site.get(private::show))
            .with(site.post(private::confirm)),
        Resource::new("/registrations/{token}/cancel")
            .with(site.get(private::questions::cancel))
            .with(site.post(private::cancel)),
        Resource::new("/registrations/{token}/no-mail")
            .with(site.get(private::questions::refuse_mail))
            .with(site.post(private::refuse_mail)),
        Resource::new("/registrations/{token}/no-reminders")
            .with(site.get(private::questions::refuse_reminders))
            .with(site.operation(Method::POST, private::questions::take_reminders)),
        Resource::new("/registrations/{token}/messages")
            .with(site.get(private::questions::stop_messages))
            .with(site.operation(Method::POST, private::questions::take_messages)),
        Resource::new("/registrations/{token}/messages/again")
            .with(site.post(private::resume_messages)),
        Resource::new("/registrations/{token}/answers")
            .with(site.get(private::answers::show))
            .with(site.post(private::answers::take)),
        Resource::new("/registrations/{token}/new-details").with(site.post(private::take_over)),
        Resource::new("/registrations/{token}/event.ics").with(site.get(private::calendar)),
        Resource::new("/registrations/{token}/calendar/{service}")
            .with(site.get(private::lead_to_calendar)),
        Resource::new("/events/{slug}/register")
            .with(site.get(register::show))
            .with(site.post(register::take)),
        Resource::new("/events/{slug}/registered").with(site.get(register::registered)),
        Resource::new("/robots.txt").with(site.get(robots::robots)),
        Resource::new("/llms.txt").with(site.get(llms::index).shared()),
        Resource::new("/llms-full.txt").with(site.get(llms::full).shared()),
        Resource::new(robots::SECURITY).with(site.get(robots::security)),
        Resource::new("/sign-in")
            .with(site.get(sign_in::show))
            .with(site.post(sign_in::take)),
        Resource::new(sign_in::CODE)
            .with(site.get(sign_in::show_code))
            .with(site.post(sign_in::take_code)),
        Resource::new(PROVE)
            .with(person.get(sign_in::again::show))
            .with(person.post(sign_in::again::take)),
        Resource::new("/sign-in/link/{token}")
            .with(site.get(sign_in::link::show))
            .with(site.post(sign_in::link::take)),
        Resource::new(sign_in::take_back::PATH)
            .with(site.get(sign_in::take_back::show))
            .with(site.post(sign_in::take_back::take)),
        Resource::new(sign_in::take_back::CODE)
            .with(site.get(sign_in::take_back::show_code))
            .with(site.post(sign_in::take_back::take_code)),
        Resource::new("/sign-out").with(site.post(sign_in::out::take)),
        Resource::new("/sitemap.xml").with(site.get(sitemaps::index)),
        Resource::new("/sitemaps/{file}").with(site.get(sitemaps::sitemap)),
        Resource::new("/check-in/{code}").with(site.get(ticket::show)),
        oauth::metadata::resource(site),
        mail_events::resource(site),
    ];
    resources.extend(oauth::endpoints::resources(site));
    resources.extend(dashboard::resources(site));
    resources
}
