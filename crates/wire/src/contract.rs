//! The view of handlers: typed requests, typed answers, and the form of failures.
//!
//! Not here: how endpoints are declared and checked (`table`), and how requests arrive (`server`).

pub mod aside;
pub(crate) mod authenticate;
pub(crate) mod body;
pub(crate) mod body_stream;
pub(crate) mod bounded_schema;
pub(crate) mod dialect;
pub(crate) mod envelope;
pub(crate) mod etag;
pub(crate) mod form;
mod gzip;
pub(crate) mod head;
pub(crate) mod input_schema;
pub(crate) mod json_text;
pub(crate) mod kept;
pub(crate) mod nearest;
pub(crate) mod protocol;
pub(crate) mod raw_body;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod schemas;
pub(crate) mod syntax;
pub(crate) mod unique_keys;
pub(crate) mod whole_numbers;
