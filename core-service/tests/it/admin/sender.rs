//! What `doctor` finds in DNS about the sender of mails.

use std::{collections::BTreeMap, net::SocketAddr};

use hickory_resolver::proto::{
    op::{Message, MessageType, ResponseCode},
    rr::{Name, RData, Record, RecordType, rdata::TXT},
};
use test_postgres::Database;
use test_smtp::Server;
use tokio::{net::UdpSocket, task::AbortHandle};

use super::run_asking;
use crate::fixtures::migrate;

/// A name server on this machine, gone when dropped.
struct NameServer {
    address: SocketAddr,
    task: AbortHandle,
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn name(text: &str) -> Name {
    Name::from_ascii(format!("{text}.")).unwrap()
}

impl NameServer {
    /// With these records. What it does not know does not exist, unless there is something below it.
    async fn start(records: Vec<(&str, RData)>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let mut known: BTreeMap<Name, Vec<RData>> = BTreeMap::new();
        for (at, data) in records {
            known.entry(name(at)).or_default().push(data);
        }
        let serve = async move {
            let mut buffer = [0; 4_096];
            loop {
                let (length, client) = socket.recv_from(&mut buffer).await.unwrap();
                let asked = Message::from_vec(&buffer[..length]).unwrap();
                let answer = answer(&known, &asked);
                socket.send_to(&answer, client).await.unwrap();
            }
        };
        let task = tokio::spawn(serve).abort_handle();
        Self { address, task }
    }
}

fn answer(known: &BTreeMap<Name, Vec<RData>>, asked: &Message) -> Vec<u8> {
    let query = asked.queries[0].clone();
    let (at, kind): (Name, RecordType) = (query.name().clone(), query.query_type());
    let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
    assert_eq!(answer.metadata.message_type, MessageType::Response);
    let found = known.get(&at).into_iter().flatten();
    for data in found.filter(|data| data.record_type() == kind) {
        answer.add_answer(Record::from_rdata(at.clone(), 60, data.clone()));
    }
    let exists = known.keys().any(|one| at.zone_of(one));
    if !exists {
        answer.metadata.response_code = ResponseCode::NXDomain;
    }
    answer.add_query(query);
    answer.to_vec().unwrap()
}

fn text(text: &str) -> RData {
    // Long texts are in parts.
    let (one, other) = text.split_at(text.len() / 2);
    RData::TXT(TXT::new(vec![one.to_owned(), other.to_owned()]))
}

/// What was found, by the name of the check, and whether it is a note.
async fn checked(
    database: &Database,
    records: Vec<(&str, RData)>,
    more: &str,
) -> BTreeMap<String, (bool, String)> {
    let (names, mails) = (NameServer::start(records).await, Server::start());
    let doctor = format!(
        "doctor --smtp-url {} --mail-from events@muster.example{more}",
        mails.url()
    );
    let answer = run_asking(database.url(), &doctor, names.address)
        .await
        .unwrap();
    assert!(answer.succeeded, "{}", answer.text);
    let checks = answer.json["checks"].as_array().unwrap().clone();
    let shown = |check: &serde_json::Value| {
        let text = check["message"].as_str().unwrap().to_owned();
        let name = check["name"].as_str().unwrap().to_owned();
        (name, (check["note"] == true, text))
    };
    checks.iter().map(shown).collect()
}

async fn a_sender_whom_dns_confirms_is_fine(database: Database) {
    let records = vec![
        ("muster.example", text("v=spf1 mx -all")),
        ("muster.example", text("other-service-verification=1")),
        (
            "s1._domainkey.muster.example",
            text("v=DKIM1; k=rsa; p=MIIB"),
        ),
        ("_dmarc.muster.example", text("v=DMARC1; p=reject")),
    ];
    let found = checked(&database, records, "").await;
    for (check, expected) in [
        (
            "SPF",
            "muster.example says which servers send its emails: v=spf1 mx -all",
        ),
        (
            "DKIM",
            "there are keys below _domainkey.muster.example; the header of a test email says whether emails are signed: dkim=pass",
        ),
        ("DMARC", "muster.example has a policy: v=DMARC1; p=reject"),
        (
            "reverse DNS",
            "127.0.0.1 has no public address; check the one from which it sends",
        ),
    ] {
        assert_eq!(found[check], (false, expected.to_owned()));
    }
}

async fn what_is_missing_is_said_in_words(database: Database) {
    let found = checked(&database, Vec::new(), "").await;
    for (check, expected) in [
        (
            "SPF",
            "muster.example does not say which servers send its emails: add a TXT record there",
        ),
        (
            "DKIM",
            "there are no keys below _domainkey.muster.example: let your mail server sign emails",
        ),
        (
            "DMARC",
            "muster.example has no policy, and large providers accept fewer emails",
        ),
    ] {
        let (is_note, message) = &found[check];
        assert!(*is_note && message.starts_with(expected), "{message}");
    }
    let records = vec![
        ("bounces.example", text("v=spf1 +all")),
        ("_dmarc.muster.example", text("v=DMARC1; p=none")),
    ];
    let found = checked(&database, records, " --bounce-address x@bounces.example").await;
    let (is_note, message) = &found["SPF"];
    assert!(
        *is_note && message.contains("lets every server send"),
        "{message}"
    );
    let (is_note, message) = &found["DMARC"];
    assert!(
        *is_note && message.contains("bounces go to bounces.example"),
        "{message}"
    );
}

async fn dns_that_does_not_answer_is_a_note(database: Database) {
    let mails = Server::start();
    // Bound and silent.
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let doctor = format!(
        "doctor --smtp-url {} --mail-from events@muster.example",
        mails.url()
    );
    let address = silent.local_addr().unwrap();
    let answer = run_asking(database.url(), &doctor, address).await.unwrap();
    assert!(answer.succeeded, "{}", answer.text);
    let expected = "DNS does not answer here, so this could not be checked";
    assert!(answer.text.contains(expected), "{}", answer.text);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_sender_whom_dns_confirms_is_fine,
    what_is_missing_is_said_in_words,
    dns_that_does_not_answer_is_a_note,
);
