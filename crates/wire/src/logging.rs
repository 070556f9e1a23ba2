//! Logs: JSON lines on standard error, each with the spans that it stands in.

use std::panic;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::util::TryInitError;

/// What holds where the filter says nothing else: a client's broken connection is no error of the operator's,
/// though actix says so. What rmcp says of projects' MCP servers holds their URLs, and words of theirs.
const DEFAULTS: &str = "actix_http=off,actix_server=warn,rmcp=off";

/// The logs can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum InvalidLogFilter {
    /// The filter is not one.
    #[error("the log filter can't be parsed")]
    Filter(#[from] ParseError),
    /// The process logs already.
    #[error("logging is set up already")]
    Installed(#[from] TryInitError),
}

/// Sets up the logs of the process, once, in `main`; `filter` is as in `info,store=debug`. A panic becomes a
/// log line like any other.
///
/// # Errors
/// The filter is invalid, or the process logs already.
pub fn init_logging(filter: &str) -> Result<(), InvalidLogFilter> {
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
