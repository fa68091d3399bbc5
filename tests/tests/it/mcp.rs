//! The MCP port: the protocol around the tools, which the other modules call like any other surface.

mod confirmation;
mod http;
mod parity;
mod protocol;
mod tools;

/// Tests of what the bridge answers by itself, core being asked about the key alone: on one database, which makes no
/// difference to it.
macro_rules! on_sqlite {
    ($($body:ident),+ $(,)?) => {
        mod bridge {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    super::$body(tests::TestApp::on_sqlite().await).await;
                }
            )+
        }
    };
}

use on_sqlite;
