//! With any names of people, accounts and events, a mail to someone who signs in or organizes stays one mail, to one person, with our
//! links alone.

use core_service::email::{
    self, AccountIncident, Concerned, Digest, Incident, Letter, Mailer, Named, Site, digest,
    letter, unchecked,
};
use domain::{
    entropy::Entropy,
    ids::{AccountId, CodeId, EventId, InvitationId, PersonId, RegistrationId},
    invitation::{Invitation, SentInvitation},
    job::{Job, JobKey, Task},
    organizer_mail::{EventUpdates, MailChoice, Organizer},
    person::{NamedEvent, Person, Rights, Role},
    schedule::Schedule,
    sign_in_code::{Code, Digits, Holder, Purpose},
};
use proptest::prelude::*;
use server::brand::Brand;
use tempfile::TempDir;

use super::{
    Mail,
    hostile::{names, tags, text},
    take,
};
use crate::fixtures::{NOW, event_time};

const HOST: &str = "muster.example";

const fn site(brand: &Brand) -> Site<'_> {
    Site { host: HOST, brand }
}

const ADDRESS: &str = "ada@example.org";

/// The kinds of mails.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Code(Purpose),
    Invitation,
    Security,
    Digest,
}

const KINDS: [Kind; 8] = [
    Kind::Code(Purpose::SignIn),
    Kind::Code(Purpose::StepUp),
    Kind::Code(Purpose::EmailChange),
    Kind::Code(Purpose::EmailChanged),
    Kind::Code(Purpose::TakeBack),
    Kind::Invitation,
    Kind::Security,
    Kind::Digest,
];

/// The mail with these names of a person, of an account and of an event.
fn mail(kind: Kind, [person, account, title]: [&str; 3]) -> email::Mail {
    let nil = uuid::Uuid::nil();
    let job = Job::mail(Task::CancellationMail, RegistrationId::new(nil)).key();
    match kind {
        Kind::Code(purpose) => {
            let id = CodeId::new(nil);
            let code = Code {
                id,
                purpose,
                holder: Holder::nobody(id),
                email: ADDRESS.to_owned(),
                digits: Digits::generate(&Entropy::seeded(1)),
                tries: 0,
                expires_at: NOW,
            };
            let person = Person {
                id: PersonId::new(nil),
                email: ADDRESS.to_owned(),
                name: person.to_owned(),
                created_at: NOW,
            };
            let code = Letter::Code {
                take_back: None,
                code: &code,
                person: Some(&person),
            };
            letter(&job, &code, site(&Brand::default())).unwrap()
        }
        Kind::Invitation => {
            let sent = SentInvitation {
                invitation: Invitation {
                    id: InvitationId::new(nil),
                    account_id: AccountId::new(nil),
                    email: ADDRESS.to_owned(),
                    rights: Rights {
                        role: Role::Door,
                        only_some_events: true,
                    },
                    invited_by: None,
                    created_at: NOW,
                    expires_at: NOW,
                },
                account_name: account.to_owned(),
                invited_by: person.to_owned(),
                events: vec![NamedEvent {
                    id: EventId::new(nil),
                    title: title.to_owned(),
                    schedule: Schedule {
                        start: event_time(NOW),
                        end: None,
                        timezone: "UTC".to_owned(),
                    },
                }],
            };
            let invitation = Letter::Invitation {
                invitation: &sent,
                url: "https://muster.example/invitations/1",
            };
            letter(&job, &invitation, site(&Brand::default())).unwrap()
        }
        Kind::Security => security(&job, [person, account, title]),
        Kind::Digest => {
            let organizer = Organizer {
                name: person.to_owned(),
                email: ADDRESS.to_owned(),
                account_name: account.to_owned(),
                rights: Rights::everywhere(Role::Owner),
                choice: MailChoice::All,
                sees_registrations: true,
                is_account_trusted: true,
            };
            let news = EventUpdates {
                event: EventId::new(nil),
                title: title.to_owned(),
                new: 1,
                changed: 0,
                awaiting: 0,
                taken: 1,
                max_capacity: 2,
                names: vec![person.to_owned()],
            };
            let page = |_: &EventUpdates| "https://muster.example/dashboard/events/1".to_owned();
            let content = Digest {
                organizer: &organizer,
                updates: &[news],
                registrations_url: &page,
                choice_url: "https://muster.example/dashboard/account/mails",
                host: HOST,
                brand: &Brand::default(),
            };
            digest(&job, &content).unwrap()
        }
    }
}

fn security(job: &JobKey, [person, account, title]: [&str; 3]) -> email::Mail {
    let recipient = Person {
        id: PersonId::new(uuid::Uuid::nil()),
        email: ADDRESS.to_owned(),
        name: person.to_owned(),
        created_at: NOW,
    };
    let of = Concerned {
        name: person.to_owned(),
        is_recipient: false,
    };
    let name = title.to_owned();
    let incident = Incident::OnAccount {
        account: account.to_owned(),
        what: AccountIncident::KeyTakenOver(Named { name, of }),
    };
    let security = Letter::Security {
        person: &recipient,
        at: NOW,
        incident: &incident,
        url: "https://muster.example/dashboard/keys",
    };
    letter(job, &security, site(&Brand::default())).unwrap()
}

async fn sent(kind: Kind, texts: [&str; 3]) -> Mail {
    let folder = TempDir::new().unwrap();
    let sender = "Muster <events@muster.example>".parse().unwrap();
    let mailer = Mailer::files(folder.path().to_owned(), sender);
    mailer
        .send(&mail(kind, texts), NOW, &unchecked)
        .await
        .unwrap();
    take(folder.path()).remove(0)
}

/// How many elements of a page lead or load something.
fn active(html: &str) -> usize {
    let tags = tags(html);
    let active = [
        "a", "img", "script", "form", "iframe", "object", "link", "meta", "input",
    ];
    tags.iter().filter(|tag| active.contains(tag)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_name_adds_a_header_a_recipient_or_a_link(person in text(), account in text(), title in text()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for kind in KINDS {
            let plain = runtime.block_on(sent(kind, ["Ada", "Rust Berlin", "Rust Night"]));
            let mail = runtime.block_on(sent(kind, [&person, &account, &title]));
            prop_assert_eq!(mail.to.1.as_str(), ADDRESS);
            prop_assert_eq!(names(mail.headers()), names(plain.headers()));
            prop_assert!(mail.source.is_ascii());
            prop_assert_eq!(active(&mail.html), active(&plain.html), "{}", mail.html);
            prop_assert!(!mail.subject.contains(['\r', '\n']));
        }
    }
}

/// Who invites and what they call their account is chosen by them, and the recipient may know neither.
#[tokio::test]
async fn a_name_in_which_a_link_could_hide_is_in_no_invitation() {
    for lure in [
        "win a prize at https://evil.example",
        "evil.example",
        "eve@example.org",
        "two\nlines",
    ] {
        let mail = sent(Kind::Invitation, [lure, lure, lure]).await;
        assert_eq!(mail.subject, "Invitation from Someone to an account");
        for part in [&mail.text, &mail.html] {
            assert!(!part.contains("evil") && !part.contains("eve@"), "{part}");
        }
    }
}
