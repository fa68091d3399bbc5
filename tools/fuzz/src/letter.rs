//! A letter about a registration in which strangers chose every text.

use core_service::email::{Addressing, Mail, mail};
use domain::{
    entropy::Entropy,
    event::{Event, Reminders},
    ids::{AccountId, EventId, RegistrationId},
    instant::Instant,
    job::{Job, Task},
    registration::{ActiveStatus, CheckInCode, Notification, Party, Registrant, Status},
    schedule::{EventTime, Schedule},
};
use server::brand::Brand;
use uuid::Uuid;

use crate::bytes;

/// 2030-01-01T00:00:00Z.
pub(crate) const NOW: Instant = Instant::from_micros(1_893_456_000_000_000);

pub(crate) const SENDER: &str = "events@muster.example";

/// A kind of each mail.
const NOTIFICATIONS: [Notification; 8] = [
    Notification::Registered(ActiveStatus::Confirmed),
    Notification::Registered(ActiveStatus::Unconfirmed),
    Notification::RegisteredAgain(ActiveStatus::Waitlisted),
    Notification::Promoted,
    Notification::Approved(ActiveStatus::Confirmed),
    Notification::EventChanged(ActiveStatus::Pending),
    Notification::RegistrationCancelled { held_a_seat: true },
    Notification::EventCancelled { held_a_seat: true },
];

/// Who is written, and what.
pub(crate) struct Written {
    pub(crate) registrant: Registrant,
    pub(crate) letter: Mail,
}

/// The letter that an input stands for: the kind of news, then name, title, location, city, organizer and reason.
pub(crate) fn written(input: &[u8]) -> Option<Written> {
    let (news, texts) = bytes::choose(input, &NOTIFICATIONS)?;
    let [name, title, location, city, organizer, reason] = bytes::texts(texts);
    let optional = |text: String| (!text.is_empty()).then_some(text);
    let registrant = Registrant {
        id: RegistrationId::new(Uuid::nil()),
        name: name.clone(),
        email: "guest+tag@example.org".to_owned(),
        status: Status::Confirmed,
        awaits_confirmation: false,
        is_added: false,
        refuses_reminders: false,
        party: Party {
            size: 3,
            companions: vec![name.clone(); 2],
        },
        check_in_code: CheckInCode::generate(&Entropy::seeded(1)),
        announced: None,
        decline_reason: optional(reason.clone()),
        event: Event {
            title,
            location,
            city: optional(city),
            cancel_reason: optional(reason),
            ..event()
        },
        organizer: optional(organizer),
        is_organizer_trusted: true,
        is_contact_proven: true,
    };
    let addressing = Addressing {
        sender: SENDER,
        brand: &Brand::default(),
        host: "muster.example",
        event_url: "https://muster.example/events/slug",
        private_url: Some("https://muster.example/registrations/token"),
        refuse_url: None,
        refuse_reminders_url: None,
        check_in_url: "https://muster.example/check-in/code",
        former: None,
        offers_details: true,
    };
    let job = Job::mail(Task::CancellationMail, registrant.id).key();
    let letter = mail(&job, *news, &registrant, &addressing, NOW);
    let letter = letter.expect("a template can be rendered whatever is in it");
    Some(Written { registrant, letter })
}

fn event() -> Event {
    let start = EventTime {
        at: NOW,
        local: NOW.to_utc(),
    };
    Event {
        id: EventId::new(Uuid::nil()),
        account_id: AccountId::new(Uuid::nil()),
        slug: "slug".to_owned(),
        title: String::new(),
        description: "Two talks.".to_owned(),
        location: String::new(),
        city: None,
        schedule: Schedule {
            start,
            end: None,
            timezone: "Etc/UTC".to_owned(),
        },
        max_capacity: 100,
        is_published: true,
        is_listed: true,
        requires_approval: false,
        confirm_by_email: false,
        allows_answer_changes: false,
        max_party: 10,
        series: None,
        is_location_private: false,
        window: domain::event::Window::default(),
        attendee_info: None,
        is_cancelled: false,
        cancel_reason: None,
        cancelled_at: None,
        image_query: None,
        image_variant: 1,
        image_credit: None,
        has_own_cover: false,
        custom_fields: Vec::new(),
        organizer_name: None,
        reminders: Reminders::default(),
        reminders_missed: Reminders::default(),
        contact_email: None,
        is_hidden: false,
        is_account_suspended: false,
        published_start: None,
        version: 1,
        zone_release: String::new(),
        sequence: 3,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Ordinary texts, and what headers, MIME, iCalendar and HTML are made of.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        [
            "Ada",
            "Rust Meetup Berlin",
            "c-base, Rungestrasse 20",
            "Berlin",
            "Olga",
            "The venue is flooded.",
        ],
        [
            "漢字 🎉",
            "a;b,c\\d\"e",
            "l\nm\r\nn",
            "",
            "\":mailto:eve@example.org",
            "\r\n.\r\n",
        ],
        [
            "Ada\r\nBcc: eve@example.org",
            "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:y",
            "\n--=_muster\nContent-Type: text/html\n\n<b>",
            "\u{202e}\u{2066}\u{0}\u{85}\u{2028}",
            "=?utf-8?q?=0D=0ABcc:_eve?=",
            "</title><script>alert(1)</script>",
        ],
    ];
    let all = (0_u8..7).flat_map(|news| texts.map(|texts| bytes::joined(news, &texts)));
    let long = "ü".repeat(400);
    all.chain([bytes::joined(0, &[long.as_str(); 6])]).collect()
}

pub(crate) fn words() -> Vec<String> {
    [
        "\r\n",
        "\r\n ",
        "\r\n.\r\n",
        "--=_muster",
        "=?utf-8?q?=0D=0A?=",
        "END:VEVENT",
        "\\n",
        "\u{2028}",
        "\u{85}",
    ]
    .map(str::to_owned)
    .into()
}
