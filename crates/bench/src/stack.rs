//! The contestants: the service as `cargo xtask dev` starts it, with durable writes, and the yardsticks.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::model::Model;
use crate::process::{Children, output};
use crate::table::Row;

const START_LIMIT: Duration = Duration::from_secs(60);
/// Limit of projects, far above those of a run.
const PROJECT_LIMIT: &str = "100000000";
const SCOPES: &str = "projects:manage,cards:manage";
const MIB: f64 = 1024.0;

/// The running service, the yardsticks, and their files.
pub(crate) struct Stack {
    pub(crate) ready: Ready,
    pub(crate) control: Process,
    pub(crate) data: Process,
    /// Folder of the service's data and logs.
    pub(crate) service_folder: PathBuf,
    /// Folder of PostgreSQL's programs.
    pub(crate) postgres_bin: PathBuf,
    /// Chromium, if it is there.
    pub(crate) browser: Option<PathBuf>,
    /// Size of the data of large groups, in percent.
    percent: u8,
    pub(crate) receiver: Yardstick,
    pub(crate) handler: Yardstick,
    /// Git's server of the repositories in its folder.
    pub(crate) repositories: Yardstick,
    /// The model server that answers prompts.
    pub(crate) model: Model,
    /// Folder of scripts, clones and generated inputs, on the file system of the service's data.
    pub(crate) scratch: PathBuf,
    pub(crate) control_program: PathBuf,
}

/// Programs of this machine.
pub(crate) struct Tools {
    /// Folder of PostgreSQL's programs.
    pub(crate) postgres_bin: PathBuf,
    /// Chromium, if it is there.
    pub(crate) browser: Option<PathBuf>,
}

/// The ready file of `dev`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ready {
    pub(crate) control_url: String,
    pub(crate) data_url: String,
    pub(crate) database_url: String,
    redis_url: String,
    pub(crate) api_key: String,
    pub(crate) user_id: String,
    pub(crate) org_id: String,
    /// The address that signs the demonstration user in to the console, once.
    pub(crate) sign_in_link: String,
}

/// A running yardstick.
pub(crate) struct Yardstick {
    pub(crate) url: String,
    /// Folder of the files that it receives.
    pub(crate) folder: PathBuf,
}

/// A process whose memory can be read.
pub(crate) struct Process(u32);

/// A user with a key.
#[derive(Clone)]
pub(crate) struct Account {
    pub(crate) user: String,
    pub(crate) key_id: String,
    pub(crate) key: String,
}

/// A project with a session, ready to be uploaded to.
pub(crate) struct Session {
    pub(crate) project: String,
    pub(crate) grant: String,
    /// Upload path of the data plane, to the project's package `Model`.
    pub(crate) upload_path: String,
}

impl Stack {
    /// Starts the service and the yardsticks, and waits until they answer.
    pub(crate) fn start(
        children: &mut Children,
        folder: &Path,
        Tools { postgres_bin, browser }: Tools,
        percent: u8,
    ) -> Result<Self> {
        let program = std::env::current_exe()?;
        let ready_file = folder.join("ready.json");
        let mut dev = Command::new(program.with_file_name("xtask"));
        dev.args(["dev", "--ephemeral", "--durable", "--no-build", "--ready-file"]).arg(&ready_file);
        dev.env("ATELIER_PROJECT_LIMIT", PROJECT_LIMIT);
        for limit in ["GLOBAL", "USER", "KEY", "ADDRESS", "DATA_GLOBAL", "DATA_USER", "DATA_BYTES"] {
            dev.env(format!("ATELIER_RATE_{limit}"), "off");
        }
        let model = Model::start()?;
        let models_file = folder.join("models.json");
        std::fs::write(&models_file, model.file()).context("write the file of models")?;
        dev.env("ATELIER_MODELS_FILE", &models_file).env("NO_PROXY", "127.0.0.1");
        let dev = children.spawn("cargo xtask dev", &mut dev, &folder.join("dev.log"))?;
        let yardstick = program.with_file_name("yardstick");
        let receiver = Yardstick::start(children, &yardstick, folder, "receiver")?;
        let handler = Yardstick::start(children, &yardstick, folder, "handler")?;
        let repositories = Yardstick::start(children, &yardstick, folder, "repositories")?;
        let ready: Ready = children.wait_for("the service", START_LIMIT, || {
            std::fs::read(&ready_file).ok().and_then(|text| serde_json::from_slice(&text).ok())
        })?;
        let control = Process::child_of(dev, "control")?;
        let service_folder = std::fs::read_link(control.proc("cwd"))?;
        let scratch = folder.join("scratch");
        std::fs::create_dir(&scratch)?;
        Ok(Self {
            ready,
            control,
            data: Process::child_of(dev, "dataplane")?,
            service_folder,
            postgres_bin,
            browser,
            percent,
            receiver,
            handler,
            repositories,
            model,
            scratch,
            control_program: program.with_file_name("control"),
        })
    }

    /// Path of another program of the build.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.control_program.with_file_name(name)
    }

    /// The part of a number of rows that the run asks for.
    pub(crate) fn scaled(&self, rows: u32) -> u32 {
        rows / 100 * u32::from(self.percent)
    }

    /// Memory of both services before the first request.
    pub(crate) fn idle_memory(&self) -> Result<Vec<Row>> {
        let row = |name: &str, process: &Process| -> Result<Row> {
            let name = format!("{name}, idle");
            let service = process.resident_mib()?;
            Ok(Row { name, unit: "MiB", service, yardstick: None, required: None, aim: None, note: "" })
        };
        Ok(vec![row("control plane", &self.control)?, row("data plane", &self.data)?])
    }

    /// Creates a user with a key.
    pub(crate) fn account(&self, number: u64) -> Result<Account> {
        let email = format!("{number}@bench.example.com");
        let user = self.admin(&["user", "create", "--email", &email, "--name", "Bench"])?;
        let user = text(&user, "/userId")?;
        let key = self.admin(&["key", "issue", "--user", &user, "--scopes", SCOPES])?;
        Ok(Account { user, key_id: text(&key, "/keyId")?, key: text(&key, "/key")? })
    }

    /// Creates a project of the demonstration user, and a session on it.
    pub(crate) fn session(&self) -> Result<Session> {
        let project = self.call("POST", "/api/v2/projects", &json!({ "name": "Bench" }).to_string(), 201)?;
        self.session_on(text(&project, "/id")?)
    }

    /// Starts a session on a project.
    pub(crate) fn session_on(&self, project: String) -> Result<Session> {
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

    /// The answer of the control plane to a request of the demonstration user.
    ///
    /// # Errors
    /// It has another status.
    pub(crate) fn call(&self, method: &str, path: &str, body: &str, status: u16) -> Result<Value> {
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
    fn start(children: &mut Children, program: &Path, folder: &Path, kind: &str) -> Result<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let received = folder.join(kind);
        std::fs::create_dir(&received)?;
        let mut command = Command::new(program);
        command.arg("--listen").arg(address.to_string()).arg("--folder").arg(&received).arg(kind);
        children.spawn(&format!("yardstick {kind}"), &mut command, &folder.join(format!("{kind}.log")))?;
        children.wait_for("the yardstick", START_LIMIT, || TcpStream::connect(address).ok())?;
        Ok(Self { url: format!("http://{address}"), folder: received })
    }
}

impl Process {
    /// Finds the child of a process that runs a program.
    fn child_of(parent: u32, program: &str) -> Result<Self> {
        let is_it = |process: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            let (head, rest) = stat.rsplit_once(')').unwrap_or_default();
            head.ends_with(&format!("({program}"))
                && rest.split_whitespace().nth(1) == Some(parent.to_string().as_str())
        };
        let entries = std::fs::read_dir("/proc").context("memory can't be measured without /proc")?;
        let mut processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        processes.find(is_it).map(Self).with_context(|| format!("no process {program}"))
    }

    /// Its initial environment.
    pub(crate) fn environment(&self) -> Result<Vec<(String, String)>> {
        let text = String::from_utf8(std::fs::read(self.proc("environ"))?)?;
        let variables = text.split('\0').filter_map(|variable| variable.split_once('='));
        Ok(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Current memory.
    pub(crate) fn resident_mib(&self) -> Result<f64> {
        self.status("VmRSS:")
    }

    /// Peak memory since [`Process::reset_peak`].
    pub(crate) fn peak_mib(&self) -> Result<f64> {
        self.status("VmHWM:")
    }

    /// Sets the peak to the current memory.
    pub(crate) fn reset_peak(&self) -> Result<()> {
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

/// The text at a JSON pointer.
pub(crate) fn text(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}
