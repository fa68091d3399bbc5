//! Removing someone who signs in, is invited or is a member.

use core_service::service::LastOwner;
use domain::{
    ids::{AccountId, PersonId},
    job::{Destination, Job, JobKind, Task},
    person::Role,
};
use test_postgres::Database;

use super::{
    Instance,
    people::to,
    signing_in::{browser, must_ask_again},
};
use crate::{fixtures::migrate, mail::Mailbox};

const BOB: &str = "bob@example.org";

impl Instance {
    /// How many mails with codes, with invitations and to members are unsent.
    async fn unsent(&self) -> [usize; 3] {
        let kinds = [
            JobKind::CodeMail,
            JobKind::InvitationMail,
            JobKind::OrganizerMail,
        ];
        let mut counts = [0; 3];
        for (count, kind) in counts.iter_mut().zip(kinds) {
            *count = self.store.list_jobs(kind, 100).await.unwrap().len();
        }
        counts
    }

    /// Has a mail about registrations in an account wait for a member.
    async fn tell(&self, account: AccountId, person: PersonId) {
        let task = Task::OrganizerMail {
            account,
            person,
            since: 0,
            until: 1,
        };
        let mut tx = self.store.begin().await.unwrap();
        let job = Job::person_mail(task, person.uuid());
        assert_eq!(tx.insert_jobs(&[job], self.clock.now()).await.unwrap(), 1);
        tx.commit().await.unwrap();
    }

    /// Has the waiting mails with codes refused by a server that names their recipient.
    async fn refuse_codes(&self, recipient: &str) {
        let (now, kind) = (self.clock.now(), JobKind::CodeMail);
        let mut tx = self.store.begin().await.unwrap();
        let claimed = tx.claim_jobs(&Destination::MAIL, kind, now, now.plus_seconds(60), 10);
        for job in claimed.await.unwrap() {
            let error = format!("550 5.1.1 <{recipient}>: no such mailbox");
            assert!(tx.fail_job(&job, now, &error).await.unwrap());
        }
        tx.commit().await.unwrap();
    }
}

async fn who_is_erased_leaves_no_session_code_invitation_or_mail(database: Database) {
    let instance = Instance::open(&database).await;
    let ada = instance.someone("ada@example.org", 1).await;
    let mut bob = instance.someone(BOB, 2).await;
    let account = instance.join(&ada, &mut bob, BOB, Role::Owner).await;
    let theirs = instance.standing_of(&bob).await;
    let carol = instance.someone("carol@example.org", 3).await;
    let hers = instance.standing_of(&carol).await;
    // What waits for others stays.
    instance.tell(account, ada.by.person).await;
    let for_dan = to("dan@example.org", Role::Door);
    let for_dan = instance.members.invite(&theirs, &bob.by, for_dan).await;
    assert_eq!(for_dan.unwrap().invited_by, "bob");
    instance.tell(account, bob.by.person).await;
    let for_bob = to("Bob@Example.org", Role::Door);
    let for_bob = instance.members.invite(&hers, &carol.by, for_bob).await;
    for_bob.unwrap();
    instance.sign_in.start(BOB, &browser(4)).await.unwrap();
    instance.refuse_codes("Bob@example.org").await;
    // Another code takes the place of the refused one, of which the mail remains.
    instance.sign_in.start(BOB, &browser(4)).await.unwrap();
    assert_eq!(instance.unsent().await, [2, 2, 2]);

    let done = instance.people.erase(BOB, &LastOwner::Remove).await;
    let done = done.unwrap();
    assert_eq!((done.person, done.removed_accounts), (true, 1));
    assert_eq!(
        done.mails, 4,
        "two codes, an invitation, a mail to a member"
    );
    assert_eq!(instance.unsent().await, [0, 1, 1]);
    let mails = Mailbox::of(&instance).collect().await;
    let recipients: Vec<&str> = mails.iter().map(|mail| &*mail.to.1).collect();
    assert!(recipients.is_empty(), "{recipients:?}");
    instance.clock.advance_seconds(5);
    assert!(instance.caller_of(&bob.session).await.is_err());
    let late = instance.sign_in.finish("00000000", &browser(4)).await;
    assert!(must_ask_again(&late), "the code is gone");
    let now = instance.clock.now();
    let invitations = instance.store.list_invitations_to(BOB, now, 10).await;
    assert_eq!(invitations.unwrap(), []);
    let found = instance.store.find_person_by_email(BOB).await;
    assert_eq!(found.unwrap(), None);
    let hers = instance.standing_of(&ada).await;
    let (members, invitations) = instance.members.list(&hers).await.unwrap();
    assert_eq!(members.len(), 1);
    assert_eq!(invitations, [], "Bob's invitation ended with him");
}

async fn who_was_only_invited_is_forgotten_too(database: Database) {
    let instance = Instance::open(&database).await;
    let ada = instance.someone("ada@example.org", 1).await;
    let hers = instance.standing_of(&ada).await;
    let for_bob = instance.members.invite(&hers, &ada.by, to(BOB, Role::Door));
    for_bob.await.unwrap();
    instance.tell(hers.account, ada.by.person).await;
    let done = instance.people.erase(BOB, &LastOwner::Refuse).await;
    let done = done.unwrap();
    assert_eq!((done.mails, done.person), (1, false));
    assert_eq!(instance.unsent().await, [0, 0, 1]);
    let (_, invitations) = instance.members.list(&hers).await.unwrap();
    assert_eq!(invitations, []);
}

test_postgres::on_both_engines!(prepare: migrate;
    who_is_erased_leaves_no_session_code_invitation_or_mail,
    who_was_only_invited_is_forgotten_too,
);
