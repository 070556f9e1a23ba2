//! HTTP for both planes, in three layers:
//!
//! - `contract`: what handlers see. Typed requests and answers, and the form of failures.
//! - `table`: the endpoints of a plane, the order of checks, rate limits, and the OpenAPI document.
//! - `server`: listeners, connections, the steps of a request, metrics, logs, and the graceful stop.
//!
//! A handler gets typed input and returns a typed answer; everything that endpoints have in common is here. Not here:
//! the declarations of operations (`api`), their work (the planes), access to resources (`store`), and TLS, which ends
//! at a proxy.

mod contract;
mod server;
mod table;

pub use contract::aside;
pub use contract::authenticate::Authenticate;
pub use contract::body::{JsonAs, OffsetBytes, RequestBody, UnreadJson, Upload};
pub use contract::body_stream::{BodyRate, BodyStream};
pub use contract::envelope::status_of;
pub use contract::etag::{ETag, check_if_match, check_if_match_any};
pub use contract::form::{FormBody, FormFields};
pub use contract::head::RequestHead;
pub use contract::kept::KeptJson;
pub use contract::protocol::{AnswerContext, Protocol};
pub use contract::raw_body::RawBody;
pub use contract::reply::{
    Accepted, Created, Download, HandlerAnswer, IdempotentReply, Reply, TaggedCreated, TaggedReply,
};
pub use contract::request::{CapabilityRequest, Request};
pub use contract::schemas::Schemas;
pub use contract::syntax::parse_part;
pub use contract::whole_numbers::integer;
pub use server::bounds::{Bounds, BoundsError, DeploymentSettings, Environment};
pub use server::config::ServerConfig;
pub use server::connection::EndlessBody;
pub use server::cors::{AllowedOrigin, AllowedOriginError};
pub use server::logging::{LoggingError, init_logging};
pub use server::metrics::{Metrics, MetricsError};
pub use server::readiness::Readiness;
pub use server::unknown_settings::warn_of_unknown_settings;
pub use server::{Listeners, Service, Shutdown, serve};
pub use table::Table;
pub use table::binding::{capability_get, endpoint, options, public_get};
pub use table::description::OperationSchemas;
pub use table::endpoint::{Endpoint, Route};
pub use table::handler::Handler;
pub use table::limits::{AddressLimits, Limiter, RateLimits};
pub use table::operation::{Invocation, LocalOperation};
pub use table::page::{PublishedDocument, StaticContent, page, page_action};
