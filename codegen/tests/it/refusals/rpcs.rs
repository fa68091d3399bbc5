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
fn an_option_that_is_not_known() {
    refused(
        &[("checks_credential: true", "checks_credentials: true")],
        &["toy/v1/toy.proto:60:5", "muster.options.v1.MethodRules"],
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
