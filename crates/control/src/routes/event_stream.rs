//! Server-sent events over HTTP: the answer, and the position from which a client continues.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use bytes::Bytes;
use domain::error::Location;
use domain::{Error, Result, Rule};
use futures_util::stream::LocalBoxStream;
use wire::{EndlessBody, RequestHead};

/// The media type.
pub const EVENT_STREAM: &str = "text/event-stream";
/// The delay before a reconnection, in milliseconds.
pub const RETRY: &str = "retry: 1000\n";
/// The header in which a reconnecting client states its position.
const LAST_EVENT_ID: &str = "last-event-id";

/// The client's position: of the header, or else `after` of the query.
///
/// # Errors
/// `INVALID_REQUEST` if it is not a number from 0 on.
pub fn position(head: &RequestHead, after: Option<i64>) -> Result<Option<i64>> {
    let (location, field, position) = match head.header(LAST_EVENT_ID) {
        Some(id) => (Location::Header, "Last-Event-ID", Some(id.parse().map_err(|_| not_an_id())?)),
        None => (Location::Query, "after", after),
    };
    if position.is_some_and(|position| position < 0) {
        return Err(Error::broken(field, Rule::Minimum(0.into())).at(location));
    }
    Ok(position)
}

/// The answer with a stream.
pub fn answer(stream: LocalBoxStream<'static, Result<Bytes>>) -> HttpResponse {
    let mut response = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, EVENT_STREAM))
        // Proxies must not buffer the stream.
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream);
    response.extensions_mut().insert(EndlessBody);
    response
}

fn not_an_id() -> Error {
    Error::invalid("Last-Event-ID", Rule::types(["integer"]), "must be the id of an event")
        .at(Location::Header)
}
