//! Mails that people who are signed in cause to others, and to themselves: there are few of them, over all cores.

use core_service::service::Error;
use domain::{person::Role, sign_in_code::Purpose};
use test_postgres::Database;

use super::{Instance, people::to, signing_in::DAY};
use crate::fixtures::{HOUR, migrate};

fn is_limited<T: std::fmt::Debug>(answer: Result<T, Error>, longest: i64) -> bool {
    match answer {
        Ok(_) => false,
        Err(Error::RateLimited { wait, .. }) => {
            assert!(i64::try_from(wait.as_secs()).unwrap() <= longest);
            true
        }
        Err(error) => panic!("{error:?}"),
    }
}

async fn an_address_is_invited_five_times_a_day_by_all_accounts_together(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let mut limited = Vec::new();
    for number in 0..7_u8 {
        let owner = format!("owner{number}@example.org");
        let owner = instance.someone(&owner, number).await;
        let caller = instance.standing_of(&owner).await;
        let core = if number % 2 == 0 { &instance } else { &replica };
        // It is one mailbox, whatever its address looks like.
        let address = to(&format!("Victim+{number}@example.org"), Role::Door);
        let invited = core.members.invite(&caller, &owner.by, address).await;
        limited.push(is_limited(invited, DAY));
        // The mails that were scheduled are not those of the next one who signs in.
        crate::mail::Mailbox::of(&instance).collect().await;
    }
    assert_eq!(limited, [false, false, false, false, false, true, true]);
    instance.clock.advance_seconds(DAY);
    let owner = instance.someone("late@example.org", 9).await;
    let caller = instance.standing_of(&owner).await;
    let address = to("victim@example.org", Role::Door);
    let invited = instance.members.invite(&caller, &owner.by, address).await;
    assert!(!is_limited(invited, DAY));
}

async fn an_account_invites_fifty_times_a_day(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let owner = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&owner).await;
    // A new account may invite fewer.
    instance.accounts.trust(caller.account).await.unwrap();
    for number in 0..52 {
        let core = if number % 2 == 0 { &instance } else { &replica };
        let address = to(&format!("guest{number}@example.org"), Role::Door);
        let invited = core.members.invite(&caller, &owner.by, address).await;
        // Withdrawing gives nothing back.
        if let Ok(sent) = &invited {
            let id = sent.invitation.id;
            core.members.withdraw(&caller, id).await.unwrap();
        }
        assert_eq!(is_limited(invited, DAY), number >= 50, "{number}");
    }
}

async fn a_session_has_five_codes_an_hour_for_each_purpose(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let ada = instance.someone("ada@example.org", 1).await;
    for purpose in [Purpose::StepUp, Purpose::EmailChange] {
        let mut limited = Vec::new();
        for number in 0..7 {
            let core = if number % 2 == 0 { &instance } else { &replica };
            let asked = if purpose == Purpose::StepUp {
                core.sessions.start_step_up(&ada.by).await.map(drop)
            } else {
                let address = format!("new+{number}@example.org");
                core.profile.start_email_change(&ada.by, &address).await
            };
            limited.push(is_limited(asked, HOUR));
        }
        assert_eq!(limited, [false, false, false, false, false, true, true]);
    }
}

/// Codes of a session are guessed as those of signing in are: five times, on all cores together.
async fn the_code_of_a_step_up_can_be_guessed_five_times(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let ada = instance.someone("ada@example.org", 1).await;
    let mailbox = crate::mail::Mailbox::of(&instance);
    instance.sessions.start_step_up(&ada.by).await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let wrong = super::signing_in::another(&code);
    let tries = (0..10).map(|number| {
        let chosen = if number % 2 == 0 { &instance } else { &replica };
        chosen.sessions.finish_step_up(&ada.by, &wrong)
    });
    let answers = futures_util::future::join_all(tries).await;
    let could_go_on = answers
        .iter()
        .filter(|answer| matches!(answer, Err(Error::Invalid(_))));
    assert_eq!(could_go_on.count(), 4, "{answers:?}");
    for one in [&instance, &replica] {
        let late = one.sessions.finish_step_up(&ada.by, &code).await;
        assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
    }
}

test_postgres::on_both_engines!(prepare: migrate;
    an_address_is_invited_five_times_a_day_by_all_accounts_together,
    an_account_invites_fifty_times_a_day,
    a_session_has_five_codes_an_hour_for_each_purpose,
    the_code_of_a_step_up_can_be_guessed_five_times,
);
