//! No rule of the API reaches people in the API's words: the sources are read for rules, so that a new one needs a sentence.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{general, known};

/// Where rules are written that forms can break.
const SOURCES: [&str; 5] = [
    "../crates/domain/src",
    "../core-service/src",
    "../crates/covers/src/photo.rs",
    "../src/validation.rs",
    "../src/idempotency_key.rs",
];

/// How rules begin.
const BEGINNINGS: [&str; 7] = ["must ", "need ", "needs ", "cannot ", "is ", "has ", "may "];

/// What only operators read: settings, commands and the log.
const FOR_OPERATORS: [&str; 15] = [
    "core-service/src/admin",
    "core-service/src/settings",
    "core-service/src/demo",
    "core-service/src/email",
    "core-service/src/jobs",
    "core-service/src/grpc/port",
    "core-service/src/grpc/gate",
    "core-service/src/grpc/status.rs",
    "core-service/src/service/erase.rs",
    "core-service/src/service/shared_secrets.rs",
    "domain/src/oauth/redirect.rs",
    "domain/src/mail/status.rs",
    "domain/src/webhook/signature.rs",
    "domain/src/job.rs",
    "domain/src/rate.rs",
];

/// Words that are no rules of forms: of stored names that nobody knows, parts of other texts, settings, and what no form sends.
const NO_RULES: [&str; 5] = [
    "is no ",
    "is none of the names",
    "is closed",
    "is set",
    "must have the form plan=quota",
];

/// What stands where rules have a value of another kind than a number.
const VALUES: [(&str, &str); 5] = [
    ("{items}", "items"),
    ("{zone}", "Europe/Berlin"),
    ("\"must be {}\"", "\"must be Pending or Confirmed\""),
    ("is {0}: send JPEG", "is a GIF file: send JPEG"),
    ("{why}", "you are not a member for all dates that follow"),
];

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        files(&entry.unwrap().path(), found);
    }
}

/// The source without comments and tests.
fn source(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut code = lines.collect::<Vec<_>>().join("\n");
    for (written, value) in VALUES {
        code = code.replace(written, value);
    }
    code
}

/// The literals of a source that begin as rules do, with numbers in place of values.
fn rules(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for beginning in BEGINNINGS {
        for (at, _) in code.match_indices(&format!("\"{beginning}")) {
            let (mut rule, mut signs) = (String::new(), code[at + 1..].chars());
            loop {
                match signs.next().unwrap() {
                    '"' => break,
                    '\\' => match signs.next().unwrap() {
                        '\n' => {
                            let rest = signs.as_str().trim_start();
                            signs = rest.chars();
                        }
                        sign => rule.push(sign),
                    },
                    '{' => {
                        rule.push('7');
                        signs.find(|sign| *sign == '}').unwrap();
                    }
                    sign => rule.push(sign),
                }
            }
            found.push(rule);
        }
    }
    found
}

#[test]
fn every_rule_of_domain_and_core_has_a_sentence_for_people() {
    let mut paths = Vec::new();
    for source in SOURCES {
        files(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(source),
            &mut paths,
        );
    }
    let (mut count, mut bare) = (0, Vec::new());
    for path in paths {
        let name = path.to_str().unwrap();
        if FOR_OPERATORS.iter().any(|one| name.contains(one)) {
            continue;
        }
        for rule in rules(&source(&path)) {
            if NO_RULES.iter().any(|start| rule.starts_with(start)) {
                continue;
            }
            count += 1;
            let sentence = known(&rule).unwrap_or_default();
            if !sentence.ends_with('.') || sentence.contains('_') {
                bare.push(format!("{name}: {rule} → {sentence}"));
            }
        }
    }
    assert!(bare.is_empty(), "{}", bare.join("\n"));
    assert!(count > 120, "only {count} rules were found");
}

#[test]
fn rules_of_later_features_are_sentences_for_people() {
    for (rule, sentence) in [
        (
            "must be after registration_opens",
            "Registration has to close after it opens. Choose a later time.",
        ),
        (
            "must be before the event is over (2027-01-09T00:00:00+01:00), or null",
            "Registration has to open before the event is over. Choose an earlier time, or leave this empty.",
        ),
        (
            "must lead to a time in the future, is 2020-01-01T09:00:00Z",
            "This time has passed. Choose a later one.",
        ),
        (
            "must be at most 4: register others on their own",
            "At most 4 people can come with one registration. Others register on their own.",
        ),
        (
            "must not be more than the other people, who are 0; for 2 of them, party_size must be at least 3",
            "You gave 2 names: choose 3 people.",
        ),
        (
            "cannot be used: its URL must begin with https://, name a host, and have no user name and no password",
            "Enter a web address that begins with https://, without a user name and a password.",
        ),
        (
            "has 500 by 200 pixels: send at least 600 by 315, and at most 25 million pixels",
            "That picture has 500 by 200 pixels. Choose one of at least 600 by 315, and at most 25 million.",
        ),
        (
            "must be fewer than the 3 that the free plan allows, of which 2 are left, and this needs 8: cancel one, wait for one to end, or change the plan",
            "Your plan has 2 more active events, and this needs 8.",
        ),
        (
            "a new account may mail 20 people a day who did not register themselves, of which 5 are left until 2027-01-16T00:00:00Z, and this needs 9; the limit ends when 10 people have registered themselves and confirmed, cancelled or changed it on their page, or when the operator trusts the account",
            "A new account can email 20 people a day who didn’t register themselves. 5 are left today, and this needs 9. The limit ends when 10 people have registered themselves and confirmed, cancelled or changed it on their page, or when the operator trusts the account.",
        ),
    ] {
        assert_eq!(general(rule), sentence);
    }
}
