//! A private PostgreSQL that a test can kill and restart.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::{Uid, User};
use tempfile::TempDir;

use crate::environment;
use crate::process::{Process, Recipe};
use crate::redis::free_port;

const START_LIMIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);

/// A PostgreSQL server on its own port. Its data survives a kill, as in production.
pub struct PrivatePostgres {
    recipe: Recipe,
    url: String,
    data: PathBuf,
    running: Option<Process>,
    // Last field: removed after the server has stopped.
    _folder: TempDir,
}

impl PrivatePostgres {
    /// Creates a cluster and starts its server.
    pub fn start() -> Self {
        let run_as = server_user();
        let folder = folder_for(run_as);
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        if let Some((user, group)) = run_as {
            chown(folder.path(), Some(user), Some(group)).unwrap();
            chown(&data, Some(user), Some(group)).unwrap();
        }
        let bin = environment::postgres_bin();
        let mut initdb = Command::new(bin.join("initdb"));
        initdb
            .arg("-D")
            .arg(&data)
            .args(["-U", "atelier", "-A", "trust", "--no-sync", "--no-instructions"])
            .args(["-E", "UTF8", "--locale=C.UTF-8"])
            .current_dir(folder.path())
            .stdout(Stdio::null());
        if let Some((user, group)) = run_as {
            initdb.uid(user).gid(group);
        }
        assert!(initdb.status().unwrap().success(), "initdb failed");
        let port = free_port();
        let arguments = [
            "-D",
            data.to_str().unwrap(),
            "-c",
            &format!("port={port}"),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
        ];
        let recipe = Recipe {
            name: "PostgreSQL".to_owned(),
            program: bin.join("postgres"),
            arguments: arguments.map(str::to_owned).to_vec(),
            environment: vec![("LC_ALL".to_owned(), "C.UTF-8".to_owned())],
            run_as,
            log: folder.path().join("postgres.log"),
        };
        let mut postgres = Self {
            recipe,
            url: format!("postgres://atelier@127.0.0.1:{port}/postgres"),
            data,
            running: None,
            _folder: folder,
        };
        postgres.restart();
        postgres
    }

    /// URL of the `postgres` database as superuser; constant across restarts.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Kills the postmaster (SIGKILL); its children notice and end.
    pub fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.kill();
        }
    }

    /// Starts the server again on the same data and waits until it accepts connections.
    pub fn restart(&mut self) {
        self.kill();
        self.await_backends();
        let status = self.data.join("postmaster.pid");
        // The file of the killed server would otherwise count as the new one's.
        let _absent = fs::remove_file(&status);
        let running = Process::spawn(&self.recipe);
        running.wait_for(START_LIMIT, "take connections", || {
            let text = fs::read_to_string(&status).ok()?;
            text.lines().nth(7).filter(|line| line.trim() == "ready").map(|_| ())
        });
        self.running = Some(running);
    }

    /// Waits until the processes of a killed server have noticed its end: as long as one lives, no other server starts on
    /// its data.
    fn await_backends(&self) {
        let data = fs::canonicalize(&self.data).unwrap();
        let deadline = Instant::now() + START_LIMIT;
        while fs::read_dir("/proc").unwrap().flatten().any(|process| {
            // Each works in the folder of its data. Processes of others, and those that have ended, don't tell.
            fs::read_link(process.path().join("cwd")).is_ok_and(|folder| folder == data)
        }) {
            assert!(Instant::now() < deadline, "processes of a killed PostgreSQL stay");
            std::thread::sleep(POLL);
        }
    }
}

/// A folder that the server's user can enter, unlike this user's temporary folder.
fn folder_for(run_as: Option<(u32, u32)>) -> TempDir {
    let Some((user, group)) = run_as else {
        return tempfile::tempdir().unwrap();
    };
    let can_enter = |folder: &PathBuf| {
        let entered = Command::new("true").current_dir(folder).uid(user).gid(group).status();
        entered.is_ok_and(|status| status.success())
    };
    let folders = [std::env::temp_dir(), PathBuf::from("/tmp")];
    let folder = folders.into_iter().find(can_enter).unwrap();
    tempfile::tempdir_in(folder).unwrap()
}

/// The user of the server: PostgreSQL refuses to run as root.
fn server_user() -> Option<(u32, u32)> {
    if !Uid::effective().is_root() {
        return None;
    }
    let user = ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).unwrap());
    let Some(user) = user else {
        panic!("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody");
    };
    Some((user.uid.as_raw(), user.gid.as_raw()))
}
