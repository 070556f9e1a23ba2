//! A private Redis on a free port of the loopback interface, without persistence and with its own password.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use nix::sys::signal::Signal;

use super::{free_port, secret};
use crate::folder::{Folder, write_private};
use crate::process::{Spec, Supervisor};
use crate::reaper::Stage;

const START_LIMIT: Duration = Duration::from_secs(20);

/// Starts it, waits until it answers, and returns its URL.
pub(crate) fn start(supervisor: &mut Supervisor, folder: &Folder, program: &Path) -> Result<String> {
    let port = free_port()?;
    let password = secret()?;
    let work = folder.private_dir("redis")?;
    // In a file, since every user can read the arguments of a process.
    let config = work.join("redis.conf");
    let lines = format!(
        "port {port}\nbind 127.0.0.1\nrequirepass {password}\nsave \"\"\nappendonly no\ndir \"{}\"\n",
        work.display()
    );
    write_private(&config, lines.as_bytes())?;
    let mut command = Command::new(program);
    command.arg(&config).current_dir(&work).env_remove("LD_LIBRARY_PATH");
    supervisor.spawn(Spec {
        name: "Redis".to_owned(),
        command,
        log: Some(folder.path().join("redis.log")),
        stage: Stage::Server,
        stop: Signal::SIGTERM,
    })?;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    supervisor.wait_for("Redis", START_LIMIT, || answers(address, &password).then_some(()))?;
    Ok(format!("redis://:{password}@127.0.0.1:{port}/"))
}

fn answers(address: SocketAddr, password: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        write!(stream, "AUTH {password}\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        Ok(&answer == b"+OK\r\n")
    };
    ask().unwrap_or(false)
}
