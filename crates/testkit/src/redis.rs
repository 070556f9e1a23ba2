//! A private Redis that a test can kill, pause, wipe and restart.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// Names the `redis-server` to run; defaults to the one on the PATH.
const PROGRAM: &str = "ATELIER_TEST_REDIS_SERVER";
/// Longest start.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// Runs a program until this process stops it or dies, which closes its pipe. The kernel sends the ignored hang-up
/// to a process group that lost its parent while a member (a paused server) was stopped.
const KEEPER: &str =
    r#"trap '' HUP; "$@" >/dev/null 2>&1 & echo $!; read -r _; kill -9 $!; wait $! 2>/dev/null"#;

/// A Redis server on its own port, without persistence. Stops with the value and with the process.
pub struct PrivateRedis {
    port: u16,
    folder: TempDir,
    arguments: Vec<&'static str>,
    running: Option<Running>,
}

impl PrivateRedis {
    /// Starts a server and waits until it answers.
    pub fn start() -> Self {
        Self::start_with(vec![])
    }

    /// Starts a server with further arguments, as in `--cluster-enabled yes`.
    pub fn start_with(arguments: Vec<&'static str>) -> Self {
        let mut redis = Self::stopped();
        redis.arguments = arguments;
        redis.restart();
        redis
    }

    /// Creates a server that is not running; `restart` starts it.
    pub fn stopped() -> Self {
        Self { port: free_port(), folder: tempfile::tempdir().unwrap(), arguments: vec![], running: None }
    }

    /// Its URL, constant across restarts.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Its URL with the credentials of a user, `name:password`.
    pub fn url_of(&self, user: &str) -> String {
        format!("redis://{user}@127.0.0.1:{}/0", self.port)
    }

    /// Runs a command that answers `OK`.
    pub fn run(&self, command: &str) {
        assert_eq!(self.command(command).unwrap(), "+OK\r\n", "{command}");
    }

    /// Kills the server (SIGKILL) and waits for its end. Its data is lost.
    pub fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }

    /// Pauses the server (SIGSTOP): connections stay open, nothing answers.
    pub fn pause(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Resumes a paused server.
    pub fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Kills the server if it runs and starts it again: empty, at the same URL.
    pub fn restart(&mut self) {
        self.kill();
        let program = std::env::var(PROGRAM).unwrap_or_else(|_| "redis-server".to_owned());
        let port = self.port.to_string();
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper", &program])
            .args(["--port", &port, "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .args(&self.arguments)
            .current_dir(self.folder.path())
            // Ctrl-C would otherwise end the wrapper before the server.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let running = Running {
            server: Pid::from_raw(line.trim().parse().unwrap()),
            held: keeper.stdin.take(),
            keeper,
        };
        let deadline = Instant::now() + START_TIMEOUT;
        while !self.answers() {
            assert!(Instant::now() < deadline, "`{program}` does not answer in time");
            std::thread::sleep(Duration::from_millis(5));
        }
        self.running = Some(running);
    }

    /// Deletes everything (FLUSHALL).
    pub fn wipe(&self) {
        self.run("FLUSHALL");
    }

    fn signal(&self, signal: Signal) {
        kill(self.running.as_ref().unwrap().server, signal).unwrap();
    }

    fn answers(&self) -> bool {
        self.command("PING").is_ok_and(|answer| answer == "+PONG\r\n")
    }

    /// Sends an inline command with a short reply.
    fn command(&self, command: &str) -> std::io::Result<String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "{command}\r\n")?;
        let mut answer = [0; 64];
        let length = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
    }
}

impl Drop for PrivateRedis {
    fn drop(&mut self) {
        self.kill();
    }
}

struct Running {
    server: Pid,
    keeper: Child,
    held: Option<ChildStdin>,
}

impl Running {
    fn end(mut self) {
        drop(self.held.take());
        self.keeper.wait().unwrap();
    }
}

/// Picks a port below the ephemeral range: an outgoing connection could otherwise take the port of a stopped server, or
/// connect to itself. A node of a Redis cluster listens at the port 10,000 higher, too.
pub fn free_port() -> u16 {
    loop {
        let [high, low, ..] = uuid::Uuid::new_v4().into_bytes();
        let port = 10_000 + u16::from_be_bytes([high, low]) % 12_000;
        if [port, port + 10_000].iter().all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()) {
            return port;
        }
    }
}
