//! HTTP for both planes: the endpoint table, the order of checks, the envelope, request ids, limits, the server
//! with its graceful stop, health, metrics, logs, and the OpenAPI document.
//!
//! A handler gets typed input and gives a typed answer; everything that every endpoint has in common is here,
//! once. Not here: what an endpoint does, who may see which resource (`store`), and TLS, which ends before.

mod authenticate;
mod body;
mod connection;
mod dispatch;
mod envelope;
mod etag;
mod incoming;
mod limits;
mod logging;
mod metrics;
mod openapi;
mod operation;
mod ops;
mod pace;
mod readiness;
mod reply;
mod request;
mod request_id;
mod router;
mod server;
mod syntax;
mod table;
mod trace_context;

pub use authenticate::Authenticate;
pub use body::{Body, Json, NoBody, OffsetBytes, RawBody, UnreadJson, Upload};
pub use connection::UntilClientLeaves;
pub use envelope::{TUS_VERSION, status_of};
pub use etag::{ETag, require};
pub use limits::{Limiter, RateLimits};
pub use logging::{InvalidLogFilter, init_logging};
pub use metrics::{Metrics, MetricsInstalled};
pub use openapi::Schemas;
pub use operation::{Invocation, Operation, Shape};
pub use pace::{BodyStream, Pace};
pub use readiness::Readiness;
pub use reply::{Accepted, Answer, Created, Download, Once, Reply, Tagged};
pub use request::{Head, NoPath, NoQuery, Request};
pub use server::{Listeners, ServerConfig, Service, Stopped, serve};
pub use syntax::part;
pub use table::clients::{Answering, for_git, for_tus};
pub use table::{Endpoint, Handler, Line, Route, Table};
