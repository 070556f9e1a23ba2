//! PostgreSQL and Redis for a run: found on the machine or installed, and started privately in the run's folder.

pub(crate) mod packages;
pub(crate) mod postgres;
pub(crate) mod redis;

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use nix::unistd::{Uid, User};

use crate::folder::{Folder, Root};
use crate::process::Supervisor;
use crate::workspace::Workspace;

/// The programs that runs need.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    /// The folder with `initdb` and `postgres`.
    pub(crate) postgres_bin: PathBuf,
    /// The program `redis-server`.
    pub(crate) redis_server: PathBuf,
}

/// The user PostgreSQL runs as where this process is root, which PostgreSQL refuses to be.
#[derive(Debug, Clone)]
pub(crate) struct ServerUser {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// Where a run's data live, and the programs to serve them with.
pub(crate) struct Ground {
    pub(crate) tools: Tools,
    pub(crate) user: Option<ServerUser>,
    pub(crate) root: Root,
}

/// Throw-away servers and their folder: what tests and benchmarks run against. Dropping it ends and removes it all.
pub(crate) struct Throwaway {
    // Fields drop in this order: the supervisor ends everything, and its keeper removes the folder.
    pub(crate) supervisor: Supervisor,
    pub(crate) folder: Folder,
    pub(crate) tools: Tools,
    pub(crate) postgres: postgres::Postgres,
    /// The URL of the Redis, with its password.
    pub(crate) redis_url: String,
}

impl Ground {
    /// Finds or installs the programs.
    pub(crate) fn prepare(workspace: &Workspace) -> Result<Self> {
        let tools = packages::find_or_install(workspace)?;
        let user = ServerUser::needed()?;
        let root = Root::open(workspace, user.as_ref())?;
        Ok(Self { tools, user, root })
    }

    /// Starts servers whose data nobody will miss: no write waits for the disk.
    pub(crate) fn throw_away(self, database: &str) -> Result<Throwaway> {
        let Self { tools, user, root } = self;
        let folder = root.throw_away()?;
        let mut supervisor = Supervisor::start(&folder)?;
        let options = postgres::Options {
            bin: &tools.postgres_bin,
            user: user.as_ref(),
            database,
            password: &secret()?,
            durable: false,
        };
        let postgres = postgres::start(&mut supervisor, &folder, &options)?;
        let redis_url = redis::start(&mut supervisor, &folder, &tools.redis_server)?;
        Ok(Throwaway { supervisor, folder, tools, postgres, redis_url })
    }
}

impl ServerUser {
    /// Nobody where this process isn't root; else `postgres`, which the system's package makes, or `nobody`.
    fn needed() -> Result<Option<Self>> {
        if !Uid::effective().is_root() {
            return Ok(None);
        }
        let user = match User::from_name("postgres")? {
            Some(user) => Some(user),
            None => User::from_name("nobody")?,
        };
        let user = user.ok_or_else(|| {
            anyhow::anyhow!(
                "PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody"
            )
        })?;
        Ok(Some(Self { name: user.name, uid: user.uid.as_raw(), gid: user.gid.as_raw() }))
    }

    /// Whether the user has access to a folder through all of its parents.
    pub(crate) fn can_enter(&self, folder: &Path) -> bool {
        let mut command = Command::new("true");
        command.current_dir(folder).uid(self.uid).gid(self.gid).stdin(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

/// A port that was free a moment ago. Whoever binds it can still lose a race, and then says so.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// 128 random bits in hexadecimal, for passwords of private servers.
pub(crate) fn secret() -> Result<String> {
    use std::io::Read;
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
