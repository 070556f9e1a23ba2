//! The operations port: health, readiness and metrics, for the platform.

use std::net::TcpListener;

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{App, HttpResponse, HttpServer, dev, web};

use crate::server::metrics::Metrics;
use crate::server::readiness::{Readiness, ReadinessStatus};

/// The media type of the text format of Prometheus.
const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// The server of the operations port. It stays up, not ready, while requests drain.
pub(crate) fn server(
    listener: TcpListener,
    readiness: Readiness,
    metrics: Metrics,
) -> std::io::Result<dev::Server> {
    let server = HttpServer::new(move || {
        App::new()
            .app_data(web::Data::new(readiness.clone()))
            .app_data(web::Data::new(metrics.clone()))
            .route("/healthz", web::get().to(health))
            .route("/readyz", web::get().to(ready))
            .route("/metrics", web::get().to(show_metrics))
    })
    .workers(1)
    .disable_signals()
    .listen(listener)?;
    Ok(server.run())
}

/// Answers while the process is alive. It checks no dependency, since a restart would not repair one.
async fn health() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({ "status": "alive" }))
}

async fn ready(readiness: web::Data<Readiness>) -> HttpResponse {
    let report = readiness.report().await;
    match report.status {
        ReadinessStatus::Ready | ReadinessStatus::Degraded => HttpResponse::Ok().json(report),
        ReadinessStatus::Unavailable | ReadinessStatus::Draining => {
            HttpResponse::ServiceUnavailable().json(report)
        }
    }
}

async fn show_metrics(metrics: web::Data<Metrics>) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, PROMETHEUS)).body(metrics.render())
}
