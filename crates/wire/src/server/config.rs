//! The settings of the HTTP server.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::server::cors::AllowedOrigin;

/// The settings of the server.
#[derive(Args, Clone, Debug)]
pub struct ServerConfig {
    /// Address and port for clients; port 0 chooses a free one.
    #[arg(long, env = "ATELIER_LISTEN", default_value = "127.0.0.1:8080", value_name = "HOST:PORT")]
    pub listen: String,
    /// Address and port for health, readiness and metrics; port 0 chooses a free one.
    #[arg(long, env = "ATELIER_OPS_LISTEN", default_value = "127.0.0.1:9080", value_name = "HOST:PORT")]
    pub ops_listen: String,
    /// Public URL of this plane. Defaults to the address that it listens on.
    #[arg(long, env = "ATELIER_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Origins of browser pages that may use this plane (CORS), separated by commas; `*` for all. Without any, browsers
    /// refuse its answers to pages of other origins.
    #[arg(long, env = "ATELIER_ALLOWED_ORIGINS", value_delimiter = ',', value_name = "ORIGIN")]
    pub allowed_origins: Vec<AllowedOrigin>,
    /// File to write `{"url", "opsUrl"}` to once both ports are bound.
    #[arg(long, env = "ATELIER_READY_FILE", value_name = "FILE")]
    pub ready_file: Option<PathBuf>,
    /// Number of threads that serve requests. Defaults to one for each processor.
    #[arg(long, env = "ATELIER_WORKERS", value_name = "NUMBER")]
    pub workers: Option<usize>,
    /// Maximum number of connections. Further ones are closed at once.
    #[arg(long, env = "ATELIER_MAX_CONNECTIONS", default_value = "10000", value_name = "NUMBER")]
    pub max_connections: usize,
    /// Maximum number of connections from one address (of IPv6, one /64 network). Further ones are closed at once. Behind
    /// trusted proxies it doesn't apply, as their addresses are few.
    #[arg(long, env = "ATELIER_MAX_CONNECTIONS_PER_ADDRESS", default_value = "2000", value_name = "NUMBER")]
    pub max_connections_per_address: usize,
    /// Timeout of a request's head, in seconds.
    #[arg(long, env = "ATELIER_HEAD_TIMEOUT_SECS", default_value = "10", value_parser = seconds, value_name = "SECONDS")]
    pub head_timeout: Duration,
    /// Timeout of the first byte of a body, in seconds.
    #[arg(long, env = "ATELIER_FIRST_BYTE_TIMEOUT_SECS", default_value = "10", value_parser = seconds, value_name = "SECONDS")]
    pub first_byte_timeout: Duration,
    /// Timeout of writing to a client that doesn't read its answer, in seconds.
    #[arg(long, env = "ATELIER_WRITE_TIMEOUT_SECS", default_value = "60", value_parser = seconds, value_name = "SECONDS")]
    pub write_timeout: Duration,
    /// Time for which an idle connection is kept open, in seconds.
    #[arg(long, env = "ATELIER_KEEP_ALIVE_SECS", default_value = "75", value_parser = seconds, value_name = "SECONDS")]
    pub keep_alive: Duration,
    /// Part of the grace period in which a stopping process still takes requests, and answers each with `Connection:
    /// close`, in seconds. It ends early once no connection has been open for a second.
    #[arg(long, env = "ATELIER_SHUTDOWN_NOTICE_SECS", default_value = "5", value_parser = seconds, value_name = "SECONDS")]
    pub shutdown_notice: Duration,
    /// Grace period for requests in progress after the signal to stop, in seconds.
    #[arg(long, env = "ATELIER_SHUTDOWN_GRACE_SECS", default_value = "30", value_parser = seconds, value_name = "SECONDS")]
    pub shutdown_grace: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
