//! Logs: JSON lines on standard error, each with its spans, and those of a request with its trace.
//!
//! Fields have the names of OpenTelemetry's semantic conventions where there are some. `trace.id` stands beside the
//! message, where programs that join logs and traces look for it.

use std::fmt::Debug;
use std::panic;

use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// The field of a span with the trace of its request.
pub(crate) const TRACE_ID: &str = "trace.id";

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
    let mut lines = json_subscriber::fmt::layer::<Registry>()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(true)
        .with_writer(std::io::stderr);
    lines.inner_layer_mut().add_dynamic_field(TRACE_ID, |event, context| {
        let mut spans = context.event_scope(event)?;
        spans.find_map(|span| span.extensions().get().map(|TraceId(id): &TraceId| id.clone()))
    });
    let filter = EnvFilter::try_new(format!("{DEFAULTS},{filter}"))?;
    tracing_subscriber::registry().with(lines).with(TraceIds).with(filter).try_init()?;
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!("panic.place" = place, "panic.message" = message, "panicked");
    }));
    Ok(())
}

/// Keeps the trace of a span, for the lines within it.
struct TraceIds;

struct TraceId(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TraceIds {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut found = TraceIdVisitor(None);
        attributes.record(&mut found);
        if let (Some(trace_id), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().insert(TraceId(trace_id));
        }
    }
}

struct TraceIdVisitor(Option<String>);

impl Visit for TraceIdVisitor {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == TRACE_ID {
            self.0 = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
