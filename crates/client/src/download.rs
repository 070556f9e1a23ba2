//! Downloads of stored files: resumed after breaks, and verified by their hash.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use api::content::downloads::CreateDownloadGrant;
use api::operation::encoded_segment;
use api::planning::cards::attachments::CreateAttachmentGrant;
use bytes::{Buf, Bytes};
use domain::content::object::{FileRef, Sha256Hash};
use domain::content::project::ProjectRef;
use domain::id::{CardId, ObjectId, ProjectId};
use domain::planning::attachment::CardAttachment;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{IF_RANGE, RANGE};
use reqwest::{Method, Response, StatusCode};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use url::Url;

use crate::body::Sink;
use crate::connection::{Client, failure};
use crate::error::{RequestError, RequestResult};
use crate::grant::{CurrentGrant, Grant, GrantSource};
use crate::retry::Repeat;

/// Longest silence of a download before it is resumed.
const SILENCE: Duration = Duration::from_secs(60);
/// Most breaks without a byte in between.
const BREAKS_MAX: u32 = 8;
/// The pause before a broken download goes on.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes that are read at once from a part on disk.
const CHUNK_BYTES: usize = 128 * 1024;
/// The beginning and the end of a part's name.
const PART_PREFIX: &str = ".atelier-";
const PART_SUFFIX: &str = ".part";

/// True for the name of a part that a stopped download left.
#[must_use]
pub fn is_part(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PART_PREFIX) && name.ends_with(PART_SUFFIX))
}

/// Downloads of a project's files, with a grant that reads them. It is renewed before it ends.
#[derive(Debug)]
pub struct Downloads {
    client: Client,
    /// The address of a file, with `{fileName}` for an object's and `{attachmentId}` for a card's.
    template: String,
    grant: CurrentGrant,
}

impl Downloads {
    /// Asks for a grant to download the files of a branch.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn open(client: &Client, project: &ProjectRef) -> RequestResult<Self> {
        let answer = client.call(CreateDownloadGrant, project.clone()).send().await?;
        let grant = Grant::of_answer(&answer, &answer.value.data_plane)?;
        let grant = CurrentGrant::new(client, GrantSource::Branch(project.clone()), grant);
        Ok(Self { client: client.clone(), template: answer.value.download_url, grant })
    }

    /// Asks for a grant to download the attachments of a card.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn of_card(client: &Client, project: ProjectId, card: CardId) -> RequestResult<Self> {
        let answer = client.call(CreateAttachmentGrant, project).send().await?;
        let grant = Grant::of_answer(&answer, &answer.value.data_plane)?;
        let grant = CurrentGrant::new(client, GrantSource::Attachments(project), grant);
        let template = answer.value.download_url.replace("{cardId}", &card.to_string());
        Ok(Self { client: client.clone(), template, grant })
    }

    /// Writes an attachment of the card to `path`, as [`Downloads::fetch`] does.
    ///
    /// # Errors
    /// As [`Downloads::fetch`].
    pub async fn fetch_attachment<S: Sink>(
        &self,
        attachment: &CardAttachment,
        path: &Path,
        sink: &S,
    ) -> RequestResult<()> {
        self.fetch(ObjectId(attachment.id.0), &attachment.file(), path, sink).await
    }

    /// Writes an object's file to `path`, where it appears when it is whole and has the expected hash. What has arrived
    /// before is kept beside it under a name of its own, and a repeat goes on there.
    ///
    /// # Errors
    /// Those of every request; `File`; `Damaged` if the bytes have another hash.
    pub async fn fetch<S: Sink>(
        &self,
        object: ObjectId,
        file: &FileRef,
        path: &Path,
        sink: &S,
    ) -> RequestResult<()> {
        let hash: String = file.sha256.to_string().chars().take(16).collect();
        // Two objects may have the same content. The name is short, so that any name of a file has room for its part.
        let part = path.with_file_name(format!("{PART_PREFIX}{hash}-{object}{PART_SUFFIX}"));
        self.fetch_part(object, file, &part, sink).await?;
        tokio::fs::rename(&part, path).await.map_err(|error| RequestError::file(path, error))
    }

    /// Writes an object's file to `part`, after the bytes that `part` has already. On success `part` is the whole file
    /// with the expected hash; otherwise it holds what has arrived; it
    /// is removed if its bytes have another hash.
    async fn fetch_part<S: Sink>(
        &self,
        object: ObjectId,
        file: &FileRef,
        part: &Path,
        sink: &S,
    ) -> RequestResult<()> {
        let failed = |error| RequestError::file(part, error);
        let mut options = tokio::fs::OpenOptions::new();
        options.create(true).read(true).write(true).truncate(false);
        let mut output = options.open(part).await.map_err(failed)?;
        let mut partial = PartialFile::of(&mut output, file.size).await.map_err(failed)?;
        sink.moved(signed(partial.length));
        let mut breaks = 0;
        while partial.length < file.size {
            let before = partial.length;
            let received = self.receive(object, file, &mut partial, &mut output, part, sink).await;
            match received {
                Ok(()) => {}
                Err(RequestError::Interrupted { .. }) if breaks < BREAKS_MAX => {
                    breaks = if partial.length > before { 0 } else { breaks + 1 };
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
        output.sync_all().await.map_err(failed)?;
        if partial.hash() == file.sha256 {
            return Ok(());
        }
        tokio::fs::remove_file(part).await.map_err(failed)?;
        sink.moved(-signed(partial.length));
        Err(RequestError::Damaged { name: format!("{object}{}", file.suffix()) })
    }

    async fn receive<S: Sink>(
        &self,
        object: ObjectId,
        file: &FileRef,
        partial: &mut PartialFile,
        output: &mut tokio::fs::File,
        part: &Path,
        sink: &S,
    ) -> RequestResult<()> {
        let failed = |error| RequestError::file(part, error);
        let mut answer = self.answer(object, file, partial.length).await?;
        if partial.length > 0 && !answer.is_rest {
            sink.moved(-signed(partial.length));
            partial.restart(output).await.map_err(failed)?;
        }
        while let Some(chunk) = self.next(&mut answer).await? {
            output.write_all(&chunk).await.map_err(failed)?;
            partial.add(&chunk);
            sink.moved(i64::try_from(chunk.len()).unwrap_or_default());
        }
        output.flush().await.map_err(failed)?;
        self.check_length(partial.length, file)
    }

    /// Hands over an object's file as it arrives, each byte once. Only the end shows that all of it was right.
    ///
    /// # Errors
    /// Those of every request; `Damaged` if the bytes have another hash. They were handed over then.
    pub async fn stream<S: Sink>(
        &self,
        object: ObjectId,
        file: &FileRef,
        sink: &S,
        mut take: impl FnMut(&[u8]),
    ) -> RequestResult<()> {
        let (mut partial, mut breaks) = (PartialFile::default(), 0);
        while partial.length < file.size {
            let before = partial.length;
            let received = async {
                let mut answer = self.answer(object, file, partial.length).await?;
                let mut known = if answer.is_rest { 0 } else { partial.length };
                while let Some(mut chunk) = self.next(&mut answer).await? {
                    let skipped = usize::try_from(known).unwrap_or(usize::MAX).min(chunk.len());
                    known -= u64::try_from(skipped).unwrap_or_default();
                    chunk.advance(skipped);
                    partial.add(&chunk);
                    sink.moved(i64::try_from(chunk.len()).unwrap_or_default());
                    take(&chunk);
                }
                self.check_length(partial.length, file)
            };
            match received.await {
                Ok(()) => {}
                Err(RequestError::Interrupted { .. }) if breaks < BREAKS_MAX => {
                    breaks = if partial.length > before { 0 } else { breaks + 1 };
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
        let name = format!("{object}{}", file.suffix());
        if partial.hash() == file.sha256 { Ok(()) } else { Err(RequestError::Damaged { name }) }
    }

    /// The answer with a file's bytes from `offset` on, or with all of them.
    async fn answer(&self, object: ObjectId, file: &FileRef, offset: u64) -> RequestResult<FileAnswer> {
        let id = object.to_string();
        let name = encoded_segment(&format!("{id}{}", file.suffix()));
        let url = self.template.replace("{fileName}", &name).replace("{attachmentId}", &id).parse();
        let url: Url = url.map_err(|error| self.client.unexpected(&error))?;
        let response = self.request(&url, offset, &file.sha256).await?;
        let is_rest = response.status() == StatusCode::PARTIAL_CONTENT;
        Ok(FileAnswer { is_rest, chunks: self.client.paced(response.bytes_stream()), url })
    }

    /// The next bytes; `None` at the end of the answer.
    async fn next(&self, answer: &mut FileAnswer) -> RequestResult<Option<Bytes>> {
        match tokio::time::timeout(SILENCE, answer.chunks.try_next()).await {
            Ok(chunk) => chunk.map_err(|error| match failure(&answer.url, &error) {
                RequestError::Unexpected { host, cause } => RequestError::Interrupted { host, cause },
                error => error,
            }),
            Err(elapsed) => Err(self.client.interrupted(&elapsed)),
        }
    }

    fn check_length(&self, length: u64, file: &FileRef) -> RequestResult<()> {
        match length.cmp(&file.size) {
            Ordering::Equal => Ok(()),
            Ordering::Less => Err(self.client.interrupted(&"the answer ended early")),
            Ordering::Greater => Err(self.client.unexpected(&"more bytes than the file has")),
        }
    }

    async fn request(&self, url: &Url, offset: u64, hash: &Sha256Hash) -> RequestResult<Response> {
        let build = |grant: &Grant| {
            let mut request = self.client.with_grant(Method::GET, url.clone(), &grant.token);
            if offset > 0 {
                request = request.header(RANGE, format!("bytes={offset}-"));
                request = request.header(IF_RANGE, format!("\"{hash}\""));
            }
            Ok(request)
        };
        self.grant.send(Repeat::Safe, build).await
    }
}

/// An answer with bytes of a file.
struct FileAnswer {
    /// True if it begins at the offset that was asked for.
    is_rest: bool,
    chunks: BoxStream<'static, Result<Bytes, reqwest::Error>>,
    url: Url,
}

/// The part of a file that has arrived, with the hash so far.
#[derive(Default)]
struct PartialFile {
    length: u64,
    hash: Sha256,
}

impl PartialFile {
    /// The part in `output`, which is read once. A part that is longer than the file is dropped.
    async fn of(output: &mut tokio::fs::File, size: u64) -> std::io::Result<Self> {
        let mut partial = Self::default();
        if output.metadata().await?.len() > size {
            partial.restart(output).await?;
        }
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let length = output.read(&mut buffer).await?;
            match buffer.get(..length) {
                Some([]) | None => return Ok(partial),
                Some(chunk) => partial.add(chunk),
            }
        }
    }

    async fn restart(&mut self, output: &mut tokio::fs::File) -> std::io::Result<()> {
        output.set_len(0).await?;
        output.rewind().await?;
        *self = Self::default();
        Ok(())
    }

    fn add(&mut self, chunk: &[u8]) {
        self.length += u64::try_from(chunk.len()).unwrap_or_default();
        self.hash.update(chunk);
    }

    fn hash(&self) -> Sha256Hash {
        Sha256Hash(self.hash.clone().finalize().into())
    }
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
