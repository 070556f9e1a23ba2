//! The answer to a call, with its headers.

use domain::time::Timestamp;

/// The answer to a call.
#[derive(Clone, Debug)]
pub struct Answer<A> {
    /// The body.
    pub value: A,
    /// The entity tag, quoted as it was sent.
    pub etag: Option<String>,
    /// The service's time.
    pub date: Option<Timestamp>,
    /// True for the remembered answer of an earlier request with the same idempotency key.
    pub is_replayed: bool,
}

/// The time of an HTTP date.
pub(crate) fn date(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text).ok()?;
    let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    Timestamp::from_unix_seconds(i64::try_from(seconds).ok()?)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn the_services_date_is_read() {
        let read = date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        assert_eq!(read.to_string(), "1994-11-06T08:49:37.000Z");
        assert_eq!(date("yesterday"), None);
    }
}
