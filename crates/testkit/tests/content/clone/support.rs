//! The real `git`, without the machine's configuration.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use testkit::caller::Caller;
use testkit::open_session::OpenSession;
use testkit::session::uploaded;

/// A folder to run `git` in, with a credential.
pub(crate) struct Git {
    pub(crate) folder: TempDir,
    /// The service's address with user name and password.
    base: String,
    /// Search path for programs, if it isn't the usual one.
    path: Option<OsString>,
}

/// The result of a run of `git`.
pub(crate) struct Run {
    pub(crate) succeeded: bool,
    /// Both outputs, without differences between runs.
    pub(crate) said: String,
}

impl Git {
    /// Uses the credential of a caller as the password.
    pub(crate) fn of(caller: &Caller) -> Self {
        Self::with_password(caller, caller.credential())
    }

    /// Uses any password.
    pub(crate) fn with_password(caller: &Caller, password: &str) -> Self {
        let base = caller.url.replace("http://", &format!("http://anyone:{password}@"));
        Self { folder: tempfile::tempdir().unwrap(), base, path: None }
    }

    /// Adds a program that `git` runs to the search path.
    pub(crate) fn with_program(&mut self, program: &Path) {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let own = program.parent().unwrap().to_owned();
        let folders = std::iter::once(own).chain(std::env::split_paths(&folders));
        self.path = Some(std::env::join_paths(folders).unwrap());
    }

    /// The URL of a project's repository.
    pub(crate) fn url(&self, project: &str) -> String {
        format!("{}/git/{project}.git", self.base)
    }

    /// Clones a project into `name`, with more arguments; returns the path.
    pub(crate) fn clone(&self, project: &str, name: &str, arguments: &[&str]) -> PathBuf {
        self.run(".", &[&["clone", "--quiet"], arguments, &[&self.url(project), name]].concat());
        self.folder.path().join(name)
    }

    /// Runs `git` in a folder and asserts success. Returns its output.
    pub(crate) fn run(&self, folder: impl AsRef<Path>, arguments: &[&str]) -> String {
        let Run { succeeded, said } = self.try_run(folder, arguments);
        assert!(succeeded, "git {}: {said}", arguments.join(" "));
        said
    }

    /// Runs `git` in a folder.
    pub(crate) fn try_run(&self, folder: impl AsRef<Path>, arguments: &[&str]) -> Run {
        let output = self.command(folder, arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap().replace(&self.base, "<base>");
        let plain = self.base.split('@').next_back().unwrap();
        Run { succeeded: output.status.success(), said: said.replace(plain, "<host>").trim().to_owned() }
    }

    /// The command of `git` in a folder.
    pub(crate) fn command(&self, folder: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.current_dir(self.folder.path().join(folder)).args(arguments);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        git.env("GIT_TERMINAL_PROMPT", "0").env("HOME", self.folder.path()).env("LC_ALL", "C");
        // Ignores the machine's proxy settings.
        git.env("NO_PROXY", "*").env("no_proxy", "*");
        git.envs(self.path.as_ref().map(|path| ("PATH", path)));
        git
    }

    /// Asserts that `git fsck` finds no fault in a repository.
    pub(crate) fn check(&self, repository: &Path) {
        assert_eq!(self.run(repository, &["fsck", "--strict", "--no-dangling", "--no-progress"]), "");
        assert_eq!(self.run(repository, &["status", "--porcelain"]), "");
    }
}

/// Adds a file to a project's branch and commits it; returns the commit.
pub(crate) async fn commit(opened: &OpenSession, name: &str) -> String {
    uploaded(&opened.session.upload(&opened.model, name, name).await.expect(200));
    let commits = format!("/api/v2/projects/{}/branches/main/commits", opened.project);
    let body = json!({ "message": format!("Add {name}") });
    opened.caller.post(&commits).json(body).await.expect(201).text("/commit/hash")
}

/// Creates `count` commits.
pub(crate) async fn commits(opened: &OpenSession, count: usize) {
    for number in 0..count {
        commit(opened, &format!("part-{number}.txt")).await;
    }
}

/// Adds the Git objects of a local repository to a project's storage, and sets the project's branches of the same
/// names.
pub(crate) async fn import(opened: &OpenSession, git: &Git, repository: impl AsRef<Path>) {
    let repository = repository.as_ref();
    let database = opened.deployment.database.connect().await;
    let project = &opened.project;
    for line in git.run(repository, &["cat-file", "--batch-check", "--batch-all-objects"]).lines() {
        let (oid, kind) = (line.split(' ').next().unwrap(), line.split(' ').nth(1).unwrap());
        let data = git.command(repository, &["cat-file", kind, oid]).output().unwrap().stdout;
        let insert = "insert into git_objects (project_id, oid, kind, data) \
                      values ($1::text::uuid, decode($2, 'hex'), $3, $4)";
        database.execute(insert, &[project, &oid, &kind, &data]).await.unwrap();
    }
    for line in git.run(repository, &["rev-list", "--all", "--reverse", "--topo-order", "--parents"]).lines()
    {
        let (oid, parents) = line.split_once(' ').unwrap_or((line, ""));
        let insert = "insert into commits (project_id, oid, parents) select $1::text::uuid, decode($2, 'hex'), \
                      array(select decode(parent, 'hex') from unnest(string_to_array($3, ' ')) as parent)";
        database.execute(insert, &[project, &oid, &parents]).await.unwrap();
    }
    let format = "--format=%(objectname) %(refname:lstrip=2)";
    for line in git.run(repository, &["for-each-ref", format, "refs/heads"]).lines() {
        let (head, name) = line.split_once(' ').unwrap();
        if name != "main" {
            let branches = format!("/api/v2/projects/{project}/branches");
            opened.caller.post(&branches).json(json!({ "name": name })).await.expect(201);
        }
        let update =
            "update branches set head = decode($2, 'hex') where project_id = $1::text::uuid and name = $3";
        assert_eq!(database.execute(update, &[project, &head, &name]).await.unwrap(), 1);
    }
}
