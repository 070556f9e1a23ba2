//! The toy plane, and a server that runs it for one test.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use api::operation::{Json, Operation, PlaneDeclaration, Raw, Tag};
use api::operations;
use auth::actor::{Actor, ActorCredential, BrowserOnly, ProjectRead, ProjectWrite};
use auth::credential::{AuthorizationSchemes, Credential, CredentialKind};
use domain::content::project::ProjectRef;
use domain::id::{ApiKeyId, UserId};
use domain::people::permission::{Permissions, Scope};
use domain::rate::{Rate, RateCount};
use domain::time::{Clock, Timestamp};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{AuditJournal, Outcome};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::task::JoinHandle;
use wire::{
    AddressLimits, Authenticate, Created, Download, ETag, Endpoint, Limiter, Listeners, Metrics, RateLimits,
    Readiness, Reply, Request, ServerConfig, Service, Shutdown, Table, TaggedReply, endpoint,
};

/// The recorder of the process, which all tests share.
static METRICS: OnceLock<Metrics> = OnceLock::new();

/// Examples of the toy plane's operations.
pub(crate) const EXAMPLES: &str =
    r#"{"createThing": {"request": {"name": "Gear"}, "answer": {"name": "Gear", "parts": []}}}"#;

pub(crate) const PLANE: PlaneDeclaration = PlaneDeclaration {
    title: "Toy plane",
    introduction: "A plane of toys.",
    document: OPERATIONS[0],
    tags: &[&THINGS],
    operations: &[OPERATIONS],
};

const THINGS: Tag = Tag { name: "Things", text: "Things to test with." };

pub(crate) const READER: &str = "svc_ak_test_reader";
pub(crate) const WRITER: &str = "svc_ak_test_writer";

/// The state of the toy plane.
#[derive(Clone)]
pub(crate) struct Toy {
    /// Each permit lets a waiting request finish.
    pub(crate) release: Arc<Semaphore>,
    /// Notified when a request waits.
    pub(crate) waiting: Arc<Notify>,
    /// Gets a permit for each waiting request that has finished.
    pub(crate) finished: Arc<Semaphore>,
    /// Entries of the audit log, which nobody writes.
    pub(crate) journal: AuditJournal,
}

impl Authenticate for Toy {
    const ACCEPTS: &'static [CredentialKind] = &[CredentialKind::ApiKey, CredentialKind::BrowserToken];

    async fn authenticate(&self, credential: &Credential, now: Timestamp) -> Result<Actor> {
        let scopes = match credential.reveal() {
            READER => [Scope::ProjectsRead],
            WRITER => [Scope::ProjectsWrite],
            "svc_ak_test_down" => return Err(Error::unavailable("the database is down")),
            _ => return Err(Error::unauthenticated()),
        };
        Ok(Actor {
            user: UserId::new(now),
            credential: ActorCredential::ApiKey(ApiKeyId::new(now)),
            ceiling: Permissions::of_scopes(&scopes),
            confinement: None,
            acting_in: None,
        })
    }

    fn journal(&self) -> &AuditJournal {
        &self.journal
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThingPath {
    /// The project, or one of its branches.
    project_id: ProjectRef,
    name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThingQuery {
    /// Number of things.
    count: Option<u32>,
    text: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Thing {
    name: String,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Part {
    size: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Echo {
    path: Value,
    query: Value,
}

#[derive(Serialize, JsonSchema)]
pub struct Received {
    bytes: usize,
}

pub(crate) fn table() -> Table<Toy> {
    Table::new(&PLANE, EXAMPLES, endpoints())
}

pub(crate) fn endpoints() -> Vec<Endpoint<Toy>> {
    vec![
        endpoint(get),
        endpoint(fixed::<GetFixed>),
        endpoint(create),
        endpoint(replace),
        endpoint(delete),
        endpoint(any::<GetAnyThing>),
        endpoint(wait),
        endpoint(upload),
        endpoint(large::<GetLarge>),
        endpoint(panic),
        endpoint(bug),
        endpoint(browser),
        endpoint(fixed::<Protocol>).speaks(&PROTOCOL),
    ]
}

operations! {
    tag: THINGS;

    /// Does what its name says.
    GetOpenapi = Get "/api/v2/openapi.json" {
        summary: "Read this document",
        answer: Value,
        effect: Reads,
    }

    /// Does what its name says.
    GetThing = Get "/api/v2/projects/{projectId}/things/{name}" {
        summary: "Read a thing",
        path: ThingPath,
        query: ThingQuery,
        answer: Echo,
        effect: Reads,
    }

    /// Does what its name says.
    GetFixed = Get "/api/v2/things/fixed" {
        summary: "Read the fixed thing",
        answer: &'static str,
        effect: Reads,
    }

    /// Creates a thing, unless its name is taken: `TAG_NAME_TAKEN`.
    CreateThing = Post "/api/v2/things" {
        summary: "Create a thing",
        body: Json<Thing>,
        answer: Thing,
        effect: Creates,
        tool: Toolbox("things"),
    }

    /// Does what its name says.
    ReplaceThings = Put "/api/v2/things" {
        summary: "Replace all things",
        body: Option<Json<Thing, 64>>,
        answer: bool,
        effect: Idempotent,
    }

    /// Does what its name says.
    DeleteThings = Delete "/api/v2/things" {
        summary: "Delete all things",
        answer: bool,
        effect: Idempotent,
        tool: NotATool("too much"),
    }

    /// Does what its name says.
    GetAnyThing = Get "/api/v2/things" {
        summary: "Read any thing",
        answer: &'static str,
        effect: Reads,
    }

    /// Does what its name says.
    Wait = Post "/api/v2/wait" {
        summary: "Wait for a sign",
        answer: &'static str,
        effect: Changes,
    }

    /// Does what its name says.
    Upload = Post "/api/v2/upload" {
        summary: "Upload a file",
        body: Raw,
        answer: Received,
        effect: Changes,
    }

    /// Does what its name says.
    GetLarge = Get "/api/v2/large" {
        summary: "Read 64 MiB",
        answer: Raw,
        effect: Reads,
    }

    /// Does what its name says.
    Panic = Get "/api/v2/panic" {
        summary: "Panic",
        answer: bool,
        effect: Reads,
    }

    /// Does what its name says.
    Bug = Get "/api/v2/bug" {
        summary: "Fail with a chain of causes",
        answer: bool,
        effect: Reads,
    }

    /// Does what its name says.
    Browser = Get "/api/v2/browser" {
        summary: "For browsers alone",
        answer: bool,
        effect: Reads,
    }

    /// Does what its name says.
    Protocol = Get "/api/v2/protocol" {
        summary: "For clients with a protocol of their own",
        answer: &'static str,
        effect: Reads,
    }
}

/// HTTP Basic, repeated messages, and a header that reports failures.
pub(crate) static PROTOCOL: wire::Protocol = wire::Protocol {
    schemes: AuthorizationSchemes::BearerAndBasic,
    repeats_message: true,
    add_headers: |headers, answer| {
        let value = if answer.failure.is_some() { "failure" } else { "success" };
        headers.insert(HeaderName::from_static("toy-protocol"), HeaderValue::from_static(value));
    },
};

async fn get(_: Toy, request: Request<ProjectRead, GetThing>) -> Result<Reply<Echo>> {
    Ok(Reply::ok(Echo {
        path: serde_json::to_value(request.path).unwrap(),
        query: serde_json::to_value(request.query).unwrap(),
    }))
}

async fn fixed<O: Operation>(_: Toy, _: Request<ProjectRead, O>) -> Result<TaggedReply<&'static str>> {
    Ok(Reply::ok("fixed").etag_of_body())
}

pub(crate) async fn any<O: Operation>(
    _: Toy,
    _: Request<ProjectRead, O>,
) -> Result<TaggedReply<&'static str>> {
    Ok(Reply::ok("any").etag(ETag::weak("7")))
}

async fn create(_: Toy, request: Request<ProjectWrite, CreateThing>) -> Result<Created<Thing>> {
    let Json(thing) = request.body;
    let replayed = thing.name == "seen before";
    Ok(Reply::created(Outcome { value: thing, replayed }))
}

async fn replace(_: Toy, request: Request<ProjectWrite, ReplaceThings>) -> Result<Reply<bool>> {
    Ok(Reply::ok(request.body.is_some()))
}

async fn delete(_: Toy, _: Request<ProjectWrite, DeleteThings>) -> Result<Reply<bool>> {
    Ok(Reply::ok(true))
}

async fn wait(app: Toy, _: Request<ProjectWrite, Wait>) -> Result<Reply<&'static str>> {
    app.waiting.notify_one();
    app.release.acquire().await.unwrap().forget();
    app.finished.add_permits(1);
    Ok(Reply::ok("done"))
}

async fn upload(_: Toy, request: Request<ProjectWrite, Upload, wire::Upload>) -> Result<Reply<Received>> {
    let mut stream = request.body.stream;
    let mut bytes = 0;
    while let Some(chunk) = stream.next().await {
        bytes += chunk?.len();
    }
    Ok(Reply::ok(Received { bytes }))
}

pub(crate) async fn large<O: Operation>(_: Toy, _: Request<ProjectRead, O>) -> Result<Download> {
    Ok(Download(HttpResponse::Ok().body(vec![b'x'; 64 << 20])))
}

async fn panic(_: Toy, _: Request<ProjectRead, Panic>) -> Result<Reply<bool>> {
    panic!("a secret that no client may see")
}

async fn bug(_: Toy, _: Request<ProjectRead, Bug>) -> Result<Reply<bool>> {
    Err(Error::internal("a secret that no client may see"))
}

async fn browser(_: Toy, _: Request<BrowserOnly, Browser>) -> Result<Reply<bool>> {
    Ok(Reply::ok(true))
}

/// A server for one test.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) ops_url: String,
    pub(crate) app: Toy,
    pub(crate) stops: mpsc::Sender<()>,
    pub(crate) task: JoinHandle<std::io::Result<Shutdown>>,
    client: reqwest::Client,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::start_with(config(), Readiness::new()).await
    }

    pub(crate) async fn start_with(config: ServerConfig, readiness: Readiness) -> Self {
        let listeners = Listeners::bind(&config).unwrap();
        let (url, ops_url) = (listeners.url.clone(), listeners.ops_url.clone());
        let (stops, stop) = mpsc::channel(2);
        let service = Service { readiness, ..service() };
        let app = service.app.clone();
        let task = tokio::spawn(async move { listeners.serve(&config, service, stop).await });
        Self { url, ops_url, app, stops, task, client: reqwest::Client::new() }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().unwrap(), format!("{}{path}", self.url))
    }

    pub(crate) async fn ops(&self, path: &str) -> (u16, String) {
        let answer = self.client.get(format!("{}{path}", self.ops_url)).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }
}

/// The toy plane, without dependencies.
pub(crate) fn service() -> Service<Toy> {
    Service {
        table: table(),
        app: Toy {
            release: Arc::new(Semaphore::new(0)),
            waiting: Arc::default(),
            finished: Arc::new(Semaphore::new(0)),
            journal: AuditJournal::default(),
        },
        clock: Clock::system(),
        limiter: unlimited(),
        readiness: Readiness::new(),
        metrics: METRICS.get_or_init(|| Metrics::install().unwrap()).clone(),
    }
}

/// A limiter without limits.
pub(crate) fn unlimited() -> Limiter {
    let off = Rate(None);
    let strangers = AddressLimits { address: off, trusted_proxies: 0 };
    let limits = RateLimits { plane: "toy", global: off, user: off, key: off, bytes: off, strangers };
    Limiter::new(limits, async |_| RateCount::Taken(Vec::new()))
}

/// Free ports, short timeouts.
pub(crate) fn config() -> ServerConfig {
    ServerConfig {
        listen: "127.0.0.1:0".to_owned(),
        ops_listen: "127.0.0.1:0".to_owned(),
        public_url: None,
        allowed_origins: Vec::new(),
        ready_file: None,
        workers: Some(1),
        max_connections: 100,
        max_connections_per_address: 100,
        head_timeout: Duration::from_millis(600),
        first_byte_timeout: Duration::from_millis(300),
        write_timeout: Duration::from_millis(500),
        keep_alive: Duration::from_secs(5),
        shutdown_notice: Duration::ZERO,
        shutdown_grace: Duration::from_secs(5),
    }
}

/// Status, code and details of a failed request.
pub(crate) async fn failure(request: reqwest::RequestBuilder) -> (u16, String, Value) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert!(answer.headers().contains_key("x-request-id"));
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["success"], Value::Bool(false));
    assert!(body["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    (status, body["error"]["code"].as_str().unwrap().to_owned(), body["error"]["details"].clone())
}

/// The one issue of an `INVALID_REQUEST`, as `path: rule`.
pub(crate) async fn issue(request: reqwest::RequestBuilder) -> String {
    let (status, code, details) = failure(request).await;
    assert_eq!((status, code.as_str()), (400, "INVALID_REQUEST"));
    let issue = &details["issues"][0];
    format!("{}: {}", issue["path"].as_str().unwrap(), issue["rule"].as_str().unwrap())
}
