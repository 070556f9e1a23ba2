//! PostgreSQL and Redis of a run: found on the machine or installed, and started in the run's folder.

pub(crate) mod packages;
pub(crate) mod postgres;
pub(crate) mod redis;

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::folder::{DataRoot, Folder};
use crate::process::{Supervisor, output};
use crate::server_user::ServerUser;
use crate::workspace::Workspace;

/// Programs that a run needs.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    /// Folder of `initdb` and `postgres`.
    pub(crate) postgres_bin: PathBuf,
    /// The program `redis-server`.
    pub(crate) redis_server: PathBuf,
}

/// The requirements of a run: programs, the servers' user, and the parent of data folders.
pub(crate) struct Prerequisites {
    pub(crate) tools: Tools,
    pub(crate) user: Option<ServerUser>,
    pub(crate) root: DataRoot,
}

/// PostgreSQL and Redis on an ephemeral folder, as tests use them. Dropping them ends the servers and removes the folder.
pub(crate) struct Servers {
    // Fields drop in this order: the supervisor first, whose reaper ends the servers and removes the folder.
    pub(crate) supervisor: Supervisor,
    pub(crate) folder: Folder,
    pub(crate) tools: Tools,
    pub(crate) postgres: postgres::Postgres,
    /// The URL of the Redis, with its password.
    pub(crate) redis_url: String,
}

impl Prerequisites {
    /// Finds or installs the programs.
    pub(crate) fn find_or_install(workspace: &Workspace) -> Result<Self> {
        let tools = packages::find_or_install(workspace)?;
        let user = ServerUser::needed()?;
        let root = DataRoot::open(workspace, user.as_ref())?;
        Ok(Self { tools, user, root })
    }

    /// Starts servers without durability: no write waits for the disk.
    pub(crate) fn start_servers(self, database: &str) -> Result<Servers> {
        let Self { tools, user, root } = self;
        let folder = root.ephemeral()?;
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
        Ok(Servers { supervisor, folder, tools, postgres, redis_url })
    }
}

impl Servers {
    /// Migrates a database of the server.
    pub(crate) fn migrate(&self, workspace: &Workspace, database: &str) -> Result<()> {
        let mut control = Command::new(workspace.binary("control"));
        control.arg("migrate").env("ATELIER_DATABASE_URL", self.postgres.url(database));
        output("control migrate", control.env("ATELIER_REDIS_URL", &self.redis_url)).map(drop)
    }
}

/// A port that was free a moment ago. Binding it can still fail.
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
