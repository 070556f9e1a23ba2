//! Starts a connection to one host: its socket, TLS, and the task that drives it.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::HostAddress;
use crate::sql_state::{StatesInMessages, StatesInTls};

/// A peer that acknowledges nothing for this long counts as gone. Shorter than the wait for a connection: a request on a
/// lost connection is refused no later than one that gets no connection.
const PEER_TIMEOUT: Duration = Duration::from_secs(4);
/// Silence after which TCP probes the peer.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(2);
/// Time between two probes.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// The task that drives a connection. Dropped, it ends at once, and the connection with it.
pub(crate) struct Driver(Option<JoinHandle<()>>);

/// A connection that did not start.
pub(crate) struct StartError {
    pub(crate) reason: String,
    /// The other end doesn't know a part of the protocol, for example a pooler the options of a connection.
    pub(crate) is_protocol_violation: bool,
}

impl Driver {
    /// `true` if the connection is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Lets the task end with its client.
    pub(crate) fn detach(mut self) {
        self.0 = None;
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl StartError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_protocol_violation: false }
    }

    /// An error with its causes, which those of tokio-postgres leave out of their own text.
    pub(crate) fn of(error: &dyn StdError) -> Self {
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            reason = format!("{reason}: {error}");
            cause = error.source();
        }
        Self::new(reason)
    }
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::of(&error)
    }
}

impl From<tokio_postgres::Error> for StartError {
    fn from(error: tokio_postgres::Error) -> Self {
        let is_protocol_violation = error.code() == Some(&SqlState::PROTOCOL_VIOLATION);
        Self { is_protocol_violation, ..Self::of(&error) }
    }
}

/// Starts a connection, over TLS if it is given.
pub(crate) async fn start(
    host: &HostAddress,
    tls: Option<MakeRustlsConnect>,
    config: &Config,
) -> Result<(Client, Driver), StartError> {
    match &host.host {
        Host::Tcp(name) => {
            let stream = match host.address {
                Some(address) => TcpStream::connect((address, host.port)).await?,
                None => connect_to_any(name, host.port).await?,
            };
            watch_peer(&stream)?;
            start_on(stream, name, tls, config).await
        }
        Host::Unix(folder) => {
            let stream = UnixStream::connect(folder.join(format!(".s.PGSQL.{}", host.port))).await?;
            start_on(stream, "", tls, config).await
        }
    }
}

/// Connects to the first address of a host that accepts.
async fn connect_to_any(name: &str, port: u16) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in lookup_host((name, port)).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Has the kernel notice a vanished peer. By default it does after a quarter of an hour, and never for a reader.
fn watch_peer(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(PEER_TIMEOUT))?;
    socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE_IDLE).with_interval(KEEPALIVE_INTERVAL))
}

async fn start_on<S>(
    stream: S,
    name: &str,
    tls: Option<MakeRustlsConnect>,
    config: &Config,
) -> Result<(Client, Driver), StartError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Some(mut tls) = tls else {
        return drive(StatesInMessages::new(stream), NoTls, config).await;
    };
    let tls =
        MakeTlsConnect::<S>::make_tls_connect(&mut tls, name).map_err(|error| StartError::of(&error))?;
    drive(stream, StatesInTls(tls), config).await
}

async fn drive<S, T>(stream: S, tls: T, config: &Config) -> Result<(Client, Driver), StartError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: TlsConnect<S, Stream: Send + 'static>,
{
    let (client, connection) = config.connect_raw(stream, tls).await?;
    let task = tokio::spawn(async move {
        if let Err(error) = connection.await {
            let error = StartError::of(&error);
            tracing::debug!(cause = error.reason, "a connection to PostgreSQL has ended");
        }
    });
    Ok((client, Driver(Some(task))))
}
