//! Several files in one request. Each is an upload of its own: a refused file refuses no other one.

use api::content::uploads::{UploadedFile, UploadedFiles};
use bytes::Bytes;
use domain::content::upload::UploadedObject;
use domain::id::ObjectId;
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Method};

use crate::body::{FileBody, SentBytes, Sink, sha256, stream};
use crate::connection::failure;
use crate::error::{ErrorAnswer, RequestError, RequestResult};
use crate::grant::Grant;
use crate::retry::Repeat;
use crate::session::Session;

/// Time that a request has for the conversion of each file, in seconds.
const SECS_PER_FILE: u64 = 5;

/// A file of a request with several.
#[derive(Clone, Debug)]
pub struct BatchFile<S> {
    /// Its path below the parent, with `/` between names. The service finds or makes its folders.
    pub path: String,
    /// Its bytes.
    pub bytes: Bytes,
    /// Receives the number of its bytes that were sent.
    pub sink: S,
}

/// The objects of a file of such a request.
#[derive(Clone, Debug)]
pub struct StoredFile {
    /// The object that owns the file.
    pub owner: UploadedObject,
    /// Number of objects that were made of the file, `owner` included.
    pub object_count: u64,
}

/// Why a file is not attached again.
#[derive(Clone, Copy, Debug)]
pub enum Once<'a> {
    /// It was attached under the same idempotency key, parent and path.
    ByKey(&'a str),
    /// Such a request of any user has added it: to the same folder, under the same name, with the same content.
    ByContent,
}

/// A request with several files.
#[derive(Clone, Debug)]
pub struct FileBatch<'a, S> {
    /// The object below which the paths begin.
    pub parent: ObjectId,
    /// At most 1,000 files, of 256 MiB in all.
    pub files: &'a [BatchFile<S>],
    /// Why a file is not attached again.
    pub once: Once<'a>,
    /// `Unsafe` lets a broken connection be an error at once, after which fewer files may get through.
    pub repeat: Repeat,
}

impl Session {
    /// Uploads several files, and answers the stored file or the failure of each, in their order. The stored hashes are
    /// compared with those of the sent bytes.
    ///
    /// # Errors
    /// Those of every request. Some of the files may be attached then; a repeat attaches none twice.
    pub async fn upload_files<S: Sink>(
        &self,
        batch: &FileBatch<'_, S>,
    ) -> RequestResult<Vec<RequestResult<StoredFile>>> {
        let FileBatch { parent, files, once, repeat } = batch;
        let mut url = self.object_url(&self.urls().bulk_url, *parent)?;
        if let Once::ByContent = once {
            url.query_pairs_mut().append_pair("skipExisting", "true");
        }
        let size_bytes = files.iter().map(|file| u64::try_from(file.bytes.len()).unwrap_or(u64::MAX)).sum();
        let converting = SECS_PER_FILE * u64::try_from(files.len()).unwrap_or_default();
        let time = self.client().time_for(size_bytes) + std::time::Duration::from_secs(converting);
        let sent: Vec<SentBytes> = files.iter().map(|_| SentBytes::default()).collect();
        let build = |grant: &Grant| {
            let parts = files.iter().zip(&sent).map(|(file, sent)| {
                sent.take_back(&file.sink);
                let body = FileBody::Bytes(file.bytes.clone());
                let size_bytes = body.size_bytes();
                let chunks = stream(&body, sent.clone(), file.sink.clone());
                let body = Body::wrap_stream(self.client().paced(chunks));
                Part::stream_with_length(body, size_bytes).file_name(file.path.clone())
            });
            let form = parts.fold(Form::new(), |form, part| form.part("file", part));
            let request = self.client().with_grant(Method::POST, url.clone(), &grant.token);
            let request = request.multipart(form).timeout(time);
            Ok(match once {
                Once::ByKey(key) => request.header("idempotency-key", *key),
                Once::ByContent => request,
            })
        };
        let answered = async {
            let response = self.send(*repeat, build).await?;
            let body = response.bytes().await.map_err(|error| failure(&url, &error))?;
            let answered: UploadedFiles =
                serde_json::from_slice(&body).map_err(|error| self.client().unexpected(&error))?;
            if answered.files.len() != files.len() {
                return Err(self.client().unexpected(&"another number of files than was sent"));
            }
            let parts = files.iter().zip(&sent).zip(answered.files);
            Ok(parts.map(|((file, sent), answer)| outcome(file, sent, answer)).collect::<Vec<_>>())
        };
        let answered = answered.await;
        for (number, (file, sent)) in files.iter().zip(&sent).enumerate() {
            let stored = answered.as_ref().ok().and_then(|answers| answers.get(number));
            if stored.is_none_or(Result::is_err) {
                sent.take_back(&file.sink);
            }
        }
        answered
    }
}

/// The stored file, if its hash is that of the sent bytes.
fn outcome<S>(file: &BatchFile<S>, sent: &SentBytes, answer: UploadedFile) -> RequestResult<StoredFile> {
    let UploadedFile { path, root, object_count, error } = answer;
    if let Some(refusal) = error {
        return Err(RequestError::Refused(Box::new(ErrorAnswer::of_refusal(refusal))));
    }
    let damaged = || RequestError::Damaged { name: file.path.clone() };
    let owner = root.ok_or_else(damaged)?;
    // A replay is answered before the body is read.
    let hash = sent.hash().unwrap_or_else(|| sha256(&file.bytes));
    // The service cuts long paths in its answer.
    let is_whole = file.path.starts_with(&path) && owner.sha256.as_ref() == Some(&hash);
    if is_whole { Ok(StoredFile { owner, object_count: object_count.unwrap_or(1) }) } else { Err(damaged()) }
}
