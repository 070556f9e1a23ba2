//! Download a stored file: whole, or the ranges that the client asks for.
//!
//! A browser must never run a file: it is sent sandboxed, as an attachment, with a media type from a fixed list.

use std::time::{Duration, SystemTime};

use actix_web::HttpResponse;
use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, LAST_MODIFIED,
    RANGE, X_CONTENT_TYPE_OPTIONS,
};
use api::content::uploads::DownloadFile;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::content::upload::FileName;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use store::StoredFile;
use store::content::files;
use wire::{Download, ETag, Request, RequestHead};

use crate::app::{self, App};
use crate::blobs::{BlobKey, Blobs};
use crate::grant_end::while_readable;
use crate::range::Selection;
use crate::routes::connection_id;

/// Media type of an answer with several ranges, with their boundary. A fixed boundary suffices, since each part
/// states its length.
const SEVERAL_RANGES: &str = "multipart/byteranges; boundary=atelier-byteranges";
const RANGE_BOUNDARY: &str = "atelier-byteranges";

/// The characters that RFC 8187 wants encoded, and a few more.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Sends a file.
///
/// # Errors
/// `INVALID_CONNECTION_ID`, `NOT_FOUND`, `RANGE_NOT_SATISFIABLE`, `UNAVAILABLE`.
pub async fn handle(app: App, request: Request<ProjectRead, DownloadFile>) -> Result<Download> {
    let Request { call, path, head, query, .. } = request;
    connection_id(&path.connection_id)?;
    let at = app::readable_project(app::presented_grant(&call.actor)?, &path.project_id)?;
    let name: FileName = path.file_name.parse().map_err(|_| Error::not_found())?;
    let found = app
        .store
        .read(&call, &at, async |tx, project| {
            if project.record.owner_id != path.owner_id {
                return Err(Error::not_found());
            }
            files::find(tx, project, &name, query.commit).await
        })
        .await?;
    let answer = send(app.blobs, &head, found.ok_or_else(Error::not_found)?).await?;
    Ok(while_readable(answer, app.store, call, at))
}

/// Answers a file, or its requested ranges.
///
/// # Errors
/// `PRECONDITION_FAILED`, `RANGE_NOT_SATISFIABLE`, `UNAVAILABLE`.
pub(super) async fn send(blobs: Blobs, head: &RequestHead, stored: StoredFile) -> Result<Download> {
    let key: BlobKey = stored.blob_key.parse().map_err(Error::internal)?;

    let tag = ETag::strong(&stored.file.sha256.to_string());
    let modified = ModifiedAt::of(stored.stored_at);
    head.require_expected(&tag)?;
    if head.header(IF_MATCH.as_str()).is_none() && modified.is_after(head, &IF_UNMODIFIED_SINCE) == Some(true)
    {
        let message = "The file is newer than `If-Unmodified-Since` expects it.";
        let details = json!({ "etag": tag.as_str() });
        return Err(Error::new(Code::PreconditionFailed, message).with_details(details));
    }
    let is_known = match head.header(IF_NONE_MATCH.as_str()) {
        Some(tags) => tag.is_in(tags),
        None => modified.is_after(head, &IF_MODIFIED_SINCE) == Some(false),
    };
    let mut response = match selection(head, &tag, stored.file.size) {
        _ if is_known => HttpResponse::NotModified().finish(),
        Selection::Whole if head.is_head() => {
            // States the length without reading the file.
            sized(StatusCode::OK, &stored.file.mime_type, stored.file.size, stream::empty().boxed())
        }
        Selection::Whole => {
            let bytes = blobs.read(key, 0..stored.file.size).await?;
            sized(StatusCode::OK, &stored.file.mime_type, stored.file.size, bytes)
        }
        Selection::Ranges(ranges) => partial(blobs, key, &stored, ranges).await?,
        Selection::Unsatisfiable => {
            let details = json!({ "sizeBytes": stored.file.size });
            return Err(Error::new(Code::RangeNotSatisfiable, "The range lies outside the file.")
                .with_details(details));
        }
    };
    let fixed = [
        (ETAG, tag.as_str().to_owned()),
        (LAST_MODIFIED, httpdate::fmt_http_date(modified.0)),
        (ACCEPT_RANGES, "bytes".to_owned()),
        (CONTENT_DISPOSITION, attachment(&stored.file.saved_name(&stored.name))),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned()),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, value.parse().map_err(Error::internal)?);
    }
    Ok(Download(response))
}

/// The time of a file, in whole seconds, as headers have it.
struct ModifiedAt(SystemTime);

impl ModifiedAt {
    fn of(at: Timestamp) -> Self {
        let since_epoch = Duration::from_secs(u64::try_from(at.unix_seconds()).unwrap_or_default());
        Self(SystemTime::UNIX_EPOCH + since_epoch)
    }

    /// True if the file is newer than the time in a header; `None` without a valid one, which is ignored
    /// (RFC 9110, 13.1.4).
    fn is_after(&self, head: &RequestHead, name: &HeaderName) -> Option<bool> {
        let known = httpdate::parse_http_date(head.header(name.as_str())?).ok()?;
        Some(self.0 > known)
    }
}

/// Selects the bytes to send for a GET. A range counts only if `If-Range` names the current content.
fn selection(head: &RequestHead, tag: &ETag, size_bytes: u64) -> Selection {
    let unchanged = head.header(IF_RANGE.as_str()).is_none_or(|known| known == tag.as_str());
    let range = head.header(RANGE.as_str()).filter(|_| unchanged && !head.is_head());
    Selection::parse(range, size_bytes)
}

async fn partial(
    blobs: Blobs,
    key: BlobKey,
    stored: &StoredFile,
    ranges: Vec<std::ops::Range<u64>>,
) -> Result<HttpResponse> {
    let size = stored.file.size;
    let content_range = |range: &std::ops::Range<u64>| {
        format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1))
    };
    if let [range] = ranges.as_slice() {
        let bytes = blobs.read(key, range.clone()).await?;
        let length = range.end.saturating_sub(range.start);
        let mut response = sized(StatusCode::PARTIAL_CONTENT, &stored.file.mime_type, length, bytes);
        let value = content_range(range).parse().map_err(Error::internal)?;
        response.headers_mut().insert(CONTENT_RANGE, value);
        return Ok(response);
    }
    let end = Bytes::from(format!("\r\n--{RANGE_BOUNDARY}--\r\n"));
    let mut length = end.len();
    let mut parts = Vec::new();
    for range in ranges {
        let mime_type = &stored.file.mime_type;
        let content_range = content_range(&range);
        let head = format!(
            "\r\n--{RANGE_BOUNDARY}\r\nContent-Type: {mime_type}\r\nContent-Range: {content_range}\r\n\r\n"
        );
        length += head.len();
        parts.push((Bytes::from(head), range));
    }
    let in_ranges: u64 = parts.iter().map(|(_, range)| range.end.saturating_sub(range.start)).sum();
    let length = u64::try_from(length).map_err(Error::internal)?.saturating_add(in_ranges);
    let parts = stream::iter(parts).then(move |(head, range)| {
        let blobs = blobs.clone();
        async move {
            let bytes = blobs.read(key, range).await?;
            Ok::<_, Error>(stream::iter([Ok(head)]).chain(bytes))
        }
    });
    let body = parts.try_flatten().chain(stream::iter([Ok(end)])).boxed();
    Ok(sized(StatusCode::PARTIAL_CONTENT, SEVERAL_RANGES, length, body))
}

fn sized(
    status: StatusCode,
    content_type: &str,
    length: u64,
    bytes: BoxStream<'static, Result<Bytes>>,
) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, content_type))
        .body(SizedStream::new(length, bytes))
}

/// The disposition with which a browser saves a file by a name, with an ASCII fallback for old clients.
fn attachment(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || " ._-".contains(c) { c } else { '_' };
    let plain: String = name.chars().map(plain).collect();
    let extended = utf8_percent_encode(name, ENCODED);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{extended}")
}

#[cfg(test)]
mod tests {
    use super::attachment;

    #[test]
    fn a_file_name_cannot_escape_from_its_header() {
        let of = attachment;
        assert_eq!(of("a b.stp"), "attachment; filename=\"a b.stp\"; filename*=UTF-8''a%20b.stp");
        assert_eq!(
            of("\"; x=\"é.pdf"),
            "attachment; filename=\"__ x___.pdf\"; filename*=UTF-8''%22%3B%20x%3D%22%C3%A9.pdf"
        );
    }
}
