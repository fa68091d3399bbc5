//! Muster as a whole, in one test: [`TestApp`] is a core on a gRPC port, and a gateway, an MCP bridge and a website on HTTP ports that call it
//! over the network, with a database, a clock and randomness that the test decides.
//!
//! A body is written once. [`on_both_engines!`] runs it on SQLite and on PostgreSQL; [`on_every_surface!`] runs it there through
//! HTTP, through gRPC and through MCP, which must answer the same.

#![expect(
    clippy::unwrap_used,
    reason = "whatever fails here fails a test, which is what it is for"
)]

mod app;
mod browser;
mod contract;
mod grpc;
mod http;
mod line;
mod mail;
mod mcp;
mod oauth;
mod refusal;
mod rows;
mod shorthand;
mod surface;

pub use app::{Account, TestApp, core_at, migrate};
pub use browser::Browser;
pub use grpc::{Bearer, Grpc};
pub use http::{Http, Reply, Request};
pub use line::Line;
pub use mail::Mail;
pub use mcp::{CallOutcome, Mcp, Revision};
pub use oauth::{OAuthApp, Returned, Tokens, challenge, consent_fields, pairs};
pub use refusal::Refusal;
pub use shorthand::{Created, new_event};
pub use surface::{Api, Client, Surface};
pub use test_postgres::Database;
pub use test_receiver::{Answer, Received, Receiver};

/// Turns bodies, each an `async fn(Arc<TestApp>)` of the calling module, into tests `on_sqlite::name` and
/// `on_postgres::name`. What only PostgreSQL can show comes last, after `; on_postgres:`.
#[macro_export]
macro_rules! on_both_engines {
    ($($body:ident),+ $(,)? $(; on_postgres: $($on_postgres:ident),+ $(,)?)?) => {
        mod on_sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    super::$body($crate::TestApp::on_sqlite().await).await;
                }
            )+
        }

        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    if let Some(app) = $crate::TestApp::on_postgres().await {
                        super::$body(app).await;
                    }
                }
            )+
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $on_postgres() {
                    if let Some(app) = $crate::TestApp::on_postgres().await {
                        super::$on_postgres(app).await;
                    }
                }
            )+)?
        }
    };
}

/// Turns bodies, each an `async fn(Api)` of the calling module, into tests on both engines, through HTTP, through gRPC and through
/// MCP (`over_http::on_sqlite::name` and so on).
#[macro_export]
macro_rules! on_every_surface {
    ($($body:ident),+ $(,)?) => {
        mod over_http {
            $(
                pub(super) async fn $body(app: std::sync::Arc<$crate::TestApp>) {
                    super::$body(app.over($crate::Surface::Http)).await;
                }
            )+
            $crate::on_both_engines!($($body),+);
        }

        mod over_grpc {
            $(
                pub(super) async fn $body(app: std::sync::Arc<$crate::TestApp>) {
                    super::$body(app.over($crate::Surface::Grpc)).await;
                }
            )+
            $crate::on_both_engines!($($body),+);
        }

        mod over_mcp {
            $(
                pub(super) async fn $body(app: std::sync::Arc<$crate::TestApp>) {
                    super::$body(app.over($crate::Surface::Mcp)).await;
                }
            )+
            $crate::on_both_engines!($($body),+);
        }
    };
}
