//! The header Authorization, before a real core. Lets in whoever has the key, by one rule, and nobody else.

use axum::body::Body;
use core_service::{Core, Options, email::Mailer, service::NewAccount};
use domain::{clock::Clock, entropy::Entropy, instant::Instant, plan::Plan};
use http::{HeaderValue, Request, StatusCode};
use http_kit::Router;
use storage::{self, Purpose, Store};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    Target,
    surface::{Reply, exchange, runtime},
};

pub(crate) const TARGET: Target = Target {
    name: "authorization",
    seeds,
    words,
    run,
};

/// 2027-01-15T12:00:00Z.
const NOW: Instant = Instant::from_micros(1_800_014_400_000_000);

/// A system with one account and its key.
struct System {
    runtime: Runtime,
    router: Router,
    key: String,
    _folder: TempDir,
}

thread_local! {
    static SYSTEM: System = System::start();
}

impl System {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a database");
        let url = format!("sqlite://{}", folder.path().join("muster.db").display());
        let runtime = runtime();
        let (core, key) = runtime.block_on(core(&url));
        let edge = rpc_client::Core::in_process(core.in_process());
        let options = http_gateway::Options::default();
        let router = runtime.block_on(async { http_gateway::router(edge, options) });
        Self {
            runtime,
            router,
            key,
            _folder: folder,
        }
    }

    fn get(&self, credentials: Vec<HeaderValue>) -> Reply {
        let request = Request::get("/api/v1/me").header("host", "localhost");
        let mut request = request.body(Body::empty()).expect("the request is sound");
        for credential in credentials {
            request.headers_mut().append("authorization", credential);
        }
        let (status, headers, body) = self.runtime.block_on(exchange(&self.router, request));
        Reply {
            status,
            headers,
            body,
            calls: Vec::new(),
        }
    }
}

/// A core on a new database, and the key of its only account; the same one each time.
async fn core(url: &str) -> (Core, String) {
    let store = Store::open(&storage::Options::new(url, Purpose::Serve)).await;
    let store = store.expect("SQLite opens");
    store
        .migrate()
        .await
        .expect("a new database can be migrated");
    let sender = "Muster <events@muster.example>"
        .parse()
        .expect("an address");
    let options = Options {
        clock: Clock::manual(NOW),
        entropy: Entropy::seeded(1),
        ..Options::default()
    };
    let mailer = Mailer::files("/nonexistent".into(), sender);
    let core = Core::compose(store, mailer, options)
        .await
        .expect("core starts");
    let account = NewAccount {
        email: "ada@example.org".to_owned(),
        name: "Ada".to_owned(),
        plan: Plan::Free,
        timezone: None,
    };
    let use_cases = core.use_cases();
    use_cases
        .accounts
        .create(account)
        .await
        .expect("an account");
    let made = use_cases
        .keys
        .create("ada@example.org", "fuzz")
        .await
        .expect("a key");
    let key = made.plain.expose().to_owned();
    (core, key)
}

fn run(input: &[u8]) {
    // No header holds a line break, so that each line is a header of its own.
    let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let values: Result<Vec<HeaderValue>, _> = lines
        .iter()
        .map(|line| HeaderValue::from_bytes(line))
        .collect();
    let Ok(values) = values else {
        return;
    };
    SYSTEM.with(|system| {
        let is_let_in = matches!(lines[..], [line] if is_credential(line, &system.key));
        let reply = system.get(values);
        if is_let_in {
            assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
            return;
        }
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{reply:?}");
        reply.check_problem();
        let challenge = reply.headers.get("www-authenticate").expect("a challenge");
        assert!(
            challenge.as_bytes().starts_with(b"Bearer realm=\"muster\""),
            "{challenge:?}"
        );
        assert!(
            !reply.text().contains(&system.key),
            "the answer shows the key"
        );
    });
}

/// RFC 6750: the scheme in any case, spaces, the key.
fn is_credential(value: &[u8], key: &str) -> bool {
    let Ok(text) = std::str::from_utf8(value) else {
        return false;
    };
    let Some((scheme, token)) = text.split_once(' ') else {
        return false;
    };
    scheme.to_lowercase() == "bearer" && token.trim_matches(' ') == key
}

fn seeds() -> Vec<Vec<u8>> {
    let key = SYSTEM.with(|system| system.key.clone());
    let seeds = [
        format!("Bearer {key}"),
        format!("bEARER   {key} "),
        format!("Bearer {key}\nBearer {key}"),
        format!("Bearer {}", key.to_lowercase()),
        format!("Bearer\t{key}"),
        format!("Bearer {key}="),
        format!("Basic {key}"),
        "Bearer ".to_owned(),
    ];
    seeds.map(String::into_bytes).into()
}

fn words() -> Vec<String> {
    [
        "Bearer ",
        "bearer",
        "Basic ",
        "mus_live_",
        " ",
        "\t",
        "\n",
        "=",
    ]
    .map(str::to_owned)
    .into()
}
