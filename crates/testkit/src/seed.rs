//! Users, organizations, memberships and keys, created by `control admin` as an operator would.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::caller::Caller;
use crate::environment;

/// Every scope of projects and sessions.
pub const MANAGE: &[&str] = &["projects:manage"];

/// Every scope of projects, sessions and cards.
pub const MANAGE_WITH_CARDS: &[&str] = &["projects:manage", "cards:manage"];

/// Every scope of projects, sessions, cards and teams.
pub const MANAGE_WITH_TEAMS: &[&str] = &["projects:manage", "cards:manage", "teams:manage"];

/// Every scope of projects, sessions and cards, and of usage.
pub const MANAGE_WITH_USAGE: &[&str] = &["projects:manage", "cards:manage", "usage:read"];

/// An id that nothing has.
pub const ABSENT_ID: &str = "0198c5f0-0000-7000-8000-000000000000";

/// `control admin` on one deployment. Cheap to clone.
#[derive(Clone)]
pub struct Operator(Arc<Place>);

struct Place {
    database_url: String,
    issuer_key: PathBuf,
    anonymous: Caller,
    /// True if other tests create users and organizations of the same names.
    is_shared: bool,
    /// Started by the first command.
    batch: Mutex<Option<Batch>>,
}

/// A running `control admin batch`: a process for each command would be a twentieth of what all tests take.
struct Batch {
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    // It ends with its input, or with this value.
    _process: Child,
}

impl Place {
    fn admin(&self) -> Command {
        let mut command = Command::new(environment::program("control"));
        // Tests count the connections of the services.
        let url = format!("{}?application_name=operator", self.database_url);
        command
            .arg("admin")
            .env("ATELIER_DATABASE_URL", url)
            .env("ATELIER_DEVELOPMENT_ISSUER_KEY_FILE", &self.issuer_key)
            .env("RUST_BACKTRACE", "0");
        command
    }
}

impl Batch {
    fn start(place: &Place) -> Self {
        let mut process = place
            .admin()
            .arg("batch")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { commands: process.stdin.take().unwrap(), answers, _process: process }
    }

    async fn answer(&mut self, line: &Value) -> Value {
        self.commands.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let line = self.answers.next_line().await.unwrap();
        serde_json::from_str(&line.unwrap()).unwrap()
    }
}

/// A user.
#[derive(Clone)]
pub struct User {
    /// Id.
    pub id: String,
    operator: Operator,
}

/// A user's key, with a caller that presents it.
#[derive(Clone)]
pub struct Key {
    /// The key's id.
    pub id: String,
    /// A caller of the control plane with this key.
    pub caller: Caller,
}

impl Operator {
    pub(crate) fn new(database_url: String, issuer_key: PathBuf, anonymous: Caller, is_shared: bool) -> Self {
        Self(Arc::new(Place { database_url, issuer_key, anonymous, is_shared, batch: Mutex::default() }))
    }

    /// Runs the command of `control admin` with these `arguments`.
    pub async fn run(&self, arguments: &[&str]) -> Value {
        let answer = self.answer(&json!(arguments)).await;
        let made = answer.get("made").cloned();
        made.unwrap_or_else(|| panic!("control admin {}: {answer}", arguments.join(" ")))
    }

    /// The answer of `control admin batch` to a line: `{"made": …}` or `{"refused": "…"}`.
    pub async fn answer(&self, line: &Value) -> Value {
        let mut batch = self.0.batch.lock().await;
        batch.get_or_insert_with(|| Batch::start(&self.0)).answer(line).await
    }

    /// Runs `control admin --json` with `arguments`, as a process of its own.
    ///
    /// # Errors
    /// The refusal's text.
    pub async fn try_run(&self, arguments: &[&str]) -> Result<Value, String> {
        let output = self.0.admin().arg("--json").args(arguments).output().await.unwrap();
        if output.status.success() {
            Ok(serde_json::from_slice(&output.stdout).unwrap())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    }

    /// Creates a user called `name` with an address at `example.com`.
    pub async fn user(&self, name: &str) -> User {
        let email = self.address(name);
        let made = self.run(&["user", "create", "--email", &email, "--name", name]).await;
        User { id: text(&made, "userId"), operator: self.clone() }
    }

    /// Creates an organization owned by `owner`; returns its id.
    pub async fn organization(&self, slug: &str, owner: &User) -> String {
        let (name, slug) = (slug, self.unique(slug));
        let made = self.run(&["org", "create", "--name", name, "--slug", &slug, "--owner", &owner.id]).await;
        text(&made, "orgId")
    }

    /// The address of a person called `name`, at `example.com`.
    pub fn address(&self, name: &str) -> String {
        format!("{}@example.com", self.unique(name))
    }

    /// A name that no other test uses.
    fn unique(&self, name: &str) -> String {
        if self.0.is_shared { format!("{name}-{}", Uuid::new_v4().simple()) } else { name.to_owned() }
    }

    /// Makes `user` a member; `of` is `--org`, `--project` or `--team`.
    pub async fn add_member(&self, user: &User, of: &str, id: &str, role: &str) {
        self.run(&["member", "add", "--user", &user.id, of, id, "--role", role]).await;
    }

    /// Ends a membership.
    pub async fn remove_member(&self, user: &User, of: &str, id: &str) {
        self.run(&["member", "remove", "--user", &user.id, of, id]).await;
    }

    /// Gives a user another name.
    pub async fn rename(&self, user: &User, name: &str) {
        self.run(&["user", "rename", "--user", &user.id, "--name", name]).await;
    }

    /// A caller with a browser token of a person with this address, who may have no account.
    pub async fn newcomer(&self, email: &str) -> Caller {
        let made = self.run(&["token", "issue", "--email", email]).await;
        self.0.anonymous.with(&text(&made, "token"))
    }

    /// Revokes a key.
    pub async fn revoke(&self, key: &Key) {
        self.run(&["key", "revoke", "--key-id", &key.id]).await;
    }
}

impl User {
    /// A caller with a new key of these scopes.
    pub async fn key(&self, scopes: &[&str]) -> Caller {
        self.issue(scopes, &[]).await.caller
    }

    /// A new key of these scopes, with additional arguments of `control admin key issue`.
    pub async fn issue(&self, scopes: &[&str], more: &[&str]) -> Key {
        let scopes = scopes.join(",");
        let arguments = [&["key", "issue", "--user", &self.id, "--scopes", &scopes], more].concat();
        let made = self.operator.run(&arguments).await;
        Key { id: text(&made, "keyId"), caller: self.operator.0.anonymous.with(&text(&made, "key")) }
    }

    /// A caller with a browser token.
    pub async fn browser(&self) -> Caller {
        let made = self.operator.run(&["token", "issue", "--user", &self.id]).await;
        self.operator.0.anonymous.with(&text(&made, "token"))
    }

    /// A ticket that signs the user in to the console, once.
    pub async fn ticket(&self) -> String {
        let made = self.operator.run(&["token", "ticket", "--user", &self.id]).await;
        text(&made, "ticket")
    }
}

fn text(json: &Value, field: &str) -> String {
    json.get(field).and_then(Value::as_str).unwrap().to_owned()
}
