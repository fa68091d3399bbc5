//! Signing in and signing up: codes by mail, links of operators, sessions.

use core_service::service::{Browser, Error, NewSession, Policy, SignUp};
use domain::{person::Role, plan::Plan};
use test_postgres::Database;

use super::{Instance, policy};
use crate::{
    fixtures::{HOUR, migrate},
    mail::Mailbox,
};

pub(super) const MINUTE: i64 = 60;
pub(super) const DAY: i64 = 24 * HOUR;

/// One of several browsers.
pub(crate) fn browser(number: u8) -> Browser {
    Browser::new(&format!("{number:032}"), None, "Firefox on Linux")
}

impl Instance {
    /// Another core on the same database.
    pub(super) fn replica(&self) -> Self {
        Self::on(self.store.clone(), 9, self.clock.clone())
    }

    /// The code in the one mail that there is.
    pub(super) async fn mailed_code(&self, mailbox: &Mailbox) -> String {
        let mails = mailbox.collect().await;
        assert_eq!(mails.len(), 1, "one mail");
        let (code, _) = mails[0].subject.split_once(" is your Muster code").unwrap();
        assert!(mails[0].text.contains(code) && mails[0].html.contains(code));
        code.to_owned()
    }

    /// Signs in by a code.
    pub(crate) async fn sign_in(&self, email: &str, browser: &Browser) -> NewSession {
        let mailbox = Mailbox::of(self);
        self.sign_in.start(email, browser).await.unwrap();
        let code = self.mailed_code(&mailbox).await;
        self.sign_in.finish(&code, browser).await.unwrap()
    }
}

/// A code that is not this one.
pub(super) fn another(code: &str) -> String {
    let digit = if code.starts_with('1') { '2' } else { '1' };
    code.replacen(|_: char| true, &digit.to_string(), 1)
}

pub(super) fn is_wrong<T: std::fmt::Debug>(answer: Result<T, Error>) -> bool {
    match answer {
        Err(Error::Invalid(violations)) => violations[0].field == "code",
        other => panic!("{other:?}"),
    }
}

pub(super) fn must_ask_again<T>(answer: &Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Conflict(_)))
}

async fn whoever_signs_in_first_has_an_account_and_later_the_same(database: Database) {
    let instance = Instance::open(&database).await;
    let first = instance.sign_in("Ada@Example.org", &browser(1)).await;
    assert!(first.is_new_person);
    let caller = instance.caller_of(&first).await.unwrap();
    let principal = caller.principal.unwrap();
    assert_eq!(principal.scopes, Role::Owner.scopes());
    let account = instance.accounts.get(&principal).await.unwrap().account;
    assert_eq!(
        (account.plan, &*account.email),
        (Plan::Free, "Ada@Example.org")
    );
    assert_eq!(account.name, "Ada");

    let second = instance.sign_in("ada@example.org", &browser(2)).await;
    assert!(!second.is_new_person);
    assert_ne!(second.token.expose(), first.token.expose());
    let again = instance.caller_of(&second).await.unwrap();
    assert_eq!(again.principal, Some(principal));

    let person = instance.person_of(&first).await;
    let view = instance.sessions.get(&person).await.unwrap();
    assert_eq!(view.person.email, "Ada@Example.org");
    assert_eq!(view.memberships[0].rights.role, Role::Owner);
    assert_eq!(instance.sessions.list(&person).await.unwrap().len(), 2);
}

async fn whoever_signs_up_gets_the_plan_for_that(database: Database) {
    let policy = Policy {
        sign_up: SignUp {
            is_open: true,
            plan: Plan::Premium,
        },
        ..policy()
    };
    let instance = Instance::open_under(&database, policy).await;
    let ada = instance.someone("ada@example.org", 1).await;
    let mut dora = instance.someone("dora@example.org", 2).await;
    let own = instance.standing_of(&dora).await;
    let removed = instance.own_accounts.remove(&own, &dora.by, "dora").await;
    instance.renewed(&mut dora, removed.unwrap()).await;
    let name = "Again".to_owned();
    let (_, token) = instance
        .own_accounts
        .create(&dora.by, name, "Asia/Tokyo")
        .await
        .unwrap();
    instance.renewed(&mut dora, token).await;
    let standing = instance.standing_of(&dora).await;
    let account = instance.accounts.get(&standing).await.unwrap().account;
    assert_eq!(account.timezone.as_deref(), Some("Asia/Tokyo"));
    for who in [&ada, &dora] {
        let standing = instance.standing_of(who).await;
        let account = instance.accounts.get(&standing).await.unwrap().account;
        assert_eq!(account.plan, Plan::Premium, "{}", account.name);
    }
}

async fn who_had_an_account_before_is_its_owner(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let new = instance.sign_in("OLGA@example.org", &browser(1)).await;
    let caller = instance.caller_of(&new).await.unwrap();
    assert!(!new.is_new_person);
    assert_eq!(caller.principal.unwrap().account, olga.account);
}

async fn a_code_can_be_guessed_five_times_over_all_cores(database: Database) {
    let (instance, ada) = (Instance::open(&database).await, browser(1));
    let (replica, mailbox) = (instance.replica(), Mailbox::of(&instance));
    instance
        .sign_in
        .start("ada@example.org", &ada)
        .await
        .unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let wrong = another(&code);
    // At the same time, so that tries that are not counted one by one would be too many.
    let tries = (0..10).map(|number| {
        let chosen = if number % 2 == 0 { &instance } else { &replica };
        chosen.sign_in.finish(&wrong, &ada)
    });
    let answers = futures_util::future::join_all(tries).await;
    let could_go_on = answers
        .iter()
        .filter(|answer| matches!(answer, Err(Error::Invalid(_))));
    assert_eq!(could_go_on.count(), 4, "the fifth is the last: {answers:?}");
    for one in [&instance, &replica] {
        let late = one.sign_in.finish(&code, &ada).await;
        assert!(must_ask_again(&late), "{late:?}");
    }
}

async fn what_cannot_be_a_code_takes_no_try(database: Database) {
    let (instance, ada) = (Instance::open(&database).await, browser(1));
    let mailbox = Mailbox::of(&instance);
    instance
        .sign_in
        .start("ada@example.org", &ada)
        .await
        .unwrap();
    let code = instance.mailed_code(&mailbox).await;
    for text in ["", "1234", "abcdefgh", "123456789", "' OR 1=1"] {
        assert!(
            is_wrong(instance.sign_in.finish(text, &ada).await),
            "{text}"
        );
    }
    let spaced = code.replace(' ', "-");
    assert!(instance.sign_in.finish(&spaced, &ada).await.is_ok());
    // It is used up.
    assert!(must_ask_again(&instance.sign_in.finish(&code, &ada).await));
}

async fn a_code_is_for_the_browser_that_asked_and_for_ten_minutes(database: Database) {
    let (instance, ada) = (Instance::open(&database).await, browser(1));
    let mailbox = Mailbox::of(&instance);
    instance
        .sign_in
        .start("ada@example.org", &ada)
        .await
        .unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let stranger = instance.sign_in.finish(&code, &browser(2)).await;
    assert!(must_ask_again(&stranger), "{stranger:?}");

    instance.clock.advance_seconds(10 * MINUTE);
    let late = instance.sign_in.finish(&code, &ada).await;
    assert!(must_ask_again(&late), "{late:?}");

    // A new code replaces the one before.
    instance
        .sign_in
        .start("ada@example.org", &ada)
        .await
        .unwrap();
    let old = instance.mailed_code(&mailbox).await;
    instance
        .sign_in
        .start("ada@example.org", &ada)
        .await
        .unwrap();
    let new = instance.mailed_code(&mailbox).await;
    if old != new {
        assert!(is_wrong(instance.sign_in.finish(&old, &ada).await));
    }
    assert!(instance.sign_in.finish(&new, &ada).await.is_ok());
}

async fn thirty_wrong_codes_a_day_keep_strangers_out_and_not_the_owner(database: Database) {
    let instance = Instance::open(&database).await;
    let (own, mailbox) = (browser(1), Mailbox::of(&instance));
    instance.sign_in("ada@example.org", &own).await;
    for number in 0..6 {
        let stranger = browser(10 + number);
        instance.clock.advance_seconds(HOUR);
        instance
            .sign_in
            .start("ada@example.org", &stranger)
            .await
            .unwrap();
        let code = instance.mailed_code(&mailbox).await;
        for _ in 0..5 {
            let wrong = instance.sign_in.finish(&another(&code), &stranger).await;
            assert!(wrong.is_err());
        }
    }
    let stranger = browser(20);
    instance
        .sign_in
        .start("Ada@example.org", &stranger)
        .await
        .unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let refused = instance.replica().sign_in.finish(&code, &stranger).await;
    assert!(
        matches!(refused, Err(Error::RateLimited { .. })),
        "{refused:?}"
    );
    // In a browser in which she signed in before, Ada does.
    instance.sign_in("ada@example.org", &own).await;
    instance.clock.advance_seconds(DAY);
    instance.sign_in("ada@example.org", &browser(21)).await;
}

async fn nobody_is_bombed_with_mails(database: Database) {
    let instance = Instance::open(&database).await;
    let (own, replica) = (browser(1), instance.replica());
    instance.sign_in("ada@example.org", &own).await;
    let mut sent = 0;
    for number in 0..8_u8 {
        let chosen = if number % 2 == 0 { &instance } else { &replica };
        let address = format!("ada+{number}@example.org");
        match chosen.sign_in.start(&address, &browser(10 + number)).await {
            Ok(()) => sent += 1,
            Err(Error::RateLimited { wait, .. }) => assert!(wait.as_secs() <= 3_600),
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(sent, 4, "with the one that she asked for herself, five");
    // Her own browser has a budget of its own.
    instance
        .sign_in
        .start("ada@example.org", &own)
        .await
        .unwrap();
    instance.clock.advance_seconds(HOUR);
    let later = instance
        .sign_in
        .start("ada@example.org", &browser(30))
        .await;
    later.unwrap();
}

/// One of several browsers, at an address.
fn browser_at(number: u8, client: &str) -> Browser {
    let client = Some(client.parse().unwrap());
    Browser::new(&format!("{number:032}"), client, "Firefox on Linux")
}

async fn strangers_of_one_network_keep_no_new_browser_out(database: Database) {
    let instance = Instance::open(&database).await;
    let (mailbox, address) = (Mailbox::of(&instance), "ada@example.org");
    let mut sent = 0;
    for number in 0..40_u8 {
        let stranger = browser_at(100 + number, &format!("192.0.2.{number}"));
        sent += usize::from(instance.sign_in.start(address, &stranger).await.is_ok());
    }
    assert_eq!(sent, 5);
    mailbox.collect().await;
    let new = browser_at(1, "198.51.100.7");
    instance.sign_in.start(address, &new).await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    instance.sign_in.finish(&code, &new).await.unwrap();
    // All networks together have 20.
    for number in 0..40_u8 {
        let stranger = browser_at(150 + number, &format!("203.0.{number}.1"));
        sent += usize::from(instance.sign_in.start(address, &stranger).await.is_ok());
    }
    assert_eq!(sent, 19);
    mailbox.collect().await;
    // The browser that is known goes on.
    instance.sign_in.start(address, &new).await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    instance.sign_in.finish(&code, &new).await.unwrap();
}

async fn wrong_codes_of_one_network_keep_no_new_browser_out(database: Database) {
    let instance = Instance::open(&database).await;
    let (mailbox, address) = (Mailbox::of(&instance), "ada@example.org");
    for number in 0..6_u8 {
        let stranger = browser_at(100 + number, "192.0.2.1");
        instance.clock.advance_seconds(HOUR);
        instance.sign_in.start(address, &stranger).await.unwrap();
        let code = instance.mailed_code(&mailbox).await;
        for _ in 0..5 {
            let wrong = instance.sign_in.finish(&another(&code), &stranger).await;
            assert!(wrong.is_err());
        }
    }
    let refused = browser_at(120, "192.0.2.99");
    instance.sign_in.start(address, &refused).await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let refused = instance.sign_in.finish(&code, &refused).await;
    assert!(matches!(refused, Err(Error::RateLimited { .. })));
    let new = browser_at(1, "2001:db8::1");
    instance.sign_in.start(address, &new).await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    instance.sign_in.finish(&code, &new).await.unwrap();
}

async fn a_browser_that_asks_again_is_sent_the_same_code(database: Database) {
    let instance = Instance::open(&database).await;
    let (ada, mailbox) = (browser(1), Mailbox::of(&instance));
    let address = "ada@example.org";
    let asked = async || {
        instance.sign_in.start(address, &ada).await.unwrap();
        instance.mailed_code(&mailbox).await
    };
    let first = asked().await;
    instance.clock.advance_seconds(9 * MINUTE);
    for _ in 0..3 {
        let wrong = instance.sign_in.finish(&another(&first), &ada).await;
        assert!(is_wrong(wrong));
    }
    assert_eq!(asked().await, first);
    // The tries of before count, and the mail says the truth of its ten minutes.
    instance.clock.advance_seconds(9 * MINUTE);
    let wrong = instance.sign_in.finish(&another(&first), &ada).await;
    assert!(is_wrong(wrong));
    let used_up = instance.sign_in.finish(&another(&first), &ada).await;
    assert!(must_ask_again(&used_up));
    let second = asked().await;
    assert_ne!(second, first);
    // Another address has a code of its own.
    instance
        .sign_in
        .start("bob@example.org", &ada)
        .await
        .unwrap();
    assert_ne!(instance.mailed_code(&mailbox).await, second);
    assert_ne!(asked().await, second);
    asked().await;
    let limited = instance.sign_in.start(address, &ada).await;
    assert!(
        matches!(limited, Err(Error::RateLimited { .. })),
        "each counts"
    );
}

async fn an_unknown_address_is_answered_alike_and_gets_no_mail_where_sign_up_is_closed(
    database: Database,
) {
    let closed = Policy {
        sign_up: SignUp {
            is_open: false,
            plan: Plan::Free,
        },
        ..policy()
    };
    let instance = Instance::open_under(&database, closed).await;
    instance.olga().await;
    let mailbox = Mailbox::of(&instance);
    for (number, address) in (1..).zip(["olga@example.org", "nobody@example.org"]) {
        let answer = instance.sign_in.start(address, &browser(number)).await;
        assert!(answer.is_ok(), "{address}: {answer:?}");
    }
    let mails = mailbox.collect().await;
    let to: Vec<_> = mails.iter().map(|mail| mail.to.1.as_str()).collect();
    assert_eq!(to, ["olga@example.org"]);
    // A wrong code is answered alike, too.
    for number in [1, 2] {
        let answer = instance.sign_in.finish("00000000", &browser(number)).await;
        assert!(is_wrong(answer));
    }
}

async fn a_link_of_an_operator_signs_in_once_and_for_fifteen_minutes(database: Database) {
    let instance = Instance::open(&database).await;
    instance.olga().await;
    let unknown = instance.sign_in.new_link("nobody@example.org").await;
    assert!(matches!(unknown, Err(Error::NotFound { what: "person" })));
    let link = instance.sign_in.new_link("olga@example.org").await.unwrap();
    let browsers = [browser(1), browser(2)];
    let uses = browsers
        .iter()
        .map(|one| instance.sign_in.use_link(link.expose(), one));
    let answers: Vec<_> = futures_util::future::join_all(uses).await;
    let opened = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(opened, 1, "{answers:?}");
    let link = instance.sign_in.new_link("olga@example.org").await.unwrap();
    instance.clock.advance_seconds(15 * MINUTE);
    for late in [link.expose(), "", "abc"] {
        let late = instance.sign_in.use_link(late, &browser(3)).await;
        assert!(matches!(late, Err(Error::NotFound { .. })), "{late:?}");
    }
}

test_postgres::on_both_engines!(prepare: migrate;
    whoever_signs_in_first_has_an_account_and_later_the_same,
    whoever_signs_up_gets_the_plan_for_that,
    who_had_an_account_before_is_its_owner,
    a_code_can_be_guessed_five_times_over_all_cores,
    what_cannot_be_a_code_takes_no_try,
    a_code_is_for_the_browser_that_asked_and_for_ten_minutes,
    thirty_wrong_codes_a_day_keep_strangers_out_and_not_the_owner,
    nobody_is_bombed_with_mails,
    strangers_of_one_network_keep_no_new_browser_out,
    wrong_codes_of_one_network_keep_no_new_browser_out,
    a_browser_that_asks_again_is_sent_the_same_code,
    an_unknown_address_is_answered_alike_and_gets_no_mail_where_sign_up_is_closed,
    a_link_of_an_operator_signs_in_once_and_for_fifteen_minutes,
);
