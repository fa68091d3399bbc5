//! What the generator does not support stops the build, with a message that names the place.

use crate::sources::toy;

/// Changes the toy and expects a refusal that says all these things.
#[track_caller]
fn refused(changes: &[(&str, &str)], said: &[&str]) {
    let error = toy(changes).expect_err("it was accepted");
    let error = format!("{error:#}");
    for text in said {
        assert!(error.contains(text), "no {text:?} in: {error}");
    }
}

#[test]
fn a_body_that_is_one_field() {
    refused(
        &[(r#"body: "*""#, r#"body: "title""#)],
        &[
            "rpc toy.v1.BookService.UpdateBook",
            r#"body "title" is not supported"#,
        ],
    );
}

#[test]
fn a_get_with_a_body() {
    refused(
        &[(
            r#"get: "/api/books/{id}/scan""#,
            r#"get: "/api/books/{id}/scan" body: "*""#,
        )],
        &["rpc toy.v1.BookService.GetScan", "a GET has no body"],
    );
}

#[test]
fn a_path_variable_that_is_no_field() {
    refused(
        &[(
            r#"delete: "/api/books/{id}""#,
            r#"delete: "/api/books/{book}""#,
        )],
        &[
            "rpc DiscardBook",
            "path variable book is no plain string field of DiscardBookRequest",
        ],
    );
}

#[test]
fn a_path_template_beyond_plain_variables() {
    refused(
        &[(
            r#"delete: "/api/books/{id}""#,
            r#"delete: "/api/{id=books/*}""#,
        )],
        &[
            "rpc toy.v1.BookService.DiscardBook",
            "segment \"{id=books\" is not supported",
        ],
    );
}

#[test]
fn a_path_outside_the_base_path() {
    refused(
        &[(r#"delete: "/api/books/{id}""#, r#"delete: "/books/{id}""#)],
        &["rpc DiscardBook", "the path does not start with /api/"],
    );
}

#[test]
fn two_rpcs_on_one_route() {
    refused(
        &[(
            r#"get: "/api/shelves/{shelf}/books""#,
            r#"get: "/api/books/{shelf}""#,
        )],
        &["rpc GetBook", "GET /api/books/{id} is bound twice"],
    );
}

#[test]
fn a_message_as_a_query_parameter() {
    refused(
        &[(
            "string shelf = 1",
            "Author author = 9;\n  // The shelf.\n  string shelf = 1",
        )],
        &["rpc ListBooks", "field author can be no query parameter"],
    );
}

#[test]
fn a_field_mask_without_a_body() {
    refused(
        &[(
            "patch: \"/api/books/{id}\"\n      body: \"*\"",
            "patch: \"/api/books/{id}\"",
        )],
        &[
            "rpc UpdateBook",
            "field update_mask can be no query parameter",
        ],
    );
}

#[test]
fn a_response_body_that_is_no_field() {
    refused(
        &[(r#"response_body: "items""#, r#"response_body: "books""#)],
        &[
            "rpc ListBooks",
            "response_body books is no field of the answer",
        ],
    );
}

#[test]
fn a_route_option_that_is_not_known() {
    refused(
        &[(
            r#"get: "/api/books/{id}/scan""#,
            r#"custom: {kind: "HEAD" path: "/api/books"}"#,
        )],
        &[
            "rpc toy.v1.BookService.GetScan",
            "google.api.http",
            "custom",
        ],
    );
}

#[test]
fn two_bodies_for_one_schema() {
    refused(
        &[(
            "body: \"*\"",
            "body: \"*\"\n additional_bindings: {post: \"/api/books\" body: \"*\"}",
        )],
        &[
            "rpc UpdateBook",
            "another path of UpdateBookRequest leaves other fields to the body",
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
fn a_validation_rule_that_is_not_known() {
    refused(
        &[("string.min_len = 1", "string.prefix = \"J\"")],
        &["field toy.v1.Author.name", "buf.validate.field", "prefix"],
    );
}

#[test]
fn a_required_field_that_cannot_be_missing() {
    refused(
        &[("optional string name = 1", "string name = 1")],
        &[
            "field toy.v1.Author.name",
            "a required field is declared optional",
        ],
    );
}

#[test]
fn a_map() {
    refused(
        &[("int32 count = 1;", "map<string, int32> count = 1;")],
        &["field toy.v1.BookCount.count", "maps are not supported"],
    );
}

#[test]
fn a_oneof() {
    refused(
        &[("int32 count = 1;", "oneof what { int32 count = 1; }")],
        &["message BookCount", "oneof is not supported"],
    );
}

#[test]
fn a_message_within_a_message() {
    refused(
        &[("int32 count = 1;", "int32 count = 1; message Inner {}")],
        &["message toy.v1.BookCount.Inner", "not supported"],
    );
}

#[test]
fn a_message_that_holds_itself() {
    refused(
        &[(
            "int32 count = 1;",
            "int32 count = 1; repeated BookCount more = 2;",
        )],
        &["message BookCount", "holds itself"],
    );
}

#[test]
fn a_message_named_as_the_schema_of_errors() {
    refused(
        &[(
            "// Who writes books.",
            "// Wrong.\nmessage Error {}\n// Who writes books.",
        )],
        &["message Error", "the schema of that name is that of errors"],
    );
}

#[test]
fn a_number_that_json_cannot_hold() {
    refused(
        &[("int32 count = 1;", "int64 count = 1;")],
        &[
            "field toy.v1.BookCount.count",
            "type int64 is not supported",
        ],
    );
}

#[test]
fn an_enum_as_a_field() {
    refused(
        &[("int32 count = 1;", "ErrorReason count = 1;")],
        &[
            "field toy.v1.BookCount.count",
            "type toy.v1.ErrorReason is not supported",
        ],
    );
}

#[test]
fn a_field_that_documents_show_without_an_example() {
    refused(
        &[(
            "string title = 2 [(muster.options.v1.field) = {example: \"Faust\"}]",
            "string title = 2",
        )],
        &["message Book", "field title has no example"],
    );
}

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
fn a_preview_that_does_not_exist() {
    refused(
        &[(r#"preview_rpc: "GetBook""#, r#"preview_rpc: "ShowBook""#)],
        &[
            "rpc DiscardBook",
            "tool \"discard_book\"",
            "there is no rpc ShowBook to preview it",
        ],
    );
}

#[test]
fn a_preview_that_takes_what_the_tool_lacks() {
    refused(
        &[(r#"preview_rpc: "GetBook""#, r#"preview_rpc: "ListBooks""#)],
        &["rpc DiscardBook", "its preview ListBooks takes shelf"],
    );
}

#[test]
fn a_question_about_what_the_preview_does_not_answer() {
    refused(
        &[(r#"Throw \"{title}\" away?"#, r#"Throw \"{name}\" away?"#)],
        &["rpc DiscardBook", "{name}", "GetBook does not answer"],
    );
}

#[test]
fn a_tool_without_a_route() {
    refused(
        &[(
            r#"option (google.api.http) = {delete: "/api/books/{id}"};"#,
            "",
        )],
        &["rpc DiscardBook", "only an rpc with a route can be a tool"],
    );
}

#[test]
fn two_tools_of_one_name() {
    refused(
        &[(r#"name: "update_book""#, r#"name: "list_books""#)],
        &["rpc UpdateBook", "there are two tools list_books"],
    );
}

#[test]
fn an_argument_that_the_generator_adds() {
    refused(
        &[("optional string condition = 5", "optional string clear = 5")],
        &[
            "rpc UpdateBook",
            "its argument clear is added by the generator",
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
fn an_api_that_does_not_say_its_base_path() {
    refused(
        &[("base_path: \"/api\"", "")],
        &["no file of toy.v1", "base_path"],
    );
}

#[test]
fn a_resource_whose_variable_is_no_field() {
    refused(
        &[("toy://books/{id}", "toy://books/{isbn}")],
        &[
            "rpc GetSummary",
            "its variable isbn is no string of GetBookRequest",
        ],
    );
}

#[test]
fn a_resource_whose_text_is_not_answered() {
    refused(
        &[(r#"text: "markdown""#, r#"text: "prose""#)],
        &[
            "rpc GetSummary",
            "its text prose is no string of the answer",
        ],
    );
}

#[test]
fn a_resource_that_nothing_lists() {
    refused(
        &[(r#"list_rpc: "ListBooks""#, r#"list_rpc: "ListPapers""#)],
        &["rpc GetSummary", "there is no rpc ListPapers to list it"],
    );
}

#[test]
fn a_resource_that_shows_what_its_items_lack() {
    refused(
        &[(r#"title: "{title}""#, r#"title: "{name}""#)],
        &["rpc GetSummary", "it shows {name}, which no Book has"],
    );
}

#[test]
fn a_prompt_that_shows_what_is_no_argument_of_it() {
    refused(
        &[("about {mood}", "about {weather}")],
        &["prompt \"find_book\"", "its text shows {weather}"],
    );
}

#[test]
fn a_confirmation_that_is_left_out_for_what_is_no_truth_value() {
    refused(
        &[(
            "preview_rpc: \"GetBook\"",
            "unless: \"title\" preview_rpc: \"GetBook\"",
        )],
        &["rpc DiscardBook", "when title, which is no truth value"],
    );
}
