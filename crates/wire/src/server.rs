//! The process's two listeners, its workers, and its graceful stop.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive};
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::dev::{AppConfig, Server};
use actix_web::rt::net::TcpStream;
use actix_web::{App, HttpRequest, web};
use clap::Args;
use serde_json::json;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{interval, timeout};

use crate::authenticate::Authenticate;
use crate::connection::{Connection, Patience};
use crate::dispatch::{Resource, serve_request};
use crate::limits::Limiter;
use crate::metrics::{self, Metrics};
use crate::ops;
use crate::pace::Pace;
use crate::readiness::Readiness;
use crate::router::Router;
use crate::table::Table;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// How long a connection may take to close after its last answer, in which what the client still sends is read
/// and thrown away, so that it gets to see the answer.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often recorded metrics are folded.
const METRICS_UPKEEP: Duration = Duration::from_secs(10);
/// What a stop may take beyond the grace, before it is cut off.
const STOP_SLACK: Duration = Duration::from_secs(5);

/// How the process listens.
#[derive(Args, Clone, Debug)]
pub struct ServerConfig {
    /// Address and port for clients; port 0 takes a free one.
    #[arg(long, env = "ATELIER_LISTEN", default_value = "127.0.0.1:8080", value_name = "HOST:PORT")]
    pub listen: String,
    /// Address and port for health, readiness and metrics; port 0 takes a free one.
    #[arg(long, env = "ATELIER_OPS_LISTEN", default_value = "127.0.0.1:9080", value_name = "HOST:PORT")]
    pub ops_listen: String,
    /// The URL under which clients reach this plane; without it, the address that it listens on.
    #[arg(long, env = "ATELIER_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// A file that gets `{"url", "opsUrl"}` once both ports are bound.
    #[arg(long, env = "ATELIER_READY_FILE", value_name = "FILE")]
    pub ready_file: Option<PathBuf>,
    /// Threads that serve requests; without it, one for each processor.
    #[arg(long, env = "ATELIER_WORKERS", value_name = "NUMBER")]
    pub workers: Option<usize>,
    /// Most connections at a time; further ones are closed at once.
    #[arg(long, env = "ATELIER_MAX_CONNECTIONS", default_value = "10000", value_name = "NUMBER")]
    pub max_connections: usize,
    /// How long the head of a request may take, in seconds.
    #[arg(long, env = "ATELIER_HEAD_TIMEOUT_SECS", default_value = "10", value_parser = seconds, value_name = "SECONDS")]
    pub head_timeout: Duration,
    /// How long the first byte of a body may take, in seconds.
    #[arg(long, env = "ATELIER_FIRST_BYTE_TIMEOUT_SECS", default_value = "10", value_parser = seconds, value_name = "SECONDS")]
    pub first_byte_timeout: Duration,
    /// How long an answer may wait for a client that doesn't read it, in seconds.
    #[arg(long, env = "ATELIER_WRITE_TIMEOUT_SECS", default_value = "60", value_parser = seconds, value_name = "SECONDS")]
    pub write_timeout: Duration,
    /// How long a connection is kept open for a further request, in seconds.
    #[arg(long, env = "ATELIER_KEEP_ALIVE_SECS", default_value = "75", value_parser = seconds, value_name = "SECONDS")]
    pub keep_alive: Duration,
    /// How long requests may take to finish after the signal to stop, in seconds.
    #[arg(long, env = "ATELIER_SHUTDOWN_GRACE_SECS", default_value = "30", value_parser = seconds, value_name = "SECONDS")]
    pub shutdown_grace: Duration,
}

/// What the process serves.
pub struct Service<App> {
    /// The endpoints.
    pub table: Table<App>,
    /// The state that every handler gets a clone of.
    pub app: App,
    /// How many requests are taken.
    pub limiter: Limiter,
    /// What the process depends on.
    pub readiness: Readiness,
    /// What `/metrics` shows.
    pub metrics: Metrics,
}

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every request was answered, or the grace was over.
    Gracefully,
    /// A second signal came: the process should exit without waiting for anything.
    AtOnce,
}

/// The two bound ports.
#[derive(Debug)]
pub struct Listeners {
    main: TcpListener,
    ops: TcpListener,
    /// Base URL for clients, as bound.
    pub url: String,
    /// Base URL of the operations port, as bound.
    pub ops_url: String,
}

/// Serves until SIGTERM or SIGINT, then stops gracefully: not ready any more, no new connections, requests under
/// way finish with `Connection: close`, up to the grace. For `#[tokio::main]`, not actix's.
///
/// # Errors
/// A port can't be bound, the ready file can't be written, or the server breaks down.
pub async fn serve<App: Authenticate>(config: &ServerConfig, service: Service<App>) -> io::Result<Stopped> {
    // Before anyone can know that the process is up, so that no signal meets the default action.
    let stops = stop_signals()?;
    let listeners = Listeners::bind(config)?;
    if let Some(file) = &config.ready_file {
        listeners.announce(file)?;
    }
    tracing::info!(url = listeners.url, ops_url = listeners.ops_url, "listening");
    listeners.serve(config, service, stops).await
}

impl Listeners {
    /// Binds both ports. From here on clients can connect, and wait.
    ///
    /// # Errors
    /// An address can't be resolved or bound.
    pub fn bind(config: &ServerConfig) -> io::Result<Self> {
        let main = bind(&config.listen)?;
        let ops = bind(&config.ops_listen)?;
        let (url, ops_url) = (url(&main)?, url(&ops)?);
        Ok(Self { main, ops, url, ops_url })
    }

    /// Serves until the first message in `stops`, then stops gracefully; a second message ends that.
    ///
    /// # Errors
    /// The table has [defects](Table::defects); the server breaks down.
    pub async fn serve<App: Authenticate>(
        self,
        config: &ServerConfig,
        service: Service<App>,
        mut stops: mpsc::Receiver<()>,
    ) -> io::Result<Stopped> {
        let Service { table, app, limiter, readiness, metrics } = service;
        let defects = table.defects();
        if !defects.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, defects.join("; ")));
        }
        table.publish(config.public_url.as_deref().unwrap_or(&self.url));
        let mut ops = ops::server(self.ops, readiness.clone(), metrics.clone())?;
        let mut main = main_server(self.main, config, Plane { table, app, limiter })?;
        let (main_handle, ops_handle) = (main.handle(), ops.handle());
        let mut upkeep = interval(METRICS_UPKEEP);
        loop {
            tokio::select! {
                ended = &mut main => return ended.map(|()| Stopped::Gracefully),
                ended = &mut ops => return ended.map(|()| Stopped::Gracefully),
                _ = upkeep.tick() => metrics.upkeep(),
                _ = stops.recv() => break,
            }
        }
        tracing::info!("stopping");
        readiness.drain();
        let limit = config.shutdown_grace.saturating_add(STOP_SLACK);
        let drained = timeout(limit, async {
            tokio::select! {
                ((), ended) = async { tokio::join!(main_handle.stop(true), &mut main) } => ended,
                ended = &mut ops => ended,
            }
        });
        let stopped = tokio::select! {
            drained = drained => drained.unwrap_or(Ok(())).map(|()| Stopped::Gracefully),
            _ = stops.recv() => Ok(Stopped::AtOnce),
        };
        if !matches!(stopped, Ok(Stopped::AtOnce)) {
            let _ = timeout(STOP_SLACK, async { tokio::join!(ops_handle.stop(false), &mut ops) }).await;
        }
        tracing::info!("stopped");
        stopped
    }

    /// Writes the addresses to a file, which is there as a whole or not at all.
    fn announce(&self, file: &Path) -> io::Result<()> {
        let content = json!({ "url": self.url, "opsUrl": self.ops_url }).to_string();
        let mut unfinished = file.as_os_str().to_owned();
        unfinished.push(".tmp");
        std::fs::write(&unfinished, content)?;
        std::fs::rename(&unfinished, file)
    }
}

/// What answers requests.
struct Plane<State> {
    table: Table<State>,
    app: State,
    limiter: Limiter,
}

/// The pipeline of a connection: the cap, then [`Connection`], then actix's HTTP/1 server, then the [`Router`], whose
/// every path leads to [`serve_request`]. There is no other middleware: what wraps an answer is listed there.
fn main_server<State: Authenticate>(
    listener: TcpListener,
    config: &ServerConfig,
    plane: Plane<State>,
) -> io::Result<Server> {
    let Plane { table, app, limiter } = plane;
    let pace = Pace { first_byte: config.first_byte_timeout, ..Pace::default() };
    let patience =
        Patience { head: config.head_timeout, keep_alive: config.keep_alive, write: config.write_timeout };
    let resource = |endpoints| Resource { app: app.clone(), endpoints, pace, limiter: limiter.clone() };
    let paths = table.by_path().into_iter().map(|(path, endpoints)| (path, resource(endpoints)));
    let router = Arc::new(Router::new(paths, resource(Vec::new()))?);
    let capacity = Arc::new(Semaphore::new(config.max_connections));
    let mut server = Server::build();
    let draining = server.graceful_shutdown_signal();
    if let Some(workers) = config.workers {
        server = server.workers(workers.clamp(1, 512));
    }
    let server = server
        .disable_signals()
        .shutdown_timeout(config.shutdown_grace.as_secs())
        // Refusing is done below, at once and for all workers together, rather than by letting clients wait.
        .max_concurrent_connections(config.max_connections.saturating_add(1))
        .listen("main", listener, move || {
            let router = Arc::clone(&router);
            let draining = draining.clone();
            let capacity = Arc::clone(&capacity);
            let answer = App::new().default_service(to(router));
            let answer = answer.into_factory().map_err(|error| error.error_response());
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let draining = draining.clone();
                    async move { draining.notified().await }
                })
                .keep_alive(KeepAlive::Timeout(patience.keep_alive))
                .client_request_timeout(patience.head)
                .client_disconnect_timeout(DISCONNECT_TIMEOUT)
                .on_connect_ext(|connection: &Connection, extensions| connection.introduce(extensions))
                .h1(map_config(answer, |_| AppConfig::default()));
            fn_service(move |io: TcpStream| {
                let permit = Arc::clone(&capacity).try_acquire_owned();
                async move {
                    let peer = io.peer_addr().ok();
                    let permit = permit.map_err(|_| {
                        metrics::record_refused_connection();
                        DispatchError::Io(io::ErrorKind::ConnectionRefused.into())
                    })?;
                    io.set_nodelay(true)?;
                    Ok((Connection::new(io, patience, permit), peer))
                }
            })
            .and_then(http)
        })?;
    Ok(server.run())
}

fn to<State: Authenticate>(router: Arc<Router<State>>) -> actix_web::Route {
    web::to(move |http: HttpRequest, payload: web::Payload| {
        let (resource, path) = router.find(http.path());
        serve_request(resource, path, http, payload.into_inner())
    })
}

fn bind(address: &str) -> io::Result<TcpListener> {
    let unusable =
        |error: io::Error| io::Error::new(error.kind(), format!("can't listen on {address}: {error}"));
    let mut last = io::ErrorKind::AddrNotAvailable.into();
    for address in address.to_socket_addrs().map_err(unusable)? {
        match bind_to(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(unusable(last))
}

fn bind_to(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restart must not wait for the old connections' last state to time out.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// Where a client on this machine reaches the listener.
fn url(listener: &TcpListener) -> io::Result<String> {
    let mut address = listener.local_addr()?;
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    Ok(format!("http://{address}"))
}

/// A message for each SIGTERM and SIGINT.
fn stop_signals() -> io::Result<mpsc::Receiver<()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (sender, stops) = mpsc::channel(2);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if sender.send(()).await.is_err() {
                return;
            }
        }
    });
    Ok(stops)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
