use std::time::Duration;

use http_kit::{Challenge, Problem};
use muster_api::{Reason, Scope, status, violation::Violation};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

#[test]
fn every_reason_keeps_its_code_status_and_message() {
    for reason in Reason::ALL {
        let problem = Problem::from(&status::status(*reason, "told"));
        assert_eq!(
            (problem.code, problem.http_status),
            (reason.code(), reason.http_status())
        );
        assert_eq!(problem.message, "told");
    }
}

#[test]
fn violations_become_details() {
    let violations = [Violation {
        field: "title".to_owned(),
        message: "is required".to_owned(),
    }];
    let problem = Problem::from(&status::invalid(&violations));
    assert_eq!(problem, Problem::invalid(&violations));
    assert_eq!(
        (problem.http_status, problem.code),
        (400, "INVALID_REQUEST")
    );
    assert_eq!(problem.details, violations);
}

#[test]
fn who_is_refused_for_their_credential_is_reported_what_it_lacks() {
    for scope in Scope::ALL {
        let problem = Problem::from(&status::insufficient_scope(*scope));
        assert_eq!(
            (problem.http_status, problem.code),
            (403, "INSUFFICIENT_SCOPE")
        );
        assert_eq!(problem.challenge, Some(Challenge::Scope(Some(*scope))));
    }
    for reason in Reason::ALL {
        let problem = Problem::from(&status::status(*reason, "told"));
        let expected = match reason {
            Reason::Unauthorized => Some(Challenge::ValidCredential),
            Reason::InsufficientScope => Some(Challenge::Scope(None)),
            _ => None,
        };
        assert_eq!(problem.challenge, expected, "{reason:?}");
    }
}

#[test]
fn a_bare_status_says_nothing_of_internals() {
    let expected = |code| match code {
        Code::InvalidArgument => (400, "INVALID_REQUEST"),
        Code::Unauthenticated => (401, "UNAUTHORIZED"),
        Code::NotFound => (404, "NOT_FOUND"),
        Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => (409, "CONFLICT"),
        Code::ResourceExhausted => (429, "RATE_LIMITED"),
        Code::Unavailable
        | Code::DeadlineExceeded
        | Code::Cancelled
        | Code::Unimplemented
        | Code::PermissionDenied => (503, "UNAVAILABLE"),
        _ => (500, "INTERNAL"),
    };
    for code in (0..=16).map(Code::from_i32) {
        let problem = Problem::from(&Status::new(code, "panicked at src/secret.rs"));
        assert_eq!(
            (problem.http_status, problem.code),
            expected(code),
            "{code:?}"
        );
        assert!(
            !problem.message.contains("secret"),
            "{code:?}: {}",
            problem.message
        );
        assert!(problem.cause.unwrap().contains("secret"));
        assert_eq!(
            problem.retry_after_seconds.is_some(),
            matches!(problem.http_status, 429 | 503),
            "{code:?}"
        );
    }
}

#[test]
fn a_missed_deadline_says_so() {
    let problem = Problem::from(&Status::deadline_exceeded("x"));
    assert!(problem.message.contains("too long"), "{}", problem.message);
}

#[test]
fn a_foreign_domain_is_not_believed() {
    let details = ErrorDetails::with_error_info("NOT_FOUND", "elsewhere.example", []);
    let problem = Problem::from(&Status::with_error_details(Code::Internal, "boom", details));
    assert_eq!(
        (problem.http_status, problem.message.contains("boom")),
        (500, false)
    );
}

#[test]
fn a_reason_from_a_newer_core_is_reported_by_its_code() {
    let details = ErrorDetails::with_error_info("BRAND_NEW", "muster", []);
    let problem = Problem::from(&Status::with_error_details(
        Code::FailedPrecondition,
        "told",
        details,
    ));
    assert_eq!(
        (problem.http_status, problem.code, problem.message.as_str()),
        (409, "CONFLICT", "told")
    );
}

#[test]
fn core_may_say_when_to_come_back() {
    let mut details = ErrorDetails::with_error_info(Reason::RateLimited.code(), status::DOMAIN, []);
    details.set_retry_info(Some(Duration::from_secs(42)));
    let problem = Problem::from(&Status::with_error_details(
        Code::ResourceExhausted,
        "slow down",
        details,
    ));
    assert_eq!(problem.retry_after_seconds, Some(42));
}
