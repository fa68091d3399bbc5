//! Routes and their parameters.

use super::refused;

#[test]
fn a_body_that_is_one_field() {
    refused(
        &[(r#"body: "*""#, r#"body: "title""#)],
        &[
            "rpc UpdateBook: /api/books/{id}",
            r#"body "title" is no file"#,
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
fn an_api_that_does_not_say_its_base_path() {
    refused(
        &[("base_path: \"/api\"", "")],
        &["no file of toy.v1", "base_path"],
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
fn a_route_without_a_title() {
    refused(
        &[("      summary: \"Get a book\"\n", "")],
        &["rpc GetBook", "it needs a summary of up to 40 characters"],
    );
}

#[test]
fn a_link_to_what_is_no_route() {
    refused(
        &[("rpcs: \"UpdateBook\"", "rpcs: \"CountBooks\"")],
        &["rpc GetBook", "CountBooks, which is no rpc with a route"],
    );
}

#[test]
fn a_link_with_what_is_not_answered() {
    refused(
        &[("from: \"id\"", "from: \"isbn\"")],
        &["rpc GetBook", "a link takes isbn"],
    );
}

#[test]
fn a_link_with_what_is_in_no_path() {
    refused(
        &[("variable: \"id\"", "variable: \"title\"")],
        &["rpc GetBook", "a link gives title"],
    );
}
