//! Method and headers of a request, as handlers read them.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use domain::content::edit::IfMatch;
use domain::error::Location;
use domain::{Error, Result, Rule};
use serde_json::json;

use crate::contract::etag::{ETag, stale};

/// Method and headers of a request; cheap to clone.
#[derive(Clone, Debug)]
pub struct RequestHead {
    method: Method,
    headers: Arc<HeaderMap>,
}

impl RequestHead {
    pub(crate) fn new(method: Method, headers: HeaderMap) -> Self {
        Self { method, headers: Arc::new(headers) }
    }

    /// The first value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// True if a GET or HEAD request names this tag in `If-None-Match`. Always false for other methods: their answers
    /// are sent in full.
    pub fn has_current(&self, tag: &ETag) -> bool {
        self.is_read() && self.header(IF_NONE_MATCH.as_str()).is_some_and(|tags| tag.is_in(tags))
    }

    /// Refuses a read whose `If-Match` names other states than that of this tag. Other methods check it themselves, before
    /// they change anything.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED`, with the current tag in `details.etag`; those of [`Self::if_match`].
    pub fn require_expected(&self, tag: &ETag) -> Result<()> {
        let expected = if self.is_read() { self.if_match()? } else { None };
        match expected {
            Some(expected) if !tag.meets(&expected) => Err(stale(json!(tag.as_str()))),
            _ => Ok(()),
        }
    }

    /// The condition in `If-Match`, if the header is present.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it can't be read or is empty: an ignored condition would pass for a checked one.
    pub fn if_match(&self) -> Result<Option<IfMatch>> {
        let text = self.single("If-Match")?;
        text.map(|text| IfMatch::parse("If-Match", text).map_err(|error| error.at(Location::Header)))
            .transpose()
    }

    /// The value of a header that may be sent once, if it is present.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it is repeated or not text.
    pub fn single(&self, name: &str) -> Result<Option<&str>> {
        let refused = |rule: Rule, message: &str| Error::invalid(name, rule, message).at(Location::Header);
        let mut values = self.all(name);
        let Some(value) = values.next() else { return Ok(None) };
        match value.to_str() {
            Ok(text) if values.next().is_none() => Ok(Some(text)),
            Ok(_) => Err(refused(Rule::MaxItems(1), "must be sent once")),
            Err(_) => Err(refused(Rule::format("ascii"), "must be visible ASCII")),
        }
    }

    /// True for HEAD. Every GET operation answers HEAD too; the server omits the body.
    pub fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// All values of a header.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &HeaderValue> {
        self.headers.get_all(name)
    }

    fn is_read(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }
}
