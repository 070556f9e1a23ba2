//! `traceparent` of W3C Trace Context: the trace of a request, for the logs.

use actix_web::HttpRequest;
use uuid::Uuid;

/// The trace of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceContext {
    /// 32 lower-case hexadecimal digits.
    pub(crate) trace_id: String,
    /// The caller's span, 16 lower-case hexadecimal digits; `None` if the trace begins here.
    pub(crate) parent_id: Option<String>,
}

/// The trace of a request: a new one without a `traceparent`, or with one that the standard says to ignore.
pub(crate) fn of(http: &HttpRequest) -> TraceContext {
    let sent = http.headers().get("traceparent").and_then(|sent| sent.to_str().ok());
    sent.and_then(parse).unwrap_or_else(|| TraceContext { trace_id: new_trace_id(), parent_id: None })
}

/// The id of a trace that begins here.
pub(crate) fn new_trace_id() -> String {
    Uuid::new_v4().simple().to_string()
}

fn parse(traceparent: &str) -> Option<TraceContext> {
    let mut parts = traceparent.split('-');
    let (version, trace_id, parent_id, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |text: &str, digits: usize| is_hex(text, digits) && text.bytes().any(|byte| byte != b'0');
    // Version 00 has four parts; later ones may have more.
    let known = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    (known && is_id(trace_id, 32) && is_id(parent_id, 16) && is_hex(flags, 2))
        .then(|| TraceContext { trace_id: trace_id.to_owned(), parent_id: Some(parent_id.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_a_well_formed_traceparent_is_used() {
        let trace = parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").unwrap();
        assert_eq!(trace.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(trace.parent_id.as_deref(), Some("00f067aa0ba902b7"));
        for bad in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
