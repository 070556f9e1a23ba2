//! Both services of a test as processes, with their own database, keys, blobs and Redis prefix.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

mod recipe;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::signal::Signal;
use reqwest::Client;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use self::recipe::{recipe, with_bounds};
use crate::caller::Caller;
use crate::database::Database;
use crate::environment;
use crate::invariants;
use crate::keys::{KEY_FILES, SECRETS_KEY, keys};
use crate::process::{Process, Recipe};
use crate::proxy::FaultProxy;
use crate::reserved::ReservedAddress;
use crate::seed::Operator;

/// Longest start of a service until it listens.
const START_LIMIT: Duration = Duration::from_secs(30);
/// Lines of a shared service's log that a failing test shows.
const SHARED_LOG_LINES: usize = 100;
/// Longest shutdown of a service after SIGTERM.
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// The deployment to start. Defaults to one process of each service on the shared servers.
pub struct Options {
    /// Number of control processes.
    pub control_replicas: usize,
    /// Number of data processes.
    pub data_replicas: usize,
    /// URL of the Redis to use.
    pub redis_url: String,
    /// The database to use. Defaults to a fresh copy of the template.
    pub database: Option<Database>,
    /// Content of the models file. Defaults to no models.
    pub models: Option<String>,
    /// True if the control processes get a key for sealing secrets.
    pub seals_secrets: bool,
    /// Additional environment of every process. A name in lower case is a bound (`wire::Bounds`).
    pub environment: Vec<(&'static str, String)>,
    /// True if clients reach the first data process by way of a proxy.
    pub has_data_proxy: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            control_replicas: 1,
            data_replicas: 1,
            redis_url: environment::redis_url(),
            database: None,
            models: None,
            seals_secrets: true,
            environment: Vec::new(),
            has_data_proxy: false,
        }
    }
}

/// A running deployment. Dropping it stops the services and checks the invariants of every deployment (`invariants`).
pub struct Deployment {
    /// The control processes.
    pub control: Vec<Service>,
    /// The data processes.
    pub data: Vec<Service>,
    /// Their addresses, which survive a restart.
    pub control_urls: Vec<String>,
    /// As `control_urls`, of the data processes.
    pub data_urls: Vec<String>,
    /// Their database.
    pub database: Database,
    /// The HTTP client shared by all callers.
    pub http: Client,
    /// Set if the test leaves blobs to the sweep: of a deleted project, or of an upload refused at its end.
    pub leaves_blobs: bool,
    /// The proxy in front of the first data process, of [`Options::has_data_proxy`].
    pub data_proxy: Option<FaultProxy>,
    folder: PathBuf,
    operator: OnceLock<Operator>,
    /// The folder's owner; `None` of a shared deployment, whose processes, database and files outlive this value.
    own_folder: Option<TempDir>,
}

/// One process of a service.
pub struct Service {
    /// Its address.
    pub url: String,
    /// The address of its operations port.
    pub ops_url: String,
    recipe: Recipe,
    ready_file: PathBuf,
    process: Option<Process>,
    /// Its addresses, which stay its own; `None` if other tests use it, too.
    addresses: Option<[ReservedAddress; 2]>,
}

impl Deployment {
    /// The deployment that all tests share which disturb nobody: they kill, pause and configure nothing, and count only
    /// what is their own. Names of its users and organizations are made unique. `cargo xtask test` starts it, by the
    /// program `shared-deployment`, which checks its invariants when all tests have ended.
    pub fn shared() -> Self {
        // Without one the tests were not run by `cargo xtask test`.
        let description = environment::deployment().unwrap();
        let text = |name: &str| description.get(name).and_then(Value::as_str).unwrap().to_owned();
        let folder = PathBuf::from(text("folder"));
        let service = |name: &str| {
            let log = folder.join(format!("{name}-1.log"));
            Service::elsewhere(name, text(&format!("{name}Url")), text(&format!("{name}OpsUrl")), log)
        };
        let (control, data) = (service("control"), service("dataplane"));
        Self {
            control_urls: vec![control.url.clone()],
            data_urls: vec![data.url.clone()],
            control: vec![control],
            data: vec![data],
            database: Database::elsewhere(&text("databaseUrl")),
            http: client(),
            leaves_blobs: false,
            data_proxy: None,
            folder,
            operator: OnceLock::new(),
            own_folder: None,
        }
    }

    /// The addresses that [`Deployment::shared`] reads in other processes.
    pub fn description(&self) -> Value {
        let (control, data) = (self.control.first().unwrap(), self.data.first().unwrap());
        json!({
            "controlUrl": control.url,
            "controlOpsUrl": control.ops_url,
            "dataplaneUrl": data.url,
            "dataplaneOpsUrl": data.ops_url,
            "databaseUrl": self.database.url(),
            "folder": self.folder,
        })
    }

    /// Starts one control and one data process for this test alone.
    pub async fn start() -> Self {
        Self::with(Options::default()).await
    }

    /// Starts the deployment described by `options`.
    pub async fn with(options: Options) -> Self {
        let database = match options.database {
            Some(database) => database,
            None => Database::create().await,
        };
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in KEY_FILES.iter().zip(keys().iter()) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let mut common = vec![
            ("ATELIER_DATABASE_URL", database.url()),
            ("ATELIER_REDIS_URL", options.redis_url),
            ("ATELIER_REDIS_PREFIX", format!("test-{}", Uuid::new_v4().simple())),
            ("ATELIER_ENVIRONMENT", "development".to_owned()),
            ("shutdown_notice_secs", "0".to_owned()),
            ("ATELIER_SHUTDOWN_GRACE_SECS", "10".to_owned()),
            // Most tests run without rate limits; those of the limits set them.
            ("ATELIER_RATE_GLOBAL", "off".to_owned()),
            ("ATELIER_RATE_USER", "off".to_owned()),
            ("ATELIER_RATE_KEY", "off".to_owned()),
            ("ATELIER_RATE_DATA_GLOBAL", "off".to_owned()),
            ("ATELIER_RATE_DATA_USER", "off".to_owned()),
            ("ATELIER_RATE_DATA_BYTES", "off".to_owned()),
            ("ATELIER_RATE_ADDRESS", "off".to_owned()),
            ("ATELIER_PREVIEWS", "asked".to_owned()),
        ];
        common.extend(options.environment);
        let common = with_bounds(common);
        let mut of_data = common.clone();
        of_data.push(("ATELIER_BLOB_STORE", format!("file://{}", path("store"))));
        of_data.push(("ATELIER_GRANT_PUBLIC_KEYS_FILE", path("grant-public.pem")));
        let start = |name: &str, replicas: usize, environment: &[(&'static str, String)]| -> Vec<Service> {
            let recipes = (1..=replicas).map(|replica| recipe(folder.path(), name, replica, environment));
            let mut services: Vec<Service> = recipes.map(Service::launch).collect();
            services.iter_mut().for_each(Service::await_listening);
            services
        };
        let data = start("dataplane", options.data_replicas, &of_data);
        let mut of_control = common;
        let data_url = data.first().map_or("http://data.invalid", |data| &data.url).to_owned();
        let data_proxy = options.has_data_proxy.then(|| FaultProxy::before(&data_url));
        let shown_url = data_proxy.as_ref().map_or_else(|| data_url.clone(), |proxy| proxy.url(&data_url));
        of_control.push(("ATELIER_DATA_URL", shown_url));
        of_control.push(("ATELIER_GRANT_KEY_FILE", path("grant-private.pem")));
        of_control.push(("ATELIER_DEVELOPMENT_ISSUER_KEY_FILE", path("issuer-private.pem")));
        if options.seals_secrets {
            fs::write(folder.path().join("secrets.key"), SECRETS_KEY).unwrap();
            of_control.push(("ATELIER_SECRETS_KEY_FILE", path("secrets.key")));
        }
        if let Some(models) = options.models {
            fs::write(folder.path().join("models.json"), models).unwrap();
            of_control.push(("ATELIER_MODELS_FILE", path("models.json")));
            // The model server listens on loopback, which no proxy reaches.
            of_control.push(("NO_PROXY", "127.0.0.1".to_owned()));
        }
        let control = start("control", options.control_replicas, &of_control);
        let control_urls = control.iter().map(|service| service.url.clone()).collect();
        let data_urls = data.iter().map(|service| service.url.clone()).collect();
        Self {
            control,
            data,
            control_urls,
            data_urls,
            database,
            http: client(),
            leaves_blobs: false,
            data_proxy,
            folder: folder.path().to_owned(),
            operator: OnceLock::new(),
            own_folder: Some(folder),
        }
    }

    /// A caller of the first control process without a credential.
    pub fn anonymous(&self) -> Caller {
        Caller::anonymous(&self.control.first().unwrap().url, &self.http)
    }

    /// A caller of the first data process without a credential.
    pub fn anonymous_at_data(&self) -> Caller {
        Caller::anonymous(&self.data.first().unwrap().url, &self.http)
    }

    /// `control admin` on this deployment.
    pub fn operator(&self) -> Operator {
        let new = || {
            let issuer_key = self.folder.join("issuer-private.pem");
            Operator::new(self.database.url(), issuer_key, self.anonymous(), self.is_shared())
        };
        self.operator.get_or_init(new).clone()
    }

    fn is_shared(&self) -> bool {
        self.own_folder.is_none()
    }

    /// The folder of stored blobs.
    pub fn blob_folder(&self) -> PathBuf {
        self.folder.join("store")
    }

    /// The path of a key file: `grant-private.pem`, `issuer-private.pem` or their public halves.
    pub fn key_file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        let services = || self.control.iter().chain(&self.data);
        if std::thread::panicking() {
            for service in services() {
                let output = service.output();
                // Of a shared one the end: before it stands what other tests did.
                let lines = if self.is_shared() { SHARED_LOG_LINES } else { usize::MAX };
                let begin = output.lines().count().saturating_sub(lines);
                let shown: Vec<&str> = output.lines().skip(begin).collect();
                eprintln!("---- {}\n{}", service.recipe.name, shown.join("\n"));
            }
        }
        if self.is_shared() || std::thread::panicking() {
            return;
        }
        invariants::check_database(&self.database);
        invariants::check_blobs(&self.database, &self.blob_folder(), self.leaves_blobs);
        let logs: Vec<PathBuf> = services().map(|service| service.recipe.log.clone()).collect();
        self.control.clear();
        self.data.clear();
        logs.iter().for_each(|log| invariants::check_log(log));
    }
}

impl Service {
    fn launch(mut recipe: Recipe) -> Self {
        let addresses = [ReservedAddress::reserve(), ReservedAddress::reserve()];
        let named = ["ATELIER_LISTEN", "ATELIER_OPS_LISTEN"].into_iter().zip(&addresses);
        recipe.environment.extend(named.map(|(name, address)| (name.to_owned(), address.text())));
        let ready_file = recipe.log.with_extension("json");
        let process = Some(Process::spawn(&recipe));
        let (url, ops_url) = (String::new(), String::new());
        Self { url, ops_url, recipe, ready_file, process, addresses: Some(addresses) }
    }

    fn await_listening(&mut self) {
        let file = &self.ready_file;
        let listening: Value = self
            .process()
            .wait_for(START_LIMIT, "listen", || serde_json::from_slice(&fs::read(file).ok()?).ok());
        let url = |name: &str| {
            listening.get(name).and_then(Value::as_str).unwrap().trim_end_matches('/').to_owned()
        };
        (self.url, self.ops_url) = (url("url"), url("opsUrl"));
    }

    /// A process that another process started, and ends.
    fn elsewhere(name: &str, url: String, ops_url: String, log: PathBuf) -> Self {
        let recipe = Recipe {
            name: name.to_owned(),
            program: environment::program(name),
            arguments: Vec::new(),
            environment: Vec::new(),
            run_as: None,
            log,
        };
        Self { url, ops_url, recipe, ready_file: PathBuf::new(), process: None, addresses: None }
    }

    /// The running process. Panics if others share it.
    pub fn process(&self) -> &Process {
        self.process.as_ref().unwrap()
    }

    /// Kills the process (SIGKILL) and waits for its end. Panics if others share it.
    pub fn kill(&mut self) {
        assert!(
            self.addresses.is_some(),
            "other tests use this process: ask for a deployment of the test's own"
        );
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }

    /// Requests a shutdown (SIGTERM).
    pub fn ask_to_end(&self) {
        self.process().signal(Signal::SIGTERM);
    }

    /// Waits for the process to end; returns its exit code.
    pub fn wait_for_end(&mut self) -> Option<i32> {
        assert!(self.addresses.is_some(), "nobody asked a shared process to end");
        self.process.take().and_then(|process| process.wait_for_end(STOP_LIMIT))
    }

    /// Kills the process if it runs, and starts it again at the same addresses.
    pub fn restart(&mut self) {
        self.kill();
        fs::remove_file(&self.ready_file).unwrap();
        self.process = Some(Process::spawn(&self.recipe));
        self.await_listening();
    }

    /// The log written so far.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.recipe.log).unwrap_or_default()).into_owned()
    }
}

/// Prepares a `control migrate` of the database at `url`.
pub fn migrate_command(url: &str) -> Command {
    let mut command = Command::new(environment::program("control"));
    command
        .arg("migrate")
        .env("ATELIER_DATABASE_URL", url)
        .env("ATELIER_REDIS_URL", environment::redis_url());
    command
}

/// The HTTP client of all callers.
fn client() -> Client {
    // Connections to loopback ignore the machine's proxy settings. No connection is kept: one to a killed process would
    // fail the first request to its successor.
    Client::builder().no_proxy().redirect(Policy::none()).pool_max_idle_per_host(0).build().unwrap()
}
