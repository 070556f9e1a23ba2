//! The operations port: health, readiness and metrics, for the platform and not for clients.

use std::net::TcpListener;

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{App, HttpResponse, HttpServer, dev, web};

use crate::metrics::Metrics;
use crate::readiness::{Readiness, Status};

/// The media type of the text format of Prometheus.
const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// The server of the operations port. It stays up while requests drain, and says that they do.
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

/// The process is alive. It looks at nothing else: restarting it would not repair a dependency.
async fn health() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({ "status": "alive" }))
}

async fn ready(readiness: web::Data<Readiness>) -> HttpResponse {
    let report = readiness.report().await;
    match report.status {
        Status::Ready | Status::Degraded => HttpResponse::Ok().json(report),
        Status::Unavailable | Status::Draining => HttpResponse::ServiceUnavailable().json(report),
    }
}

async fn show_metrics(metrics: web::Data<Metrics>) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, PROMETHEUS)).body(metrics.render())
}
