//! The initial data of a new service: the schema, signing keys, a user with an organization and an API key. Everything is
//! created by `control`, as an operator would do it, and recorded beside the data.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dev::command_line::CommandLine;
use crate::folder::{Folder, write_private};
use crate::process::output;
use crate::provision::secret;
use crate::workspace::Workspace;

/// Scopes of the demonstration key.
const SCOPES: &str = "projects:manage,cards:manage,teams:manage,usage:read";

/// Exit code of `atelier` where the service refuses the credential.
const NOT_SIGNED_IN: i32 = 4;

/// Lifetime of browser tokens, in seconds: 7 days.
const TOKEN_SECS: &str = "604800";

/// The `control` program, on the run's database.
pub(super) struct Control<'a> {
    program: PathBuf,
    keys: PathBuf,
    database_url: &'a str,
    redis_url: &'a str,
}

/// The record of the created data.
pub(super) struct Seed {
    path: PathBuf,
    state: State,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    database_password: String,
    user_id: Option<String>,
    org_id: Option<String>,
    api_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserCreated {
    user_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrgCreated {
    org_id: String,
}

#[derive(Deserialize)]
struct KeyIssued {
    key: String,
}

#[derive(Deserialize)]
struct TokenIssued {
    token: String,
}

#[derive(Deserialize)]
struct TicketIssued {
    ticket: String,
}

impl<'a> Control<'a> {
    pub(super) fn new(
        workspace: &Workspace,
        folder: &Folder,
        database_url: &'a str,
        redis_url: &'a str,
    ) -> Result<Self> {
        let keys = folder.private_dir("keys")?;
        Ok(Self { program: workspace.binary("control"), keys, database_url, redis_url })
    }

    /// Folder of the signing keys.
    pub(super) fn keys(&self) -> &Path {
        &self.keys
    }

    pub(super) fn migrate(&self) -> Result<()> {
        self.call("control migrate", &["migrate"]).map(drop)
    }

    /// Creates missing keys: of grants, of the development issuer, and the one that seals secrets.
    pub(super) fn make_keys(&self) -> Result<()> {
        let folder = self.keys.to_str().context("the path of the keys is not UTF-8")?;
        for name in ["grant", "issuer"] {
            if !self.keys.join(format!("{name}-public.pem")).exists() {
                let args = ["admin", "signing-key", "generate", "--name", name, "--out", folder];
                self.call("control admin signing-key generate", &args)?;
            }
        }
        let sealing = self.keys.join("secrets.key");
        if !sealing.exists() {
            write_private(&sealing, format!("{}{}\n", secret()?, secret()?).as_bytes())?;
        }
        Ok(())
    }

    /// A browser token of the development issuer for `subject`: `--user` or `--email` with its value.
    pub(super) fn browser_token(&self, subject: &[&str]) -> Result<String> {
        let key = self.issuer_key()?;
        let options = ["--issuer-key", &key, "--lifetime-secs", TOKEN_SECS];
        let issued: TokenIssued = self.admin(&[&["token", "issue"], subject, &options].concat())?;
        Ok(issued.token)
    }

    /// The address that signs the user in to the console at `control_url`, once.
    pub(super) fn sign_in_link(&self, user: &str, control_url: &str) -> Result<String> {
        let key = self.issuer_key()?;
        let options = ["--user", user, "--issuer-key", &key, "--lifetime-secs", TOKEN_SECS];
        let issued: TicketIssued = self.admin(&[&["token", "ticket"][..], &options].concat())?;
        // No browser sends a fragment to a server.
        Ok(format!("{control_url}/sign-in#ticket={}", issued.ticket))
    }

    fn issuer_key(&self) -> Result<String> {
        let key = self.keys.join("issuer-private.pem");
        Ok(key.to_str().context("the path of the keys is not UTF-8")?.to_owned())
    }

    fn admin<T: DeserializeOwned>(&self, args: &[&str]) -> Result<T> {
        let name = format!("control admin {}", args.iter().take(2).copied().collect::<Vec<_>>().join(" "));
        let printed = self.call(&name, &[&["admin", "--json"], args].concat())?;
        serde_json::from_str(&printed).with_context(|| format!("{name} printed {printed:?}"))
    }

    fn call(&self, name: &str, args: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(args).env("ATELIER_ENVIRONMENT", "development");
        command.env("ATELIER_DATABASE_URL", self.database_url).env("ATELIER_REDIS_URL", self.redis_url);
        output(name, &mut command)
    }
}

impl Seed {
    /// Reads the record of a folder, or begins one.
    pub(super) fn open(folder: &Folder) -> Result<Self> {
        let path = folder.path().join("seed.json");
        if path.exists() {
            let text = std::fs::read(&path)?;
            let state = serde_json::from_slice(&text).with_context(|| format!("read {}", path.display()))?;
            return Ok(Self { path, state });
        }
        let state = State { database_password: secret()?, user_id: None, org_id: None, api_key: None };
        let seed = Self { path, state };
        seed.save()?;
        Ok(seed)
    }

    pub(super) fn database_password(&self) -> &str {
        &self.state.database_password
    }

    /// Creates the user, the organization and the key if they are missing. Records each at once.
    pub(super) fn fill(&mut self, control: &Control<'_>) -> Result<()> {
        let user = match self.state.user_id.clone() {
            Some(user) => user,
            None => {
                let args = ["user", "create", "--email", "demo@example.com", "--name", "Demonstration"];
                let created: UserCreated = control.admin(&args)?;
                self.state.user_id = Some(created.user_id.clone());
                self.save()?;
                created.user_id
            }
        };
        if self.state.org_id.is_none() {
            let args =
                ["org", "create", "--name", "Demonstration", "--slug", "demonstration", "--owner", &user];
            let created: OrgCreated = control.admin(&args)?;
            self.state.org_id = Some(created.org_id);
            self.save()?;
        }
        if self.state.api_key.is_none() {
            self.issue_key(control)?;
        }
        Ok(())
    }

    /// The recorded key, or a new one if it has expired or was revoked.
    pub(super) fn working_key(&mut self, control: &Control<'_>, user: &CommandLine<'_>) -> Result<String> {
        for _ in 0..2 {
            let key = self.state.api_key.clone().context("no key was issued")?;
            let output = user.command(&key)?.arg("whoami").output().context("start atelier")?;
            match output.status.code() {
                Some(0) => return Ok(key),
                Some(NOT_SIGNED_IN) => self.issue_key(control)?,
                _ => bail!("atelier whoami: {}", String::from_utf8_lossy(&output.stderr).trim()),
            }
        }
        bail!("the service refuses a key that was just issued")
    }

    /// The ids of the user and the organization.
    pub(super) fn ids(&self) -> Result<(&str, &str)> {
        let ids = self.state.user_id.as_deref().zip(self.state.org_id.as_deref());
        ids.context("the demonstration user was not created")
    }

    fn issue_key(&mut self, control: &Control<'_>) -> Result<()> {
        let user = self.state.user_id.clone().context("the demonstration user was not created")?;
        let args = ["key", "issue", "--user", &user, "--scopes", SCOPES, "--expires-in", "365d", "--test"];
        let issued: KeyIssued = control.admin(&args)?;
        self.state.api_key = Some(issued.key);
        self.save()
    }

    fn save(&self) -> Result<()> {
        write_private(&self.path, &serde_json::to_vec_pretty(&self.state)?)
    }
}
