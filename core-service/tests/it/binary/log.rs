//! What core logs of calls.

use muster_api::v1::ListUseCasesRequest;
use test_postgres::Database;

use super::{CatalogueServiceClient, Running};
use crate::fixtures::migrate;

#[tokio::test]
async fn a_call_without_an_id_is_logged_with_the_one_that_it_answers() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start(database.url()).await;
    let mut catalogue = CatalogueServiceClient::new(running.channel().await);
    let answer = catalogue.list_use_cases(ListUseCasesRequest {}).await;
    let answer = answer.unwrap();
    let id = answer.metadata().get("x-request-id").unwrap();
    running.await_log(&format!("request_id={}", id.to_str().unwrap()));
}
