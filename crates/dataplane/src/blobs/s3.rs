//! Blobs in a bucket of an S3-compatible service, at `<prefix>/<projectId>/<uploadId>`.
//!
//! A small blob is one request; a larger one is a multipart upload, aborted when its writer fails or is dropped. The
//! parts of a killed process stay invisible until a lifecycle rule of the bucket expires them.

pub(in crate::blobs) mod partial;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::BlobKey;
use bytes::Bytes;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
    WriteMultipart,
};
use time::OffsetDateTime;
use tokio::runtime::Handle;

/// Size of a part of a multipart upload. All but the last have exactly this size, which some services require.
const PART_BYTES: usize = 8 * 1024 * 1024;

/// Most parts of one upload in flight. Hides the service's latency and bounds memory.
const PARTS_IN_FLIGHT: usize = 3;

/// The address and credentials of a bucket.
#[derive(Clone, Debug)]
pub struct BucketSettings {
    /// Name of the bucket.
    pub bucket: String,
    /// Prefix of all blob names; may be empty.
    pub prefix: String,
    /// URL of the service; `None` for Amazon's own.
    pub endpoint: Option<String>,
    /// Region.
    pub region: String,
    /// Static credentials; `None` if the environment provides them, for example by a machine role.
    pub credentials: Option<Credentials>,
}

/// A static pair of credentials.
#[derive(Clone)]
pub struct Credentials {
    /// Id of the access key.
    pub access_key_id: String,
    /// The secret; never shown.
    pub secret_access_key: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}

/// A bucket of blobs.
#[derive(Clone, Debug)]
pub struct Bucket {
    store: Arc<AmazonS3>,
    prefix: Path,
}

impl Bucket {
    /// Opens the bucket named by `settings`, without a request.
    ///
    /// # Errors
    /// The settings are inconsistent.
    pub fn open(settings: &BucketSettings) -> Result<Self, object_store::Error> {
        // The whole request has no limit, because a slow client may download for hours. Silence is limited.
        let client = ClientOptions::new()
            .with_timeout_disabled()
            .with_connect_timeout(Duration::from_secs(3))
            .with_read_timeout(Duration::from_secs(30));
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: 3,
            retry_timeout: Duration::from_secs(10),
        };
        let plain_http = settings.endpoint.as_deref().is_some_and(|endpoint| endpoint.starts_with("http://"));
        let mut builder = AmazonS3Builder::new()
            .with_client_options(client)
            .with_retry(retry)
            .with_allow_http(plain_http)
            .with_bucket_name(&settings.bucket)
            .with_region(&settings.region);
        if let Some(endpoint) = &settings.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(credentials) = &settings.credentials {
            builder = builder
                .with_access_key_id(&credentials.access_key_id)
                .with_secret_access_key(&credentials.secret_access_key);
        }
        Ok(Self { store: Arc::new(builder.build()?), prefix: Path::parse(&settings.prefix)? })
    }

    pub(super) fn upload(&self, key: BlobKey) -> BucketUpload {
        BucketUpload { bucket: self.clone(), path: self.path(key), small: Vec::new(), multipart: None }
    }

    pub(super) async fn read(
        &self,
        key: BlobKey,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes>>> {
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let found = self.store.get_opts(&self.path(key), options).await.map_err(|error| match error {
            object_store::Error::NotFound { .. } => Error::internal(error),
            error => Error::unavailable(error),
        })?;
        Ok(found.into_stream().map_err(Error::unavailable).boxed())
    }

    pub(super) async fn delete(&self, key: BlobKey) -> Result<()> {
        match self.store.delete(&self.path(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    pub(super) fn list_older(&self, time: Timestamp) -> BoxStream<'static, Result<BlobKey>> {
        let prefix = self.prefix.clone();
        let key_of = move |object: object_store::ObjectMeta| {
            let modified = object.last_modified;
            let seconds = OffsetDateTime::from_unix_timestamp(modified.timestamp()).ok()?;
            let old = Timestamp::from(seconds) < time;
            let name: Vec<_> =
                object.location.prefix_match(&prefix)?.map(|part| part.as_ref().to_owned()).collect();
            if old { name.join("/").parse().ok() } else { None }
        };
        self.store
            .list(Some(&self.prefix))
            .map_err(Error::unavailable)
            .try_filter_map(move |object| std::future::ready(Ok(key_of(object))))
            .boxed()
    }

    pub(super) async fn check(&self) -> Result<()> {
        match self.store.list(Some(&self.prefix)).next().await {
            Some(Err(error)) => Err(Error::unavailable(error)),
            _ => Ok(()),
        }
    }

    fn path(&self, key: BlobKey) -> Path {
        self.prefix.clone().join(key.project.to_string()).join(key.upload.to_string())
    }
}

/// A blob in progress; dropping it aborts its multipart upload.
#[derive(Debug)]
pub(super) struct BucketUpload {
    bucket: Bucket,
    path: Path,
    /// The bytes received before the multipart upload started; fewer than [`PART_BYTES`].
    small: Vec<Bytes>,
    /// Started once the blob is larger than one part.
    multipart: Option<WriteMultipart>,
}

impl BucketUpload {
    pub(super) async fn write(&mut self, batch: Vec<Bytes>) -> Result<()> {
        self.small.extend(batch);
        if self.multipart.is_none() && self.small.iter().map(Bytes::len).sum::<usize>() < PART_BYTES {
            return Ok(());
        }
        let multipart = match &mut self.multipart {
            Some(multipart) => multipart,
            none => {
                let started =
                    self.bucket.store.put_multipart(&self.path).await.map_err(Error::unavailable)?;
                none.insert(WriteMultipart::new_with_chunk_size(started, PART_BYTES))
            }
        };
        for bytes in self.small.drain(..) {
            multipart.wait_for_capacity(PARTS_IN_FLIGHT).await.map_err(Error::unavailable)?;
            multipart.put(bytes);
        }
        Ok(())
    }

    pub(super) async fn commit(mut self, last: Vec<Bytes>) -> Result<()> {
        self.write(last).await?;
        let stored = match self.multipart.take() {
            Some(multipart) => multipart.finish().await,
            None => self.bucket.store.put(&self.path, self.small.drain(..).collect::<PutPayload>()).await,
        };
        stored.map(drop).map_err(Error::unavailable)
    }
}

impl Drop for BucketUpload {
    fn drop(&mut self) {
        let Some(multipart) = self.multipart.take() else {
            return;
        };
        let abort = async move {
            if let Err(error) = multipart.abort().await {
                tracing::warn!(%error, "multipart upload not aborted; the bucket expires it");
            }
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(abort);
        }
    }
}
