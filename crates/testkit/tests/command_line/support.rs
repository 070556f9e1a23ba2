//! A user at a terminal: the program with a home folder of its own, and a project to work on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use regex_lite::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options, Service};
use testkit::environment::program;
use testkit::seed::{MANAGE, User};
use testkit::session::create_project;
use tokio::process::{Child, Command};

/// A user at a terminal.
pub struct CommandLine {
    /// The deployment.
    pub deployment: Deployment,
    /// The user.
    pub user: User,
    /// A caller with the key of the program.
    pub caller: Caller,
    /// The id of the key.
    pub key_id: String,
    /// The project.
    pub project: String,
    /// A folder of files.
    pub files: TempDir,
    home: TempDir,
}

/// The end of a command.
pub struct Finished {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl CommandLine {
    /// A new deployment with a user, a key and a project named `gearbox`.
    pub async fn open() -> Self {
        Self::on(Deployment::shared(), MANAGE).await
    }

    /// As `open`, with a key of these scopes.
    pub async fn open_with(scopes: &[&str]) -> Self {
        Self::on(Deployment::shared(), scopes).await
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::with(Options::default(), MANAGE).await
    }

    /// The same with these options and these scopes of the key.
    pub async fn with(options: Options, scopes: &[&str]) -> Self {
        Self::on(Deployment::with(options).await, scopes).await
    }

    async fn on(deployment: Deployment, scopes: &[&str]) -> Self {
        let user = deployment.operator().user("ada").await;
        let key = user.issue(scopes, &[]).await;
        let project = create_project(&key.caller, "gearbox").await;
        Self {
            deployment,
            user,
            caller: key.caller,
            key_id: key.id,
            project,
            files: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// The program, with the key of this terminal.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("atelier"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home.path())
            .env("NO_PROXY", "127.0.0.1")
            // Without a keyring: that of the machine is not for tests.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env("ATELIER_URL", &self.deployment.control_urls[0])
            .env("ATELIER_KEY", self.caller.credential())
            .current_dir(self.files.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// The home folder of the user.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Runs the program to its end.
    pub async fn run(&self, arguments: &[&str]) -> Finished {
        Finished::of(self.command(arguments).output().await.unwrap())
    }

    /// Runs the program with this text on its standard input.
    pub async fn run_with_input(&self, arguments: &[&str], input: &str) -> Finished {
        let file = self.write("standard-input", input);
        let mut command = self.command(arguments);
        command.stdin(std::fs::File::open(file).unwrap());
        Finished::of(command.output().await.unwrap())
    }

    /// Starts the program.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Writes a file below the folder of files.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.files.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a number of small files of different content into a few folders below `parts`.
    pub fn write_parts(&self, number: usize) {
        for part in 0..number {
            // Not a text, which a process of its own would convert.
            let text = format!("\0\u{1}part {part} {}", "x".repeat(part % 997));
            self.write(&format!("parts/{}/part-{part}.txt", part % 7), text);
        }
    }

    /// The files of the project's tree: path with the SHA-256 of each object of that path.
    pub async fn tree(&self) -> BTreeMap<String, Vec<String>> {
        self.tree_of(&self.caller).await
    }

    /// As `tree`, read with another credential.
    pub async fn tree_of(&self, caller: &Caller) -> BTreeMap<String, Vec<String>> {
        let path = format!("/api/v2/projects/{}/tree", self.project);
        let tree = caller.get(&path).await.expect(200).json();
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for node in tree["tree"].as_array().unwrap() {
            let text = |field: &str| node[field].as_str().unwrap();
            let path = format!("{}/{}", paths.get(text("parent")).map_or("", String::as_str), text("name"));
            paths.insert(text("id"), path.clone());
            if let Some(sha256) = node["file"]["sha256"].as_str() {
                files.entry(path).or_default().push(sha256.to_owned());
            }
        }
        files
    }

    /// The objects of the project's files, by path.
    pub async fn objects(&self) -> BTreeMap<String, String> {
        let lines = self.run(&["tree", "gearbox", "--json"]).await.expect(0).lines();
        let text = |node: &Value, field: &str| node[field].as_str().unwrap().to_owned();
        lines.iter().map(|node| (text(node, "path"), text(node, "id"))).collect()
    }

    /// Number of requests that a service has answered.
    pub async fn requests(&self, service: &Service) -> u64 {
        let metrics = self.deployment.http.get(format!("{}/metrics", service.ops_url)).send().await.unwrap();
        let text = metrics.text().await.unwrap();
        let counts = text.lines().filter(|line| line.starts_with("http_requests_total"));
        counts.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
    }

    /// Checks that the tree has each file below `parts` once, byte for byte, below `place`, and nothing else there.
    pub async fn check_parts(&self, place: &str) {
        let mut expected = BTreeMap::new();
        let root = self.files.path();
        for path in files_below(&root.join("parts")) {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            expected.insert(format!("{place}/{name}"), vec![sha256(&std::fs::read(&path).unwrap())]);
        }
        let mut there = self.tree().await;
        there.retain(|path, _| path.starts_with(&format!("{place}/parts/")));
        let differs = |path: &&String| expected.get(*path) != there.get(*path);
        let wrong: Vec<&String> = expected.keys().chain(there.keys()).filter(differs).collect();
        assert!(
            wrong.is_empty(),
            "{} of {} are wrong: {:?}",
            wrong.len(),
            expected.len(),
            &wrong[..wrong.len().min(9)]
        );
    }
}

impl Finished {
    /// The end of a process.
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let Output { status, stdout, stderr } = output;
        Self { code: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Checks the exit code.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Standard output with ids, hashes and times replaced.
    pub fn shown(&self) -> String {
        let mut text = self.stdout.clone();
        for (pattern, name) in [
            (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>"),
            (r"\b[0-9a-f]{10}\b", "<hash>"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d", "<time>"),
            (r"\d{4}-\d\d-\d\d", "<day>"),
        ] {
            text = Regex::new(pattern).unwrap().replace_all(&text, name).into_owned();
        }
        text
    }

    /// The lines of JSON on standard output.
    pub fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The line of JSON of an event.
    pub fn event(&self, name: &str) -> Value {
        let found = self.lines().into_iter().find(|line| line["event"] == name);
        found.unwrap_or_else(|| panic!("no {name} in\n{}\n{}", self.stdout, self.stderr))
    }
}

/// All files below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

/// The hash of bytes, as the API writes it.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
