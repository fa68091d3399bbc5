//! A core on SQLite that cannot write any more. Its files may not grow beyond a byte, which the system allows a process to be
//! told at any time; a disk of its own it does not.

use std::process::Command;

use muster_api::v1::ListEventsRequest;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use test_postgres::Database;
use tonic::Code;

use super::{
    CatalogueServiceClient, EventServiceClient, POLL, Running, TIMEOUT, core, key, public_event,
    socket, with_key,
};
use crate::fixtures::migrate;

/// A core that goes on when its files may not grow: the system's signal, which ends a process, is ignored.
async fn start(database: &Database) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("unix://{}", socket(folder.path()).display());
    let arguments = ["--grpc-addr", &address, "--database-url", database.url()];
    let core = core(&arguments);
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(core.get_program())
        .args(core.get_args());
    for (name, value) in core.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let running = Running::spawn_in(folder, command);
    running.channel().await;
    running
}

/// Sets how large the files of a core may become, in bytes; `None` is as large as those of this process.
fn limit_files(running: &Running, bytes: Option<u64>) {
    let own = getrlimit(Resource::Fsize);
    let limit = Rlimit {
        current: bytes.or(own.current),
        ..own
    };
    let pid = Pid::from_child(&running.child);
    prlimit(Some(pid), Resource::Fsize, limit).unwrap();
}

#[tokio::test]
async fn a_core_that_cannot_write_says_so_and_goes_on_by_itself_once_it_can() {
    let database = Database::sqlite(migrate).await;
    let key = key(database.url()).await;
    let running = start(&database).await;
    let channel = running.channel().await;
    let mut events = EventServiceClient::new(channel.clone());
    let mut catalogue = CatalogueServiceClient::new(channel);
    let create = |title: &str| with_key(&key, public_event(title.to_owned()));
    events.create_event(create("Before")).await.unwrap();

    limit_files(&running, Some(1));
    for _ in 0..3 {
        let refused = events.create_event(create("Meanwhile")).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
        let words = refused.message();
        assert!(words.contains("cannot write"), "{words}");
    }
    let list = ListEventsRequest::default;
    let page = catalogue.list_events(list()).await.unwrap().into_inner();
    assert_eq!(page.count, 1);

    limit_files(&running, None);
    let created = tokio::time::timeout(TIMEOUT, async {
        while let Err(refused) = events.create_event(create("After")).await {
            assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
            tokio::time::sleep(POLL).await;
        }
    });
    created.await.expect("writing goes on");
    let page = catalogue.list_events(list()).await.unwrap().into_inner();
    let titles: Vec<_> = page.items.iter().map(|event| &*event.title).collect();
    assert_eq!(titles, ["Before", "After"]);
}
