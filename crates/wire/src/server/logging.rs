//! Logs: JSON lines on standard error, each with its spans.

use std::panic;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::util::TryInitError;

/// The default filter. actix reports broken client connections as errors, which no operator can act on. rmcp logs the
/// URLs and messages of projects' MCP servers.
const DEFAULTS: &str = "actix_http=off,actix_server=warn,rmcp=off";

/// Logging can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    /// The filter is invalid.
    #[error("the log filter can't be parsed")]
    Filter(#[from] ParseError),
    /// Logging is set up already.
    #[error("logging is set up already")]
    Installed(#[from] TryInitError),
}

/// Sets up the logs of the process, once, in `main`. An example of a filter is `info,store=debug`. Panics are logged
/// too.
///
/// # Errors
/// The filter is invalid, or logging is set up already.
pub fn init_logging(filter: &str) -> Result<(), LoggingError> {
    use tracing_subscriber::util::SubscriberInitExt;

    json_subscriber::fmt()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(true)
        .with_env_filter(EnvFilter::try_new(format!("{DEFAULTS},{filter}"))?)
        .with_writer(std::io::stderr)
        .finish()
        .try_init()?;
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!("panic.place" = place, "panic.message" = message, "panicked");
    }));
    Ok(())
}
