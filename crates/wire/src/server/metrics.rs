//! Metrics of requests and connections, and the recorder behind `/metrics`.

use std::time::Duration;

use actix_web::http::StatusCode;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};

const REQUESTS: &str = "http_requests_total";
const DURATION: &str = "http_request_duration_seconds";
const IN_FLIGHT: &str = "http_requests_in_flight";
const CONNECTIONS: &str = "http_connections";
const REFUSED: &str = "http_connections_refused_total";

/// Upper bounds of the duration histogram, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The metrics of the process.
#[derive(Clone)]
pub struct Metrics(PrometheusHandle);

/// The process has a recorder of metrics already.
#[derive(Debug, thiserror::Error)]
#[error("metrics can't be recorded")]
pub struct MetricsError(#[from] BuildError);

impl Metrics {
    /// Installs the recorder of the whole process, once, in `main`.
    ///
    /// # Errors
    /// The process has a recorder already.
    pub fn install() -> Result<Self, MetricsError> {
        Ok(Self(PrometheusBuilder::new().set_buckets(&BUCKETS)?.install_recorder()?))
    }

    /// All metrics in the text format of Prometheus.
    pub(crate) fn render(&self) -> String {
        self.0.render()
    }

    /// Folds recorded values into the histograms. Without it they use memory until the next [`Metrics::render`].
    pub(crate) fn upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// Counts a request in progress until it is dropped.
pub(crate) struct InFlight(());

/// Counts an open connection until it is dropped.
pub(crate) struct OpenConnection(());

impl InFlight {
    pub(crate) fn begin() -> Self {
        gauge!(IN_FLIGHT).increment(1);
        Self(())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        gauge!(IN_FLIGHT).decrement(1);
    }
}

impl OpenConnection {
    pub(crate) fn begin() -> Self {
        gauge!(CONNECTIONS).increment(1);
        Self(())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        gauge!(CONNECTIONS).decrement(1);
    }
}

/// Makes the metrics of an operation exist with 0, so that the first event is an increase. `statuses` are those that it is
/// expected to answer.
pub(crate) fn declare(operation: &'static str, statuses: impl IntoIterator<Item = u16>) {
    for status in statuses {
        counter!(REQUESTS, "operation" => operation, "status" => status.to_string()).absolute(0);
    }
    let _ = histogram!(DURATION, "operation" => operation);
}

/// Makes the metrics of the process exist with 0.
pub(crate) fn declare_process() {
    counter!(REFUSED).absolute(0);
    gauge!(IN_FLIGHT).increment(0);
    gauge!(CONNECTIONS).increment(0);
}

/// Counts an answer.
pub(crate) fn record(operation: &'static str, status: StatusCode, duration: Duration) {
    let status = status.as_str().to_owned();
    counter!(REQUESTS, "operation" => operation, "status" => status).increment(1);
    histogram!(DURATION, "operation" => operation).record(duration.as_secs_f64());
}

/// Counts a refused connection.
pub(crate) fn record_refused_connection() {
    counter!(REFUSED).increment(1);
}
