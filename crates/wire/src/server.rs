//! The HTTP server of a process: two listeners, the workers, and the graceful stop.

pub(crate) mod bounds;
pub(crate) mod capacity;
pub(crate) mod compression;
pub(crate) mod config;
pub(crate) mod connection;
pub(crate) mod cors;
mod framing;
pub(crate) mod logging;
pub(crate) mod metrics;
pub(crate) mod ops;
pub(crate) mod pipeline;
pub(crate) mod readiness;
pub(crate) mod request_id;
pub(crate) mod router;
pub(crate) mod trace_context;
pub(crate) mod unknown_settings;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive};
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::dev::{AppConfig, Server};
use actix_web::rt::net::TcpStream;
use actix_web::{App, HttpRequest, web};
use domain::time::Clock;
use serde_json::json;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{interval, timeout};

use crate::contract::authenticate::Authenticate;
use crate::contract::body_stream::BodyRate;
use crate::contract::form::form_config;
use crate::server::capacity::Capacity;
use crate::server::config::ServerConfig;
use crate::server::connection::{ClientConnection, ConnectionTimeouts};
use crate::server::cors::Cors;
use crate::server::metrics::Metrics;
use crate::server::pipeline::{PathEndpoints, serve_request};
use crate::server::readiness::Readiness;
use crate::server::router::Router;
use crate::table::Table;
use crate::table::limits::Limiter;
use crate::table::limits::address::subscriber;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// Time between a connection's last answer and its close. Bytes that the client still sends are read and discarded,
/// so that it receives the answer.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval of folding recorded metrics.
const METRICS_UPKEEP: Duration = Duration::from_secs(10);
/// Interval in which a stopping process looks for open connections.
const NOTICE_POLL: Duration = Duration::from_millis(20);
/// Time without an open connection after which a stopping process takes no more. Connections that clients have opened
/// may wait to be accepted.
const NOTICE_QUIET: Duration = Duration::from_secs(1);
/// Time beyond the grace period after which a stop is cut off.
const STOP_SLACK: Duration = Duration::from_secs(5);

/// The service of a process.
pub struct Service<App> {
    /// The endpoints.
    pub table: Table<App>,
    /// The state of which every handler gets a clone.
    pub app: App,
    /// The clock that requests read once.
    pub clock: Clock,
    /// The rate limits.
    pub limiter: Limiter,
    /// The checks of the process's dependencies.
    pub readiness: Readiness,
    /// The metrics that `/metrics` shows.
    pub metrics: Metrics,
}

/// The way in which serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Every request was answered, or the grace period ended.
    Graceful,
    /// A second signal arrived: the process exits without waiting.
    Immediate,
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

/// Serves until SIGTERM or SIGINT, then stops gracefully. Readiness ends, and for a notice period each answer has
/// `Connection: close`, so that no client sends into a closed connection. Then idle connections are closed, none is
/// accepted, and requests in progress finish within the grace period. For `#[tokio::main]`, not actix's.
///
/// # Errors
/// A port can't be bound, the ready file can't be written, or the server fails.
pub async fn serve<App: Authenticate>(config: &ServerConfig, service: Service<App>) -> io::Result<Shutdown> {
    // Installed before the process announces itself, so no signal has its default effect.
    let stops = stop_signals()?;
    let listeners = Listeners::bind(config)?;
    if let Some(file) = &config.ready_file {
        listeners.announce(file)?;
    }
    tracing::info!(url = listeners.url, ops_url = listeners.ops_url, "listening");
    listeners.serve(config, service, stops).await
}

impl Listeners {
    /// Binds both ports. Clients can connect from now on, and wait.
    ///
    /// # Errors
    /// An address can't be resolved or bound.
    pub fn bind(config: &ServerConfig) -> io::Result<Self> {
        let main = bind(&config.listen)?;
        let ops = bind(&config.ops_listen)?;
        let (url, ops_url) = (url(&main)?, url(&ops)?);
        Ok(Self { main, ops, url, ops_url })
    }

    /// Serves until the first message in `stops`, then stops gracefully. A second message ends the process at once.
    ///
    /// # Errors
    /// The table has [defects](Table::defects), or the server fails.
    pub async fn serve<App: Authenticate>(
        self,
        config: &ServerConfig,
        service: Service<App>,
        mut stops: mpsc::Receiver<()>,
    ) -> io::Result<Shutdown> {
        let Service { table, app, clock, limiter, readiness, metrics } = service;
        let defects = table.defects();
        if !defects.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, defects.join("; ")));
        }
        let public_url = config.public_url.as_deref().unwrap_or(&self.url);
        table.publish(public_url);
        let public_url: Arc<str> = public_url.trim_end_matches('/').into();
        metrics::declare_process();
        for (operation, successes) in table.successes() {
            metrics::declare(operation, successes.into_iter().chain([500]));
        }
        let mut ops = ops::server(self.ops, readiness.clone(), metrics.clone())?;
        let of_address = limiter.sees_clients().then_some(config.max_connections_per_address);
        let capacity = Capacity::new(config.max_connections, of_address);
        let plane = ServedPlane { table, app, clock, limiter, public_url, stopping: readiness.stopping() };
        let mut main = main_server(self.main, config, plane, capacity.clone())?;
        let (main_handle, ops_handle) = (main.handle(), ops.handle());
        let mut upkeep = interval(METRICS_UPKEEP);
        loop {
            tokio::select! {
                ended = &mut main => return ended.map(|()| Shutdown::Graceful),
                ended = &mut ops => return ended.map(|()| Shutdown::Graceful),
                _ = upkeep.tick() => metrics.upkeep(),
                _ = stops.recv() => break,
            }
        }
        tracing::info!("stopping");
        readiness.drain();
        tokio::select! {
            () = give_notice(config.shutdown_notice.min(config.shutdown_grace), &capacity) => {}
            _ = stops.recv() => return Ok(Shutdown::Immediate),
            ended = &mut main => return ended.map(|()| Shutdown::Graceful),
            ended = &mut ops => return ended.map(|()| Shutdown::Graceful),
        }
        let limit = config.shutdown_grace.saturating_add(STOP_SLACK);
        let drained = timeout(limit, async {
            tokio::select! {
                ((), ended) = async { tokio::join!(main_handle.stop(true), &mut main) } => ended,
                ended = &mut ops => ended,
            }
        });
        let stopped = tokio::select! {
            drained = drained => drained.unwrap_or(Ok(())).map(|()| Shutdown::Graceful),
            _ = stops.recv() => Ok(Shutdown::Immediate),
        };
        if !matches!(stopped, Ok(Shutdown::Immediate)) {
            let _ = timeout(STOP_SLACK, async { tokio::join!(ops_handle.stop(false), &mut ops) }).await;
        }
        tracing::info!("stopped");
        stopped
    }

    /// Writes the addresses to a file, atomically.
    fn announce(&self, file: &Path) -> io::Result<()> {
        let content = json!({ "url": self.url, "opsUrl": self.ops_url }).to_string();
        let mut unfinished = file.as_os_str().to_owned();
        unfinished.push(".tmp");
        std::fs::write(&unfinished, content)?;
        std::fs::rename(&unfinished, file)
    }
}

/// The part of a [`Service`] that answers requests.
struct ServedPlane<State> {
    table: Table<State>,
    app: State,
    clock: Clock,
    limiter: Limiter,
    /// Public URL of the plane, without a slash at its end.
    public_url: Arc<str>,
    /// True once the process is stopping.
    stopping: watch::Receiver<bool>,
}

/// Waits for the end of the notice period, or until no connection has been open for [`NOTICE_QUIET`].
async fn give_notice(period: Duration, capacity: &Capacity) {
    let no_connection = async {
        let mut polls = interval(NOTICE_POLL);
        let mut quiet_since = Instant::now();
        while quiet_since.elapsed() < NOTICE_QUIET {
            polls.tick().await;
            if !capacity.is_idle() {
                quiet_since = Instant::now();
            }
        }
    };
    let _ended = timeout(period, no_connection).await;
}

/// The layers of a connection: the limit of connections, [`ClientConnection`], actix's HTTP/1 server, and the [`Router`],
/// whose targets all lead to [`serve_request`]. There is no other middleware.
fn main_server<State: Authenticate>(
    listener: TcpListener,
    config: &ServerConfig,
    plane: ServedPlane<State>,
    capacity: Capacity,
) -> io::Result<Server> {
    let ServedPlane { table, app, clock, limiter, public_url, stopping } = plane;
    let body_rate = BodyRate { first_byte: config.first_byte_timeout, ..BodyRate::default() };
    let timeouts = ConnectionTimeouts {
        head: config.head_timeout,
        keep_alive: config.keep_alive,
        write: config.write_timeout,
    };
    let cors = Cors::new(&config.allowed_origins);
    let unknown = table.unknown();
    let target = |endpoints| PathEndpoints {
        app: app.clone(),
        endpoints,
        unknown: unknown.clone(),
        clock,
        body_rate,
        cors: cors.clone(),
        limiter: limiter.clone(),
        public_url: Arc::clone(&public_url),
        stopping: stopping.clone(),
    };
    let paths = table.by_path().into_iter().map(|(path, endpoints)| (path, target(endpoints)));
    let router = Arc::new(Router::new(paths, target(Vec::new()))?);
    let mut server = Server::build();
    let draining = server.graceful_shutdown_signal();
    if let Some(workers) = config.workers {
        server = server.workers(workers.clamp(1, 512));
    }
    let server = server
        .disable_signals()
        .shutdown_timeout(config.shutdown_grace.saturating_sub(config.shutdown_notice).as_secs())
        // Connections beyond the limit are refused below, at once and across all workers, instead of left to wait.
        .max_concurrent_connections(config.max_connections.saturating_add(1))
        .listen("main", listener, move || {
            let router = Arc::clone(&router);
            let draining = draining.clone();
            let capacity = capacity.clone();
            let stopping = stopping.clone();
            let answer = App::new().app_data(form_config()).default_service(to(router));
            let answer = answer.into_factory().map_err(|error| error.error_response());
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let draining = draining.clone();
                    async move { draining.notified().await }
                })
                .keep_alive(KeepAlive::Timeout(timeouts.keep_alive))
                .client_request_timeout(timeouts.head)
                .client_disconnect_timeout(DISCONNECT_TIMEOUT)
                .on_connect_ext(|connection: &ClientConnection, extensions| {
                    connection.share_state(extensions)
                })
                .h1(map_config(answer, |_| AppConfig::default()));
            fn_service(move |io: TcpStream| {
                let peer = io.peer_addr().ok();
                let permit = capacity.permit(peer.map(|peer| subscriber(peer.ip())));
                let stopping = stopping.clone();
                async move {
                    let permit = permit.ok_or_else(|| {
                        metrics::record_refused_connection();
                        DispatchError::Io(io::ErrorKind::ConnectionRefused.into())
                    })?;
                    io.set_nodelay(true)?;
                    Ok((ClientConnection::new(io, timeouts, permit, stopping), peer))
                }
            })
            .and_then(http)
        })?;
    Ok(server.run())
}

fn to<State: Authenticate>(router: Arc<Router<PathEndpoints<State>>>) -> actix_web::Route {
    web::to(move |http: HttpRequest, payload: web::Payload| {
        let (target, path) = router.find(http.path());
        serve_request(target, path, http, payload.into_inner())
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
    // Without it, a restart would have to wait for TIME_WAIT to end.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// The URL of a listener for clients on this machine.
fn url(listener: &TcpListener) -> io::Result<String> {
    let mut address = listener.local_addr()?;
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    Ok(format!("http://{address}"))
}

/// Receives a message for each SIGTERM and SIGINT.
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
