//! Members of accounts, the keys that they make, and their addresses.

use core_service::service::Error;
use domain::{
    ids::{InvitationId, KeyId},
    invitation::Invitation,
    person::{Rights, Role},
    plan::Plan,
};
use test_postgres::Database;

use super::{
    Instance,
    people::{request, to},
    signing_in::browser,
};
use crate::{
    fixtures::{HOUR, migrate},
    mail::Mailbox,
};

const DAY: i64 = 24 * HOUR;

async fn an_invitation_is_for_its_address_alone_and_once(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let owner = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&owner).await;
    let sent = instance
        .members
        .invite(&caller, &owner.by, to("Dora@example.org", Role::Door))
        .await
        .unwrap();
    let id = sent.invitation.id;
    let mail = mailbox.collect().await.remove(0);
    assert_eq!(mail.to.1, "Dora@example.org");
    assert!(
        mail.text.contains(&format!("/invitations/{id}")),
        "{}",
        mail.text
    );

    let stranger = instance.someone("mallory@example.org", 2).await;
    for other in [id, InvitationId::new(uuid::Uuid::nil())] {
        for answer in [
            instance.members.accept(&stranger.by, other).await.map(drop),
            instance.members.decline(&stranger.by, other).await,
        ] {
            assert!(matches!(answer, Err(Error::NotFound { .. })), "{answer:?}");
        }
    }
    // Who is invited has no account of their own when they sign in for the first time.
    let mut dora = instance.someone("dora@example.org", 3).await;
    assert_eq!(
        instance.caller_of(&dora.session).await.unwrap().principal,
        None
    );
    let view = instance.sessions.get(&dora.by).await.unwrap();
    assert_eq!(view.invitations.len(), 1);
    let (account, token) = instance.members.accept(&dora.by, id).await.unwrap();
    assert_eq!(account, caller.account);
    instance.renewed(&mut dora, token).await;
    let again = instance.members.accept(&dora.by, id).await;
    assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
    let standing = instance.standing_of(&dora).await;
    assert_eq!(
        (standing.account, standing.scopes),
        (account, Role::Door.scopes())
    );

    // Nobody takes an invitation that has lapsed, nor one of another account.
    let sent = instance
        .members
        .invite(&caller, &owner.by, to("mallory@example.org", Role::Owner))
        .await
        .unwrap();
    let foreign = instance.standing_of(&stranger).await;
    let withdrawn = instance.members.withdraw(&foreign, sent.invitation.id);
    assert!(matches!(withdrawn.await, Err(Error::NotFound { .. })));
    instance.clock.advance_seconds(7 * DAY);
    let late = instance.members.accept(&stranger.by, sent.invitation.id);
    assert!(matches!(late.await, Err(Error::NotFound { .. })));
}

async fn an_account_keeps_an_owner(database: Database) {
    let instance = Instance::open(&database).await;
    let mut owner = instance.someone("olga@example.org", 1).await;
    let mut other = instance.someone("otto@example.org", 2).await;
    let account = instance
        .join(&owner, &mut other, "otto@example.org", Role::Organizer)
        .await;
    let caller = instance.standing_of(&owner).await;
    let (members, me) = (&instance.members, owner.by.person);
    for refused in [
        members.leave(&owner.by, account).await.map(drop),
        members
            .change_role(&caller, me, Role::Organizer)
            .await
            .map(drop),
        members.change_role(&caller, me, Role::Door).await.map(drop),
        // Nobody removes themselves: who leaves has a new token.
        members
            .remove(&caller, &owner.by, me, Some(0))
            .await
            .map(drop),
    ] {
        assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    }
    let promoted = members
        .change_role(&caller, other.by.person, Role::Owner)
        .await
        .unwrap();
    assert_eq!(promoted.rights.role, Role::Owner);
    let token = members.leave(&owner.by, account).await.unwrap();
    instance.renewed(&mut owner, token).await;
    // Who left is nobody there.
    let left = instance.caller_of(&owner.session).await.unwrap();
    assert_eq!(left.principal, None);
    let again = members.leave(&owner.by, account).await;
    assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
    let last = members.leave(&other.by, account).await;
    assert!(matches!(last, Err(Error::Conflict(_))), "{last:?}");
    instance.clock.advance_seconds(5);
    let caller = instance.standing_of(&other).await;
    let last = members.change_role(&caller, other.by.person, Role::Organizer);
    assert!(matches!(last.await, Err(Error::Conflict(_))));
    assert_eq!(members.list(&caller).await.unwrap().0.len(), 1);
}

/// Of two owners who go at the same time, by any way, one stays.
async fn of_two_owners_who_go_at_once_one_stays(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    for round in 0..6_u8 {
        let address = |name: &str| format!("{name}{round}@example.org");
        let olga = instance.someone(&address("olga"), 1).await;
        let mut otto = instance.someone(&address("otto"), 2).await;
        let account = instance
            .join(&olga, &mut otto, &address("otto"), Role::Owner)
            .await;
        let (one, two) = (
            instance.standing_of(&olga).await,
            instance.standing_of(&otto).await,
        );
        let (olga_id, otto_id) = (olga.by.person, otto.by.person);
        let (here, there) = (&instance.members, &replica.members);
        let olga_goes = async {
            match round % 3 {
                0 => here.leave(&olga.by, account).await.map(drop),
                1 => here.change_role(&one, olga_id, Role::Door).await.map(drop),
                _ => there.remove(&two, &otto.by, olga_id, None).await.map(drop),
            }
        };
        let otto_goes = async {
            match round / 3 {
                0 => there.leave(&otto.by, account).await.map(drop),
                _ => there.change_role(&two, otto_id, Role::Door).await.map(drop),
            }
        };
        let went = tokio::join!(olga_goes, otto_goes);
        let refused = [&went.0, &went.1]
            .into_iter()
            .filter(|one| matches!(one, Err(Error::Conflict(_))));
        assert_eq!(refused.count(), 1, "{round}: {went:?}");
        let owners = instance.store.list_members(account, 10).await.unwrap();
        let owners = owners.iter().filter(|one| one.rights.role == Role::Owner);
        assert_eq!(owners.count(), 1, "{round}");
    }
}

async fn an_invitation_ends_with_the_power_of_who_made_it(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let friend = instance.someone("friend@example.org", 3).await;
    let account = instance
        .join(&olga, &mut otto, "otto@example.org", Role::Owner)
        .await;
    let theirs = instance.standing_of(&otto).await;
    let caller = instance.standing_of(&olga).await;
    for round in 0..3 {
        // He invites himself, by another address of his, for later.
        let invited = to("friend@example.org", Role::Owner);
        let invited = instance.members.invite(&theirs, &otto.by, invited);
        let id = invited.await.unwrap().invitation.id;
        let otto_id = otto.by.person;
        match round {
            0 => {
                let demoted = instance
                    .members
                    .change_role(&caller, otto_id, Role::Organizer);
                demoted.await.unwrap();
            }
            1 => {
                let removed = instance.members.remove(&caller, &olga.by, otto_id, None);
                removed.await.unwrap();
            }
            _ => {
                let token = instance.members.leave(&otto.by, account).await.unwrap();
                instance.renewed(&mut otto, token).await;
            }
        }
        let late = instance.members.accept(&friend.by, id).await;
        assert!(matches!(late, Err(Error::NotFound { .. })), "{late:?}");
        let (_, waiting) = instance.members.list(&caller).await.unwrap();
        assert_eq!(waiting, [], "{round}");
        let actions = instance.audit(id.uuid()).await;
        let ended = |entry: &serde_json::Value| entry["action"] == "member.end_invitation";
        assert!(actions.iter().any(ended), "{actions:?}");
        // Back again, for the next round.
        if round == 0 {
            let owner_again = instance.members.change_role(&caller, otto_id, Role::Owner);
            owner_again.await.unwrap();
        } else {
            instance
                .join(&olga, &mut otto, "otto@example.org", Role::Owner)
                .await;
        }
    }
}

/// An invitation of an older version, whose maker was removed before the update, is worth nothing.
async fn accepting_asks_again_whether_the_inviter_may_invite(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let account = instance
        .join(&olga, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    let now = instance.clock.now();
    let left_over = Invitation {
        id: InvitationId::new(uuid::Uuid::from_u128(7)),
        account_id: account,
        email: "friend@example.org".to_owned(),
        rights: Rights::everywhere(Role::Owner),
        invited_by: Some(otto.by.person),
        created_at: now,
        expires_at: now.plus_seconds(DAY),
    };
    let mut tx = instance.store.begin().await.unwrap();
    tx.put_invitation(&left_over, None).await.unwrap();
    tx.commit().await.unwrap();
    let friend = instance.someone("friend@example.org", 3).await;
    let view = instance.sessions.get(&friend.by).await.unwrap();
    assert_eq!(view.invitations, [], "it waits for nobody");
    let accepted = instance.members.accept(&friend.by, left_over.id).await;
    assert!(
        matches!(accepted, Err(Error::NotFound { .. })),
        "{accepted:?}"
    );
}

async fn the_keys_of_a_member_end_with_them_and_an_owner_keeps_them_with_new_secrets(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let owner = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&owner).await;
    for (number, keeps) in [(2, None), (3, Some(0)), (4, Some(HOUR))] {
        let email = format!("otto{number}@example.org");
        let mut member = instance.someone(&email, number).await;
        let account = instance
            .join(&owner, &mut member, &email, Role::Organizer)
            .await;
        let theirs = instance.standing_of(&member).await;
        assert_eq!(theirs.account, account);
        let key = instance.make_key(&theirs, &member).await;
        assert!(instance.use_key(&key).await.is_ok());

        let removed = instance
            .members
            .remove(&caller, &owner.by, member.by.person, keeps)
            .await
            .unwrap();
        assert_eq!(removed.revoked, u64::from(keeps.is_none()), "{keeps:?}");
        let worth = async |key| {
            let used = instance.use_key(key).await;
            used.ok().map(|one| one.scopes.joined(" "))
        };
        let scopes = Some("events:read registrations:read".to_owned());
        let overlaps = keeps.is_some_and(|seconds| seconds > 0);
        if keeps.is_none() {
            instance.clock.advance_seconds(5);
        }
        // Who was removed has the old secret still.
        let old = worth(&key).await;
        assert_eq!(old, scopes.clone().filter(|_| overlaps), "{keeps:?}");
        if keeps.is_some() {
            let [(new, shown)] = &removed.kept[..] else {
                panic!("{:?}", removed.kept);
            };
            assert_ne!(new.plain.expose(), key.plain.expose());
            assert_eq!((&*shown.key.label, &*shown.person_name), ("laptop", "olga"));
            assert_eq!(worth(new).await, scopes);
            let recorded = instance.audit(new.key.id.uuid()).await;
            assert_eq!(recorded[0]["action"], "key.take_over");
            assert_eq!(recorded[0]["after"]["replaces"], key.key.id.to_string());
            instance.clock.advance_seconds(HOUR);
            assert_eq!(worth(&key).await, None, "the overlap is over");
            assert_eq!(worth(new).await, scopes);
        } else {
            assert!(removed.kept.is_empty());
        }
        let left = instance.caller_of(&member.session).await.unwrap();
        let left = left.principal.map(|one| one.account);
        assert_ne!(left, Some(account), "the session is about another account");
    }
    let members = instance.members.list(&caller).await.unwrap().0;
    assert_eq!(members.len(), 1);
}

async fn a_key_can_do_what_its_person_can_at_the_time(database: Database) {
    let instance = Instance::open(&database).await;
    let owner = instance.someone("olga@example.org", 1).await;
    let mut member = instance.someone("otto@example.org", 2).await;
    instance
        .join(&owner, &mut member, "otto@example.org", Role::Organizer)
        .await;
    let theirs = instance.standing_of(&member).await;
    let key = instance.make_key(&theirs, &member).await;
    let caller = instance.standing_of(&owner).await;
    let scopes = async || instance.use_key(&key).await.unwrap().scopes.joined(" ");
    assert_eq!(scopes().await, "events:read registrations:read");
    for (role, expected) in [
        (Role::Door, "events:read registrations:read"),
        (Role::Owner, "events:read registrations:read"),
    ] {
        let changed = instance
            .members
            .change_role(&caller, member.by.person, role);
        changed.await.unwrap();
        instance.clock.advance_seconds(5);
        assert_eq!(scopes().await, expected);
    }
}

async fn a_key_is_made_listed_rotated_and_revoked(database: Database) {
    let instance = Instance::open(&database).await;
    let owner = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&owner).await;
    for (wrong, field) in [
        (request(&["events:read", "everything"], ""), "scopes"),
        // No key can have what only sessions have.
        (request(&["keys:write"], ""), "scopes"),
        (request(&["events:read"], "2020-01-01"), "expires"),
        (request(&["events:read"], "soon"), "expires"),
    ] {
        let refused = instance.own_keys.create(&caller, &owner.by, wrong).await;
        let Err(Error::Invalid(violations)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(violations[0].field, field);
    }
    let request = request(&["events:read"], "30d");
    let (first, shown) = instance
        .own_keys
        .create(&caller, &owner.by, request)
        .await
        .unwrap();
    assert_eq!(shown.person_name, "olga");
    let (second, _) = instance
        .own_keys
        .rotate(&caller, &owner.by, first.key.id, HOUR)
        .await
        .unwrap();
    assert_eq!(second.key.scopes, first.key.scopes);
    assert_eq!(
        second.key.expires_at, first.key.expires_at,
        "30 days from now"
    );
    assert!(instance.use_key(&first).await.is_ok());
    instance.clock.advance_seconds(HOUR);
    assert!(
        instance.use_key(&first).await.is_err(),
        "the overlap is over"
    );
    assert!(instance.use_key(&second).await.is_ok());
    assert_eq!(instance.own_keys.list(&caller).await.unwrap().len(), 2);

    let stranger = instance.caller("fay@example.org", Plan::Free).await;
    for id in [second.key.id, KeyId::new(uuid::Uuid::nil())] {
        let foreign = instance.own_keys.revoke(&stranger, id, false).await;
        assert!(matches!(foreign, Err(Error::NotFound { what: "key" })));
        let foreign = instance.own_keys.rotate(&stranger, &owner.by, id, 0).await;
        assert!(matches!(foreign, Err(Error::NotFound { what: "key" })));
    }
    instance
        .own_keys
        .revoke(&caller, second.key.id, false)
        .await
        .unwrap();
    assert!(instance.use_key(&second).await.is_err());
    let listed = instance.own_keys.list(&caller).await.unwrap();
    assert_eq!(listed.len(), 1);
}

async fn an_address_is_changed_by_a_code_to_the_new_one_and_a_notice_to_the_old(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let ada = instance.someone("ada@example.org", 1).await;
    let other = instance.someone("bob@example.org", 2).await;
    let mailbox = Mailbox::of(&instance);
    // The answer does not tell whether someone has the address; the mail to it does.
    let start = async |address| instance.profile.start_email_change(&ada.by, address).await;
    start("bob@example.org").await.unwrap();
    let mail = mailbox.collect().await.remove(0);
    assert_eq!(mail.subject, "You already use this address");

    start("Ada@new.example").await.unwrap();
    let mail = mailbox.collect().await.remove(0);
    assert_eq!(mail.to.1, "Ada@new.example");
    let (code, _) = mail.subject.split_once(" is your Muster code").unwrap();
    let foreign = instance
        .profile
        .finish_email_change(&other.by, code, false)
        .await;
    assert!(matches!(foreign, Err(Error::Conflict(_))), "{foreign:?}");
    let changed = instance
        .profile
        .finish_email_change(&ada.by, code, false)
        .await;
    assert_eq!(changed.unwrap().email, "Ada@new.example");
    let notice = mailbox.collect().await.remove(0);
    assert_eq!(notice.to.1, "ada@example.org");
    assert_eq!(notice.subject, "You sign in with another address now");
    assert!(!notice.text.contains("new.example"), "{}", notice.text);

    let again = instance.sign_in("ada@new.example", &browser(3)).await;
    assert_eq!(instance.person_of(&again).await.person, ada.by.person);
    let renamed = instance.profile.rename(&ada.by, "Ada Lovelace".to_owned());
    assert_eq!(renamed.await.unwrap().name, "Ada Lovelace");
}

test_postgres::on_both_engines!(prepare: migrate;
    an_invitation_is_for_its_address_alone_and_once,
    an_account_keeps_an_owner,
    of_two_owners_who_go_at_once_one_stays,
    an_invitation_ends_with_the_power_of_who_made_it,
    accepting_asks_again_whether_the_inviter_may_invite,
    the_keys_of_a_member_end_with_them_and_an_owner_keeps_them_with_new_secrets,
    a_key_can_do_what_its_person_can_at_the_time,
    a_key_is_made_listed_rotated_and_revoked,
    an_address_is_changed_by_a_code_to_the_new_one_and_a_notice_to_the_old,
);
