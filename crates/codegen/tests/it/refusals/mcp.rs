//! Tools, resources and prompts.

use super::refused;

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
fn a_confirmation_that_is_left_out_for_what_is_no_truth_value() {
    refused(
        &[(
            "preview_rpc: \"GetBook\"",
            "unless: \"title\" preview_rpc: \"GetBook\"",
        )],
        &["rpc DiscardBook", "when title, which is no truth value"],
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
