//! A private PostgreSQL on a free port of the loopback interface, with its own password.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;

use super::{free_port, packages};
use crate::folder::{self, Folder, write_private};
use crate::process::{Spec, Supervisor, output};
use crate::reaper::Stage;
use crate::server_user::ServerUser;

/// Superuser of the cluster and owner of all databases.
const SUPERUSER: &str = "atelier";
/// Free memory for files that the databases of a run of all tests need, in bytes.
const MEMORY_NEEDED: u64 = 4 << 30;
const START_LIMIT: Duration = Duration::from_secs(60);

/// Options of a server.
pub(crate) struct Options<'a> {
    /// Folder of the programs.
    pub(crate) bin: &'a Path,
    /// User of the processes, if this process is root.
    pub(crate) user: Option<&'a ServerUser>,
    /// Database to create in a new cluster.
    pub(crate) database: &'a str,
    /// Password of the superuser.
    pub(crate) password: &'a str,
    /// True if committed data must survive a kill.
    pub(crate) durable: bool,
}

/// A running server.
pub(crate) struct Postgres {
    port: u16,
    password: String,
}

impl Postgres {
    /// The URL of a database of this server, as its superuser.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://{SUPERUSER}:{}@127.0.0.1:{}/{database}", self.password, self.port)
    }
}

/// Starts the server of `folder`, creates its cluster if absent, and waits until it accepts connections.
pub(crate) fn start(supervisor: &mut Supervisor, folder: &Folder, options: &Options<'_>) -> Result<Postgres> {
    let data = folder.path().join("postgres");
    if data.exists() {
        check_version(&data, options)?;
    } else {
        create(folder, &data, options)?;
    }
    // The file of a killed server would be mistaken for the new one's.
    let status = data.join("postmaster.pid");
    let _absent = fs::remove_file(&status);
    let port = free_port()?;
    let mut command = program(options, &data, "postgres");
    command.arg("-D").arg(&data).args(settings(port, options.durable));
    let spec = Spec {
        name: "PostgreSQL".to_owned(),
        command,
        log: Some(folder.path().join("postgres.log")),
        stage: Stage::Server,
        // A fast shutdown writes a checkpoint; an immediate one doesn't.
        stop: if options.durable { Signal::SIGINT } else { Signal::SIGQUIT },
    };
    supervisor.spawn(spec)?;
    supervisor.wait_for("PostgreSQL", START_LIMIT, || {
        fs::read_to_string(&status)
            .ok()
            .filter(|text| text.lines().nth(7).is_some_and(|line| line.trim() == "ready"))
    })?;
    Ok(Postgres { port, password: options.password.to_owned() })
}

fn settings(port: u16, durable: bool) -> Vec<String> {
    let port = format!("port={port}");
    let mut settings =
        vec![port.as_str(), "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=400"];
    if durable {
        // PostgreSQL's manual advises a quarter of the memory; the default of 128 MB is for small machines.
        settings.push("shared_buffers=1GB");
    } else {
        settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"]);
    }
    settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting.to_owned()]).collect()
}

/// Creates a cluster with one database. The folder gets its name when it is complete, so that a kill leaves no half.
fn create(folder: &Folder, data: &Path, options: &Options<'_>) -> Result<()> {
    let in_memory = if options.durable { None } else { memory(folder) };
    let new = in_memory.clone().unwrap_or_else(|| folder.path().join("postgres.new"));
    if new.exists() {
        fs::remove_dir_all(&new)?;
    }
    fs::create_dir(&new)?;
    if let Some(memory) = &in_memory {
        // The end of the folder is that of what this link leads to.
        symlink(memory, folder.path().join(folder::MEMORY))?;
    }
    fs::set_permissions(&new, fs::Permissions::from_mode(0o700))?;
    let password = folder.path().join("postgres.password");
    write_private(&password, options.password.as_bytes())?;
    if let Some(user) = options.user {
        chown(&new, Some(user.uid), Some(user.gid))?;
        chown(&password, Some(user.uid), Some(user.gid))?;
    }
    let mut initdb = program(options, &new, "initdb");
    initdb.arg("-D").arg(&new).arg("--pwfile").arg(&password).args(["-U", SUPERUSER, "-E", "UTF8"]);
    // Case folding of all languages, and an order by bytes, on every machine.
    initdb.args(["--locale=C.UTF-8", "--no-instructions"]);
    // The password stays on the loopback interface. A challenge would cost thousands of hash rounds per connection,
    // which slows every test of an unoptimised build.
    initdb.arg("--auth-host=password");
    if options.durable {
        initdb.arg("--auth-local=password");
    } else {
        // Nobody connects by a socket: `md5` there makes the password's stored form one that the server compares without
        // thousands of rounds. A run of the tests connects ten thousand times.
        initdb.args(["--auth-local=md5", "--no-sync"]);
    }
    let made = output("initdb", &mut initdb);
    fs::remove_file(&password)?;
    made?;
    create_database(&new, options)?;
    match in_memory {
        Some(memory) => symlink(memory, data).context("link the new cluster"),
        None => fs::rename(&new, data).context("name the new cluster"),
    }
}

/// A path for data that need not survive the run, in memory: a fifth of what tests take is the file system's work for the
/// files of hundreds of databases. `None` where there is little memory for files.
fn memory(folder: &Folder) -> Option<PathBuf> {
    let files = Path::new("/dev/shm");
    let space = nix::sys::statvfs::statvfs(files).ok()?;
    let free = space.blocks_available().saturating_mul(space.fragment_size());
    let name = folder.path().file_name()?.to_str()?;
    (free > MEMORY_NEEDED).then(|| files.join(format!("atelier-{name}-{}", std::process::id())))
}

/// Creates the database in single-user mode: not every package of PostgreSQL has client programs.
fn create_database(data: &Path, options: &Options<'_>) -> Result<()> {
    use std::io::Write;
    let mut command = program(options, data, "postgres");
    command.arg("--single").arg("-D").arg(data).arg("postgres");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("start postgres --single")?;
    if let Some(mut stdin) = child.stdin.take() {
        writeln!(stdin, "CREATE DATABASE \"{}\"", options.database)?;
    }
    let finished = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&finished.stderr);
    // Single-user mode exits with 0 even if a statement failed.
    ensure!(finished.status.success() && !errors.contains("ERROR"), "create the database: {}", errors.trim());
    Ok(())
}

fn check_version(data: &Path, options: &Options<'_>) -> Result<()> {
    let holds =
        fs::read_to_string(data.join("PG_VERSION")).with_context(|| format!("read {}", data.display()))?;
    let runs = packages::postgres_version(options.bin).context("postgres --version")?;
    ensure!(
        holds.trim() == runs.to_string(),
        "{} was written by PostgreSQL {}, and {} is version {runs}: remove the folder to start with new data",
        data.display(),
        holds.trim(),
        options.bin.display()
    );
    Ok(())
}

/// A program of PostgreSQL, run as the servers' user in a folder that this user can enter.
fn program(options: &Options<'_>, folder: &Path, name: &str) -> Command {
    let mut command = Command::new(options.bin.join(name));
    command.current_dir(folder).env("LC_ALL", "C.UTF-8").env_remove("LD_LIBRARY_PATH");
    if let Some(user) = options.user {
        command.uid(user.uid).gid(user.gid);
    }
    command
}
