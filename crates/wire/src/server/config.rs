//! The settings of the HTTP server.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::server::bounds::Bounds;
use crate::server::cors::AllowedOrigin;

/// Most connections of a process.
const MAX_CONNECTIONS: usize = 10_000;
/// Most connections from one address.
const MAX_CONNECTIONS_PER_ADDRESS: usize = 2_000;
/// Timeout of a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the first byte of a body.
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of writing to a client that doesn't read its answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// Time for which an idle connection is kept open: longer than the 60 s of common proxies.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// The settings of the server, with its constants, which tests of this crate change.
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
    #[arg(skip = MAX_CONNECTIONS)]
    pub max_connections: usize,
    /// Maximum number of connections from one address (of IPv6, one /64 network). Further ones are closed at once. Behind
    /// trusted proxies it doesn't apply, as their addresses are few.
    #[arg(skip = MAX_CONNECTIONS_PER_ADDRESS)]
    pub max_connections_per_address: usize,
    /// Timeout of a request's head.
    #[arg(skip = HEAD_TIMEOUT)]
    pub head_timeout: Duration,
    /// Timeout of the first byte of a body.
    #[arg(skip = FIRST_BYTE_TIMEOUT)]
    pub first_byte_timeout: Duration,
    /// Timeout of writing to a client that doesn't read its answer.
    #[arg(skip = WRITE_TIMEOUT)]
    pub write_timeout: Duration,
    /// Time for which an idle connection is kept open.
    #[arg(skip = KEEP_ALIVE)]
    pub keep_alive: Duration,
    /// Part of the grace period in which a stopping process still takes requests: [`Bounds::shutdown_notice_secs`].
    #[arg(skip = Duration::from_secs(Bounds::default().shutdown_notice_secs))]
    pub shutdown_notice: Duration,
    /// Grace period for requests in progress after the signal to stop, in seconds.
    #[arg(long, env = "ATELIER_SHUTDOWN_GRACE_SECS", default_value = "30", value_parser = seconds, value_name = "SECONDS")]
    pub shutdown_grace: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
