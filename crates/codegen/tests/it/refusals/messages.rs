//! Messages, their fields and the rules of these.

use super::refused;

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
fn a_list_with_a_default_that_cannot_be_told_from_an_empty_one() {
    let sizes = "repeated int32 sizes = 9 [(muster.options.v1.field) = {default_ints: 1}];";
    refused(
        &[(
            "// Languages that will do.",
            &format!("// Sizes.\n  {sizes}\n  // Languages that will do."),
        )],
        &["message ListBooksRequest", "needs a field mask empty_lists"],
    );
    refused(
        &[("{default_int: 10}", "{default_ints: 10}")],
        &[
            "field toy.v1.ListBooksRequest.limit",
            "only a list of int32 has default_ints",
        ],
    );
}

#[test]
fn a_file_of_several_media_types_that_cannot_be_sent_as_bytes() {
    let upload = |types: &str| {
        format!(
            "optional google.api.HttpBody count = 1 [(muster.options.v1.field) = {{upload: {{{types} max_mebibytes: 1}}}}];"
        )
    };
    let several = upload("media_types: \"image/png\" media_types: \"image/jpeg\"");
    refused(
        &[("int32 count = 1;", &several)],
        &[
            "field toy.v1.BookCount.count",
            "may also be sent as application/octet-stream",
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
        &["message BookCount", "contains itself"],
    );
}

#[test]
fn a_message_named_as_the_schema_of_errors() {
    refused(
        &[(
            "// Who writes books.",
            "// Wrong.\nmessage Error {}\n// Who writes books.",
        )],
        &[
            "message Error",
            "the name is reserved for a schema of errors",
        ],
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
