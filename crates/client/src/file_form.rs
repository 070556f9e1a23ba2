//! Forms with one file.

use reqwest::multipart::{Form, Part};
use reqwest::{Body, Method, RequestBuilder};
use url::Url;

use crate::body::{FileBody, SentBytes, Sink, stream};
use crate::connection::Client;
use crate::grant::Grant;

/// A file to upload.
#[derive(Clone, Debug)]
pub struct FileUpload {
    /// Name with extension.
    pub name: String,
    /// Its bytes.
    pub body: FileBody,
    /// Idempotency key; `None` for a random one, which covers the repeats of this call alone.
    pub key: Option<String>,
}

/// One attempt to send a form with a file, from its first byte on. What an earlier attempt has reported is taken back.
pub(crate) fn file_form<S: Sink>(
    client: &Client,
    (method, url): (&Method, &Url),
    grant: &Grant,
    file: &FileUpload,
    (sent, sink): (&SentBytes, &S),
) -> RequestBuilder {
    sent.take_back(sink);
    let size_bytes = file.body.size_bytes();
    let chunks = stream(&file.body, sent.clone(), sink.clone());
    let body = Body::wrap_stream(client.paced(chunks));
    let part = Part::stream_with_length(body, size_bytes).file_name(file.name.clone());
    client
        .with_grant(method.clone(), url.clone(), &grant.token)
        .multipart(Form::new().part("file", part))
        .timeout(client.time_for(size_bytes))
}
