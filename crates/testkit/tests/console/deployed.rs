//! The deployments of `deploy` with the environment that their manifests give to the programs: a person signs in at the
//! issuer, gets an account, and uploads. Addresses, files of keys and the stores are those of the test.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use testkit::database::Database;
use testkit::environment;
use testkit::guide;
use testkit::process::{Process, Recipe};
use testkit::redis::free_port;

use crate::browser::Browser;

const START_LIMIT: Duration = Duration::from_secs(30);

type Environment = BTreeMap<String, String>;

/// The environments of both programs, by the program.
type Manifests = BTreeMap<&'static str, Environment>;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_and_uploads_where_compose_and_the_production_overlay_are_followed() {
    let Some(browser) = Browser::find() else { return };
    let mut issuer = browser.serve("issuer.mjs");
    let mut line = String::new();
    BufReader::new(issuer.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut urls = Vec::new();
    let mut deployments = Vec::new();
    for manifests in [compose, overlay] {
        let deployment = Deployed::start(manifests, line.trim()).await;
        urls.push(deployment.url.clone());
        deployments.push(deployment);
    }
    browser.run("deployed.mjs", urls).await;
}

/// Running programs. Fields end in order: programs before what they use.
struct Deployed {
    url: String,
    _programs: Vec<Process>,
    _database: Database,
    _folder: TempDir,
}

impl Deployed {
    async fn start(manifests: fn(&Path) -> Manifests, issuer: &str) -> Self {
        let (folder, database) = (tempfile::tempdir().unwrap(), Database::create().await);
        let [control, data] = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
        let keys = folder.path().join("secrets");
        let in_test = |value: &str| {
            let mut value = value.to_owned();
            for (written, here) in [
                ("https://files.atelier.example.org", format!("http://{data}")),
                ("http://localhost:8081", format!("http://{data}")),
                ("http://localhost:8080", format!("http://{control}")),
                ("https://login.example.org/", issuer.to_owned()),
                ("/run/secrets", keys.to_str().unwrap().to_owned()),
                ("/etc/atelier/keys", keys.to_str().unwrap().to_owned()),
                ("/var/lib/atelier", folder.path().join("store").to_str().unwrap().to_owned()),
                ("s3://atelier-files", format!("file://{}", folder.path().join("store").display())),
            ] {
                value = value.replace(written, &here);
            }
            value
        };
        let mut programs = Vec::new();
        for (program, manifest) in manifests(folder.path()) {
            let listen = if program == "control" { &control } else { &data };
            let mut environment: Environment = manifest
                .iter()
                .filter(|(name, _)| !name.starts_with("ATELIER_S3_"))
                // The audience is a name, not an address of the test.
                .map(|(name, value)| match name.as_str() {
                    "ATELIER_OIDC_AUDIENCE" => (name.clone(), value.clone()),
                    _ => (name.clone(), in_test(&value.replace(CONSOLE, &format!("http://{control}")))),
                })
                .collect();
            for (name, value) in [
                ("ATELIER_DATABASE_URL", database.url()),
                ("ATELIER_REDIS_URL", environment::redis_url()),
                ("ATELIER_REDIS_PREFIX", control.replace(':', "-")),
                ("ATELIER_LISTEN", listen.clone()),
                ("ATELIER_OPS_LISTEN", "127.0.0.1:0".to_owned()),
                ("NO_PROXY", "127.0.0.1".to_owned()),
            ] {
                environment.insert(name.to_owned(), value);
            }
            let ready = folder.path().join(format!("{program}.json"));
            let recipe = Recipe {
                name: program.to_owned(),
                program: environment::program(program),
                arguments: vec!["serve".into(), "--ready-file".into(), ready.to_str().unwrap().into()],
                environment: environment.into_iter().collect(),
                run_as: None,
                log: folder.path().join(format!("{program}.log")),
            };
            let process = Process::spawn(&recipe);
            process.wait_for(START_LIMIT, "listen", || {
                serde_json::from_slice::<Value>(&fs::read(&ready).ok()?).ok()
            });
            programs.push(process);
        }
        let url = format!("http://{control}");
        Self { url, _programs: programs, _database: database, _folder: folder }
    }
}

/// The console's address in the manifests.
const CONSOLE: &str = "https://atelier.example.org";

/// The environments that the Kubernetes overlay merges, with the keys of the page.
fn overlay(folder: &Path) -> Manifests {
    make_keys(folder);
    fs::write(folder.join("secrets/models.json"), r#"{"models": []}"#).unwrap();
    ["control", "dataplane"]
        .map(|program| {
            let read = |layer: &str| guide::read(&format!("deploy/kubernetes/{layer}/{program}.env"));
            let mut environment = lines(&read("base"));
            environment.extend(lines(&read("overlays/production")));
            (program, environment)
        })
        .into()
}

/// The environments of the services of Compose, with what the page's commands write.
fn compose(folder: &Path) -> Manifests {
    make_keys(folder);
    // The containers' user and Docker are not the test's.
    let stand_ins = "sudo() { :; }; docker() { :; }\n";
    run(folder, &format!("{stand_ins}{}", block("secrets/services.env")));
    let manifest: Value = serde_saphyr::from_str(&guide::read("deploy/compose.yaml")).unwrap();
    ["control", "dataplane"]
        .map(|program| {
            let service = |field: &str| manifest.pointer(&format!("/services/{program}/{field}")).unwrap();
            let files = match service("env_file") {
                Value::Array(files) => files.clone(),
                file => vec![file.clone()],
            };
            let mut environment = Environment::new();
            for file in files {
                let path = folder.join(file.as_str().unwrap());
                environment.extend(lines(&fs::read_to_string(path).unwrap()));
            }
            for (name, value) in service("environment").as_object().unwrap() {
                environment.insert(name.clone(), with_defaults(value.as_str().unwrap()));
            }
            (program, environment)
        })
        .into()
}

/// The keys of every installation, by the page's commands.
fn make_keys(folder: &Path) {
    let commands = block("secrets.key").replace("deploy/secrets", "secrets");
    run(folder, &commands);
}

/// The first block of commands of the deployments' page that names a file.
fn block(file: &str) -> String {
    let page = guide::read("deploy/README.md");
    let steps = guide::steps(&page).into_iter().map(|step| step.commands);
    steps.into_iter().find(|commands| commands.contains(file)).unwrap()
}

fn run(folder: &Path, commands: &str) {
    let done = Command::new("bash").args(["-euc", commands]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{commands}\n{}", String::from_utf8_lossy(&done.stderr));
}

/// The variables of a file of lines `NAME=VALUE`.
fn lines(file: &str) -> Environment {
    let variables = file.lines().filter(|line| !line.starts_with('#'));
    variables
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// A value of Compose with the defaults of its variables: `${NAME:-default}`.
fn with_defaults(value: &str) -> String {
    let default = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')?.split_once(":-"));
    default.map_or_else(|| value.to_owned(), |(_, default)| default.to_owned())
}
