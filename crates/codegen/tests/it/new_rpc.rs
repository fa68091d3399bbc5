//! A new rpc is served everywhere by what the proto says of it.

use crate::sources::{json, text, toy};

const RPC: &str = r#"
  // Lends a book.
  rpc LendBook(LendBookRequest) returns (Book) {
    option (google.api.http) = {
      post: "/api/books/{id}/lend"
      body: "*"
    };
    option (muster.options.v1.method) = {
      access: ACCESS_BEARER
      scope: "events:write"
      errors: "LENT"
      answers: "The book."
      tool: {
        name: "lend_book"
        title: "Lend a book"
        description: "Lends a book."
      }
    };
  }

  // Throws a book away."#;

const REQUEST: &str = r#"
// Which book to lend.
message LendBookRequest {
  // The book's id.
  string id = 1 [(muster.options.v1.field) = {example: "b1"}];
  // To whom.
  optional string to = 2 [
    (buf.validate.field).required = true,
    (buf.validate.field).string.max_len = 40,
    (muster.options.v1.field) = {example: "Ada"}
  ];
}

// Which book to throw away."#;

#[test]
fn an_rpc_added_to_the_proto_gets_a_route_a_path_and_a_tool_without_other_code() {
    let outputs = toy(&[
        ("\n  // Throws a book away.", RPC),
        ("\n// Which book to throw away.", REQUEST),
    ])
    .unwrap();

    let bindings = text(&outputs, "bindings.rs");
    assert!(bindings.contains("impl Binding for LendBook {"));
    assert!(bindings.contains("visitor.visit(LendBook);"));
    assert!(bindings.contains(r#"const PATH: &'static str = "/api/books/{id}/lend";"#));
    assert!(text(&outputs, "services.rs").contains("async fn lend_book("));
    assert!(text(&outputs, "validation.rs").contains(r#"check.field("to").length(to, 0, 40);"#));

    let document = json(&outputs, "openapi.json");
    let operation = &document["paths"]["/books/{id}/lend"]["post"];
    assert_eq!(operation["operationId"], "lendBook");
    let body = &document["components"]["schemas"]["LendBookRequest"];
    assert_eq!(body["properties"]["to"]["maxLength"], 40);

    let tools = json(&outputs, "tools.json");
    let row = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["tool"]["name"] == "lend_book");
    assert_eq!(row.unwrap()["grpc_path"], "/toy.v1.BookService/LendBook");
}
