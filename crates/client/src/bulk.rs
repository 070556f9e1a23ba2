//! Several files in one request. Each is an upload of its own: a refused file refuses no other one.

use api::uploads::{UploadedFile, UploadedFiles};
use bytes::Bytes;
use domain::id::ObjectId;
use domain::upload::UploadedObject;
use reqwest::Method;
use reqwest::multipart::{Form, Part};

use crate::body::sha256;
use crate::connection::failure;
use crate::error::{ErrorAnswer, RequestError, RequestResult};
use crate::grant::Grant;
use crate::retry::Repeat;
use crate::session::{Session, timeout};

/// Time that a request has for the conversion of each file, in seconds.
const SECS_PER_FILE: u64 = 5;

/// A file of a request with several.
#[derive(Clone, Debug)]
pub struct BatchFile {
    /// Its path below the parent, with `/` between names. The service finds or makes its folders.
    pub path: String,
    /// Its bytes.
    pub bytes: Bytes,
}

/// The objects of a file of such a request.
#[derive(Clone, Debug)]
pub struct StoredFile {
    /// The object that owns the file.
    pub owner: UploadedObject,
    /// Number of objects that were made of the file, `owner` included.
    pub object_count: u64,
}

/// A request with several files.
#[derive(Clone, Debug)]
pub struct FileBatch<'a> {
    /// The object below which the paths begin.
    pub parent: ObjectId,
    /// At most 1,000 files, of 256 MiB in all.
    pub files: &'a [BatchFile],
    /// Idempotency key. A file that was attached under the same key, parent and path is not attached again.
    pub key: &'a str,
    /// `Unsafe` lets a broken connection be an error at once, after which fewer files may get through.
    pub repeat: Repeat,
}

impl Session {
    /// Uploads several files, and answers the stored file or the failure of each, in their order. The stored hashes are
    /// compared with those of the sent bytes.
    ///
    /// # Errors
    /// Those of every request. Some of the files may be attached then; a repeat with the same key attaches none twice.
    pub async fn upload_files(&self, batch: &FileBatch<'_>) -> RequestResult<Vec<RequestResult<StoredFile>>> {
        let FileBatch { parent, files, key, repeat } = batch;
        let url = self.object_url(&self.urls().bulk_url, *parent)?;
        let size_bytes = files.iter().map(|file| u64::try_from(file.bytes.len()).unwrap_or(u64::MAX)).sum();
        let converting = SECS_PER_FILE * u64::try_from(files.len()).unwrap_or_default();
        let time = timeout(size_bytes) + std::time::Duration::from_secs(converting);
        let build = |grant: &Grant| {
            let parts =
                files.iter().map(|file| Part::stream(file.bytes.clone()).file_name(file.path.clone()));
            let form = parts.fold(Form::new(), |form, part| form.part("file", part));
            let request = self.client().with_grant(Method::POST, url.clone(), &grant.token);
            Ok(request.multipart(form).header("idempotency-key", *key).timeout(time))
        };
        let response = self.send(*repeat, build).await?;
        let body = response.bytes().await.map_err(|error| failure(&url, &error))?;
        let answered: UploadedFiles =
            serde_json::from_slice(&body).map_err(|error| self.client().unexpected(&error))?;
        if answered.files.len() != files.len() {
            return Err(self.client().unexpected(&"another number of files than was sent"));
        }
        Ok(files.iter().zip(answered.files).map(|(file, answer)| outcome(file, answer)).collect())
    }
}

/// The stored file, if its hash is that of the sent bytes.
fn outcome(file: &BatchFile, answer: UploadedFile) -> RequestResult<StoredFile> {
    let UploadedFile { path, root, object_count, error } = answer;
    if let Some(refusal) = error {
        return Err(RequestError::Refused(Box::new(ErrorAnswer::of_refusal(refusal))));
    }
    let damaged = || RequestError::Damaged { name: file.path.clone() };
    let owner = root.ok_or_else(damaged)?;
    // The service cuts long paths in its answer.
    let is_whole = file.path.starts_with(&path) && owner.sha256.as_ref() == Some(&sha256(&file.bytes));
    if is_whole { Ok(StoredFile { owner, object_count: object_count.unwrap_or(1) }) } else { Err(damaged()) }
}
