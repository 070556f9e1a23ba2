//! A project's content as a bare Git repository, with each object written by Git itself.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::database::Database;

/// A bare repository, deleted with the value.
pub struct Repository {
    folder: TempDir,
}

impl Repository {
    /// Exports a project: its Git objects, whose ids Git confirms, and its branches.
    pub async fn export(database: &Database, project: &str) -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet", "--bare", "--initial-branch=main", "."]);
        let client = database.connect().await;
        let of_project =
            |columns: &str, table: &str| format!("select {columns} from {table} where project_id::text = $1");
        for kind in ["blob", "tree", "commit"] {
            let query = of_project("encode(oid, 'hex'), data", "git_objects");
            let rows = client
                .query(&format!("{query} and kind = '{kind}' order by oid"), &[&project])
                .await
                .unwrap();
            let (oids, data): (Vec<String>, Vec<Vec<u8>>) =
                rows.iter().map(|row| (row.get::<_, String>(0), row.get::<_, Vec<u8>>(1))).unzip();
            assert_eq!(repository.hash_objects(kind, &data), oids, "Git's own ids of each {kind}");
        }
        // All branches in one file, as after `git pack-refs`: names may be longer than file names.
        let heads = of_project("encode(head, 'hex') || ' refs/heads/' || name", "branches");
        let heads = format!("{heads} and head is not null order by name collate \"C\"");
        let rows = client.query(&heads, &[&project]).await.unwrap();
        let lines: Vec<String> = rows.iter().map(|row| format!("{}\n", row.get::<_, String>(0))).collect();
        let packed = format!("# pack-refs with: peeled fully-peeled sorted \n{}", lines.concat());
        fs::write(repository.path().join("packed-refs"), packed).unwrap();
        repository
    }

    /// Path of the repository.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs Git and returns both of its outputs; panics if it fails.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap().trim().to_owned();
        assert!(output.status.success(), "git {}: {said}", arguments.join(" "));
        said
    }

    /// Panics if `git fsck` finds a problem.
    pub fn check(&self) {
        assert_eq!(self.git(&["fsck", "--strict", "--full", "--no-dangling"]), "");
    }

    /// Writes objects of one kind; returns the ids from Git.
    fn hash_objects(&self, kind: &str, data: &[Vec<u8>]) -> Vec<String> {
        let files = tempfile::tempdir().unwrap();
        let mut paths = String::new();
        for (number, data) in data.iter().enumerate() {
            let path = files.path().join(number.to_string());
            fs::write(&path, data).unwrap();
            paths.push_str(path.to_str().unwrap());
            paths.push('\n');
        }
        let mut git = self.command(&["hash-object", "-w", "--no-filters", "--stdin-paths", "-t", kind]);
        let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(paths.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Git without this machine's configuration.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.path()).args(["-c", "core.quotePath=false"]).args(arguments);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        git
    }
}
