//! Commands to Redis with a timeout, over one shared connection that reconnects automatically.

use std::sync::Arc;
use std::time::Duration;

use domain::{Error, Result};
use parking_lot::Mutex;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{
    Client, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline, RedisError, RedisResult, Script,
    ScriptInvocation, ServerErrorKind,
};

/// Timeout of connecting, in the background.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Time without an acknowledgement after which the peer counts as gone.
#[cfg(target_os = "linux")]
const PEER_TIMEOUT: Duration = Duration::from_secs(5);
/// Idle time of a connection before the first keepalive probe, and the interval of further ones.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(2);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// A client of the Redis at `url`. Doesn't connect yet.
///
/// # Errors
/// `INTERNAL_ERROR`: invalid Redis URL.
pub(crate) fn client(url: &str) -> Result<Client> {
    // A subscriber sends nothing whose acknowledgement could be missing, so it needs probes.
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_IDLE).with_interval(KEEPALIVE_INTERVAL);
    let settings = TcpSettings::default().set_nodelay(true).set_keepalive(keepalive);
    // By default a peer that vanished is detected after 15 minutes.
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(PEER_TIMEOUT);
    url.into_connection_info()
        .and_then(|info| Client::open(info.set_tcp_settings(settings)))
        .map_err(Error::internal)
}

/// The connection for short commands, shared by the whole process.
#[derive(Clone)]
pub(crate) struct Commands {
    client: Client,
    manager: Arc<Mutex<ConnectionManager>>,
    timeout: Duration,
}

impl Commands {
    /// Connects at first use, so that a process starts without Redis. `timeout` bounds each call.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: contradictory settings.
    pub(crate) fn open(client: Client, timeout: Duration) -> Result<Self> {
        let manager = Arc::new(Mutex::new(connect_lazily(client.clone())?));
        Ok(Self { client, manager, timeout })
    }

    /// Takes a new connection for the commands that follow. A server that has become a replica keeps its connections, and
    /// its name may lead to another one now.
    pub(crate) fn reconnect(&self) -> Result<()> {
        *self.manager.lock() = connect_lazily(self.client.clone())?;
        Ok(())
    }

    /// Sends `pipeline` in one round trip. It may run twice if the connection breaks, so commands must be idempotent.
    ///
    /// # Errors
    /// `UNAVAILABLE` if Redis is unavailable or slow; the commands may have run.
    pub(crate) async fn query<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T> {
        self.send(pipeline).await?.map_err(error_of)
    }

    /// Runs a script in one round trip, or in two if Redis was restarted and must load it.
    ///
    /// # Errors
    /// As for [`Commands::query`].
    pub(crate) async fn invoke<T: FromRedisValue>(
        &self,
        script: &Script,
        call: &ScriptInvocation<'_>,
    ) -> Result<T> {
        let (answer,) = match self.send(redis::pipe().invoke_script(call)).await? {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.query(redis::pipe().load_script(script).ignore().invoke_script(call)).await?
            }
            answered => answered.map_err(error_of)?,
        };
        Ok(answer)
    }

    /// Sends `pipeline` with one retry after a lost connection. Returns the answer or the refusal of Redis.
    ///
    /// # Errors
    /// `UNAVAILABLE` after the timeout.
    async fn send<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<RedisResult<T>> {
        let mut connection = self.manager.lock().clone();
        let attempts = async {
            match pipeline.query_async(&mut connection).await {
                // The manager reports a lost connection, and reconnects with the next command.
                Err(error) if RedisError::is_io_error(&error) => pipeline.query_async(&mut connection).await,
                result => result,
            }
        };
        tokio::time::timeout(self.timeout, attempts).await.map_err(Error::unavailable)
    }
}

/// A connection that is opened by its first command. Retries and timeouts are those of [`Commands::send`], for a whole call.
fn connect_lazily(client: Client) -> Result<ConnectionManager> {
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_response_timeout(None);
    ConnectionManager::new_lazy_with_config(client, config).map_err(Error::internal)
}

/// An answer of another form is a bug of this crate. Everything that Redis refuses means that it can't be used: a replica
/// and a node of a cluster refuse as `READONLY`, `MOVED` and `CROSSSLOT`, and within scripts as a plain `ERR`.
fn error_of(error: RedisError) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedReturnType => Error::internal(error),
        _ => Error::unavailable(error),
    }
}
