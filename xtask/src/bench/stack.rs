//! What is measured: the service as `cargo xtask dev` starts it, with writes that wait for the disk, and the yardsticks
//! beside it.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Client, Request};
use super::model::Model;
use super::table::Row;
use crate::folder::Folder;
use crate::process::{Spec, Supervisor, output};
use crate::provision::free_port;
use crate::workspace::Workspace;

const START_LIMIT: Duration = Duration::from_secs(60);
/// Far more projects than a run creates.
const PROJECT_LIMIT: &str = "100000000";
const SCOPES: &str = "projects:manage,cards:manage";
const MIB: f64 = 1024.0;

/// Everything that the measurements use.
pub(super) struct Stack {
    pub(super) ready: Ready,
    pub(super) control: Process,
    pub(super) data: Process,
    /// The folder of the service's data and logs.
    pub(super) service_folder: PathBuf,
    /// PostgreSQL's programs.
    pub(super) postgres_bin: PathBuf,
    /// Of this run, on the file system of the service's.
    pub(super) receiver: Yardstick,
    pub(super) handler: Yardstick,
    /// Serves the repositories in its folder.
    pub(super) repositories: Yardstick,
    /// Answers prompts.
    pub(super) model: Model,
    /// For scripts and the like.
    pub(super) scratch: PathBuf,
    pub(super) control_program: PathBuf,
}

/// What `dev` says when everything answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Ready {
    pub(super) control_url: String,
    pub(super) data_url: String,
    pub(super) database_url: String,
    redis_url: String,
    pub(super) api_key: String,
    pub(super) user_id: String,
    pub(super) org_id: String,
}

/// A program to compare with.
pub(super) struct Yardstick {
    pub(super) url: String,
    /// Where it puts what it receives.
    pub(super) folder: PathBuf,
}

/// A process whose memory can be read.
pub(super) struct Process(u32);

/// A user with a key.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) user: String,
    pub(super) key_id: String,
    pub(super) key: String,
}

/// A project with a session, ready to be uploaded to.
pub(super) struct Session {
    pub(super) project: String,
    pub(super) grant: String,
    /// The path of the data plane that attaches a file under the project's models.
    pub(super) upload_path: String,
}

impl Stack {
    /// Starts everything, and waits until it answers.
    pub(super) fn start(
        supervisor: &mut Supervisor,
        workspace: &Workspace,
        folder: &Folder,
        postgres_bin: PathBuf,
    ) -> Result<Self> {
        let ready_file = folder.path().join("ready.json");
        let mut dev = Command::new(workspace.binary("xtask"));
        dev.args(["dev", "--ephemeral", "--durable", "--no-build", "--ready-file"]).arg(&ready_file);
        dev.current_dir(&workspace.root).env("ATELIER_PROJECT_LIMIT", PROJECT_LIMIT);
        for limit in ["ATELIER_RATE_GLOBAL", "ATELIER_RATE_KEY", "ATELIER_RATE_ADDRESS"] {
            dev.env(limit, "off");
        }
        let model = Model::start()?;
        let models_file = folder.path().join("models.json");
        std::fs::write(&models_file, model.file()).context("write the file of models")?;
        dev.env("ATELIER_MODELS_FILE", &models_file).env("NO_PROXY", "127.0.0.1");
        let log = folder.path().join("dev.log");
        let dev = supervisor.spawn(Spec::service("cargo xtask dev", dev, Some(log)))?;
        let receiver = Yardstick::start(supervisor, workspace, folder, "receiver")?;
        let handler = Yardstick::start(supervisor, workspace, folder, "handler")?;
        let repositories = Yardstick::start(supervisor, workspace, folder, "repositories")?;
        let ready: Ready = supervisor.wait_for("the service", START_LIMIT, || {
            std::fs::read(&ready_file).ok().and_then(|text| serde_json::from_slice(&text).ok())
        })?;
        let control = Process::child_of(dev, "control")?;
        let service_folder = std::fs::read_link(control.proc("cwd"))?;
        Ok(Self {
            ready,
            control,
            data: Process::child_of(dev, "dataplane")?,
            service_folder,
            postgres_bin,
            receiver,
            handler,
            repositories,
            model,
            scratch: folder.private_dir("scratch")?,
            control_program: workspace.binary("control"),
        })
    }

    /// A program that was built with the service's.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.control_program.with_file_name(name)
    }

    /// What the services take before anyone uses them.
    pub(super) fn idle_memory(&self) -> Result<Vec<Row>> {
        let row = |name: &str, process: &Process| -> Result<Row> {
            let name = format!("{name}, idle");
            let service = process.resident_mib()?;
            Ok(Row { name, unit: "MiB", service, yardstick: None, required: None, aim: None, note: "" })
        };
        Ok(vec![row("control plane", &self.control)?, row("data plane", &self.data)?])
    }

    /// A new user with a key of its own.
    pub(super) fn account(&self, number: u64) -> Result<Account> {
        let email = format!("{number}@bench.example.com");
        let user = self.admin(&["user", "create", "--email", &email, "--name", "Bench"])?;
        let user = text(&user, "/userId")?;
        let key = self.admin(&["key", "issue", "--user", &user, "--scopes", SCOPES])?;
        Ok(Account { user, key_id: text(&key, "/keyId")?, key: text(&key, "/key")? })
    }

    /// A new project of the demonstration user, and a session on it.
    pub(super) fn session(&self) -> Result<Session> {
        let project = self.call("POST", "/api/v2/projects", &json!({ "name": "Bench" }).to_string(), 201)?;
        self.session_on(text(&project, "/id")?)
    }

    /// A session on a project.
    pub(super) fn session_on(&self, project: String) -> Result<Session> {
        let session = self.call("POST", &format!("/api/v2/projects/{project}/sessions"), "{}", 201)?;
        let tree = self.call("GET", &format!("/api/v2/projects/{project}/tree"), "", 200)?;
        let mut nodes = tree.pointer("/tree").and_then(Value::as_array).into_iter().flatten();
        let is_model = |node: &&Value| node.pointer("/name").is_some_and(|name| name == "Model");
        let model = nodes.find(is_model).context("no package Model")?;
        let connection = text(&session, "/dataPlane/connectionId")?;
        let (owner, parent) = (&self.ready.user_id, text(model, "/id")?);
        let upload_path =
            format!("/api/v1/file/upload/{owner}/{owner}/{project}--main/{connection}/{parent}");
        Ok(Session { project, grant: text(&session, "/dataPlane/token")?, upload_path })
    }

    fn call(&self, method: &str, path: &str, body: &str, status: u16) -> Result<Value> {
        let headers = ["content-type: application/json".to_owned()];
        let request = Request { method, path, bearer: &self.ready.api_key, headers: &headers };
        Client::connect(&self.ready.control_url)?.send(&request, body.as_bytes())?.expect(status)?.json()
    }

    fn admin(&self, args: &[&str]) -> Result<Value> {
        let mut command = Command::new(&self.control_program);
        command.args(["admin", "--json"]).args(args);
        command.env("ATELIER_ENVIRONMENT", "development");
        command.env("ATELIER_DATABASE_URL", &self.ready.database_url);
        command.env("ATELIER_REDIS_URL", &self.ready.redis_url);
        Ok(serde_json::from_str(&output("control admin", &mut command)?)?)
    }
}

impl Yardstick {
    fn start(
        supervisor: &mut Supervisor,
        workspace: &Workspace,
        folder: &Folder,
        kind: &str,
    ) -> Result<Self> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let received = folder.private_dir(kind)?;
        let mut command = Command::new(workspace.binary("yardstick"));
        command.arg("--listen").arg(address.to_string()).arg("--folder").arg(&received).arg(kind);
        let log = folder.path().join(format!("{kind}.log"));
        supervisor.spawn(Spec::service(format!("yardstick {kind}"), command, Some(log)))?;
        supervisor.wait_for("the yardstick", START_LIMIT, || TcpStream::connect(address).ok())?;
        Ok(Self { url: format!("http://{address}"), folder: received })
    }
}

impl Process {
    /// The child of a process that runs this program.
    fn child_of(parent: u32, program: &str) -> Result<Self> {
        let is_it = |process: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            let (head, rest) = stat.rsplit_once(')').unwrap_or_default();
            head.ends_with(&format!("({program}"))
                && rest.split_whitespace().nth(1) == Some(parent.to_string().as_str())
        };
        let entries =
            std::fs::read_dir("/proc").context("memory can only be measured where there is /proc")?;
        let mut processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        processes.find(is_it).map(Self).with_context(|| format!("no process {program}"))
    }

    /// The environment that it was started with.
    pub(super) fn environment(&self) -> Result<Vec<(String, String)>> {
        let text = String::from_utf8(std::fs::read(self.proc("environ"))?)?;
        let variables = text.split('\0').filter_map(|variable| variable.split_once('='));
        Ok(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Memory that it has now.
    pub(super) fn resident_mib(&self) -> Result<f64> {
        self.status("VmRSS:")
    }

    /// The most memory that it has had since [`Process::forget_peak`].
    pub(super) fn peak_mib(&self) -> Result<f64> {
        self.status("VmHWM:")
    }

    /// Lets the peak begin anew.
    pub(super) fn forget_peak(&self) -> Result<()> {
        std::fs::write(self.proc("clear_refs"), "5").context("reset the peak of memory")
    }

    fn status(&self, field: &str) -> Result<f64> {
        let status = std::fs::read_to_string(self.proc("status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)).context("no such field")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib / MIB)
    }

    fn proc(&self, file: &str) -> PathBuf {
        Path::new("/proc").join(self.0.to_string()).join(file)
    }
}

/// What a JSON pointer points to, where that is text.
pub(super) fn text(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}
