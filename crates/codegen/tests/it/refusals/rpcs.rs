//! What an rpc says of itself: access, errors, streams, files.

use super::refused;

#[test]
fn an_rpc_that_does_not_say_who_may_call_it() {
    refused(
        &[("access: ACCESS_PAID\n", "")],
        &[
            "rpc toy.v1.BookService.GetScan",
            "it does not say its access",
        ],
    );
}

#[test]
fn an_rpc_for_sessions_alone_in_the_public_package() {
    refused(
        &[("access: ACCESS_PAID\n", "access: ACCESS_SESSION\n")],
        &[
            "rpc GetScan",
            "only internal rpcs may be for sessions alone",
        ],
    );
}

#[test]
fn a_step_up_of_what_is_no_session() {
    refused(
        &[(
            "access: ACCESS_PAID\n",
            "access: ACCESS_PAID\n      step_up: true\n",
        )],
        &["rpc toy.v1.BookService.GetScan", "only sessions step up"],
    );
}

#[test]
fn members_of_some_events_for_what_needs_no_scope() {
    refused(
        &[("no_scope: true", "no_scope: true\n      some_events: true")],
        &["so it must name one"],
    );
}

#[test]
fn an_option_that_is_not_known() {
    refused(
        &[(
            "no_scope: true\n    };\n  }\n}\n\n// Nothing.",
            "no_scopes: true\n    };\n  }\n}\n\n// Nothing.",
        )],
        &[
            "toy/internal/v1/desk.proto:13:5",
            "muster.options.v1.MethodRules",
        ],
    );
}

#[test]
fn an_error_that_is_no_reason() {
    refused(
        &[(r#"errors: "LENT""#, r#"errors: "EATEN""#)],
        &["rpc DiscardBook", "ErrorReason has no EATEN"],
    );
}

#[test]
fn an_api_without_the_reasons_that_every_route_needs() {
    refused(
        &[("ERROR_REASON_INTERNAL", "ERROR_REASON_BROKEN")],
        &["ErrorReason has no INTERNAL"],
    );
}

#[test]
fn a_reason_that_is_no_error() {
    refused(
        &[("http_status: 409", "http_status: 209")],
        &["LENT: 209 is no HTTP error"],
    );
}

#[test]
fn a_stream_of_anything_but_a_file() {
    refused(
        &[("returns (BookCount)", "returns (stream BookCount)")],
        &[
            "rpc toy.v1.BookService.CountBooks",
            "server streaming is supported for google.api.HttpBody only",
        ],
    );
}

#[test]
fn a_stream_of_requests() {
    refused(
        &[(
            "CountBooks(ListBooksRequest)",
            "CountBooks(stream ListBooksRequest)",
        )],
        &[
            "rpc toy.v1.BookService.CountBooks",
            "client streaming is not supported",
        ],
    );
}

#[test]
fn a_file_of_no_media_type() {
    refused(
        &[("media_type: \"application/pdf\"", "")],
        &["rpc GetScan", "does not say its media_type"],
    );
}

#[test]
fn a_credential_whose_scope_is_not_said() {
    refused(
        &[("no_scope: true\n", "")],
        &[
            "rpc toy.v1.BookService.GetBook",
            "it has to name the scope that it needs, or say no_scope: true",
        ],
    );
}

#[test]
fn a_scope_that_is_needed_and_not_needed() {
    refused(
        &[("no_scope: true", "no_scope: true scope: \"events:read\"")],
        &["rpc toy.v1.BookService.GetBook", "or say no_scope: true"],
    );
}

#[test]
fn a_scope_for_everyone() {
    refused(
        &[(
            "{access: ACCESS_PUBLIC}",
            "{access: ACCESS_PUBLIC scope: \"events:read\"}",
        )],
        &["rpc toy.v1.BookService.CountBooks", "it needs no scope"],
    );
}

#[test]
fn a_scope_that_is_not_listed() {
    refused(
        &[("scope: \"events:write\"", "scope: \"events:burn\"")],
        &[
            "rpc UpdateBook",
            "it needs the scope events:burn, which is not one of the API's",
        ],
    );
}

#[test]
fn a_scope_of_another_form() {
    refused(
        &[("name: \"events:read\"", "name: \"events.read\"")],
        &["scope \"events.read\"", "a name is like events:read"],
    );
}

#[test]
fn a_scope_that_is_listed_twice() {
    refused(
        &[("name: \"events:write\"", "name: \"events:read\"")],
        &["scope \"events:read\"", "there are two"],
    );
}

#[test]
fn a_scope_that_does_not_say_what_it_allows() {
    refused(
        &[("description: \"Change books.\"", "")],
        &["scope \"events:write\"", "it does not say what it allows"],
    );
}

#[test]
fn an_idempotency_key_for_everyone() {
    refused(
        &[(
            "{access: ACCESS_PUBLIC}",
            "{access: ACCESS_PUBLIC idempotency_key: true}",
        )],
        &[
            "rpc toy.v1.BookService.CountBooks",
            "idempotency keys belong to accounts",
        ],
    );
}

#[test]
fn an_idempotency_key_for_what_changes_nothing() {
    refused(
        &[("no_scope: true", "no_scope: true idempotency_key: true")],
        &[
            "rpc toy.v1.BookService.GetBook",
            "it takes no idempotency key",
        ],
    );
}

#[test]
fn an_internal_rpc_with_a_route() {
    refused(
        &[
            (
                "package toy.internal.v1;\n",
                "package toy.internal.v1;\nimport \"google/api/annotations.proto\";\n",
            ),
            (
                "returns (Card) {",
                "returns (Card) {\n option (google.api.http) = {get: \"/api/card\"};",
            ),
        ],
        &[
            "rpc CheckCard",
            "toy.internal.v1 is internal, so its rpcs have neither routes nor tools nor resources",
        ],
    );
}

#[test]
fn an_internal_rpc_that_needs_a_scope_that_is_not_listed() {
    refused(
        &[(
            "returns (Card) {\n    option idempotency_level = NO_SIDE_EFFECTS;\n    option (muster.options.v1.method) = {\n      access: \
             ACCESS_BEARER\n      no_scope: true",
            "returns (Card) {\n    option (muster.options.v1.method) = {\n      access: ACCESS_BEARER\n      scope: \"cards:read\"",
        )],
        &["rpc CheckCard", "it needs the scope cards:read"],
    );
}

#[test]
fn caching_of_what_is_not_public() {
    refused(
        &[(
            "access: ACCESS_PAID\n",
            "access: ACCESS_PAID\n      caching: {max_age_seconds: 60}\n",
        )],
        &[
            "rpc toy.v1.BookService.GetScan",
            "no cache may keep what it answers",
        ],
    );
}

#[test]
fn a_read_that_changes_the_catalogue() {
    refused(
        &[(
            "answers: \"The books.\"",
            "answers: \"The books.\"\n      changes_catalogue: true",
        )],
        &[
            "rpc toy.v1.BookService.ListBooks",
            "not the catalogue either",
        ],
    );
}

#[test]
fn caching_of_what_is_changed() {
    refused(
        &[
            (
                "delete: \"/api/books/{id}\"",
                "post: \"/api/books/{id}/discard\"",
            ),
            (
                "access: ACCESS_BEARER\n      scope: \"events:write\"\n      errors: \"NOT_FOUND\"\n      errors: \"LENT\"",
                "access: ACCESS_PUBLIC\n      caching: {max_age_seconds: 60}\n      errors: \"LENT\"",
            ),
        ],
        &["rpc DiscardBook", "caches keep answers to GET only"],
    );
}
