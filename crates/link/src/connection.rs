//! Commands to Redis within a bounded time, over one shared connection that comes back by itself.

use std::time::Duration;

use domain::{Error, Result};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{
    Client, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline, RedisError, RedisResult, Script,
    ScriptInvocation, ServerErrorKind,
};

/// Longest time that setting up a connection takes, in the background.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// After this time without an acknowledgement the peer counts as gone.
#[cfg(target_os = "linux")]
const PEER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection is silent before its peer is asked whether it is there, and how often after that.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(2);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// A client of the Redis at `url`; connects to nothing yet.
///
/// # Errors
/// `INTERNAL_ERROR`: the URL is none of Redis.
pub(crate) fn client(url: &str) -> Result<Client> {
    // A connection that only listens sends nothing whose acknowledgement could be missed: it has to ask.
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_IDLE).with_interval(KEEPALIVE_INTERVAL);
    let settings = TcpSettings::default().set_nodelay(true).set_keepalive(keepalive);
    // Else a peer that vanished without a word would be noticed after a quarter of an hour.
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(PEER_TIMEOUT);
    url.into_connection_info()
        .and_then(|info| Client::open(info.set_tcp_settings(settings)))
        .map_err(Error::internal)
}

/// The connection for short commands, shared by everything in the process.
#[derive(Clone)]
pub(crate) struct Commands {
    manager: ConnectionManager,
    timeout: Duration,
}

impl Commands {
    /// Connects when first used, so that a process starts without Redis. No call takes longer than `timeout`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: the settings contradict each other.
    pub(crate) fn open(client: Client, timeout: Duration) -> Result<Self> {
        // No retries inside, and no time limit for responses: `query` has both, for all of a call.
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(None);
        let manager = ConnectionManager::new_lazy_with_config(client, config).map_err(Error::internal)?;
        Ok(Self { manager, timeout })
    }

    /// Sends `pipeline` in one round trip. It may run twice where the connection breaks: commands must bear that.
    ///
    /// # Errors
    /// `UNAVAILABLE` where Redis is away or slow; the commands may have run nevertheless.
    pub(crate) async fn query<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T> {
        self.send(pipeline).await?.map_err(error_of)
    }

    /// Runs a script in one round trip; in two where Redis was restarted and does not know it.
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

    /// What Redis answers, or that it refuses.
    ///
    /// # Errors
    /// `UNAVAILABLE` where it does not do so in time.
    async fn send<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<RedisResult<T>> {
        let mut connection = self.manager.clone();
        let attempts = async {
            match pipeline.query_async(&mut connection).await {
                // The manager reports a lost connection, and connects again with the next command.
                Err(error) if RedisError::is_io_error(&error) => pipeline.query_async(&mut connection).await,
                result => result,
            }
        };
        tokio::time::timeout(self.timeout, attempts).await.map_err(Error::unavailable)
    }
}

/// A wrong command is a bug here; anything else is Redis's trouble.
fn error_of(error: RedisError) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedReturnType | ErrorKind::Server(ServerErrorKind::ResponseError) => {
            Error::internal(error)
        }
        _ => Error::unavailable(error),
    }
}
