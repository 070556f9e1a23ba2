//! Blobs in a bucket of an S3-compatible service: `<prefix>/<projectId>/<uploadId>`.
//!
//! A small blob is one request; a larger one is a multipart upload that is aborted when its writer fails or is
//! dropped. What a killed process leaves of one is invisible until a rule of the bucket expires it.

pub(in crate::blobs) mod partial;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, MultipartUpload, ObjectStore, ObjectStoreExt,
    PutPayload, RetryConfig,
};
use time::OffsetDateTime;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::BlobKey;

/// Size of a part of a multipart upload. All but the last have exactly this size, which some services demand.
const PART_BYTES: usize = 8 * 1024 * 1024;

/// Parts of one upload that are on their way at a time: hides the service's latency, bounds the memory.
const PARTS_IN_FLIGHT: usize = 3;

/// A bucket and how to reach it.
#[derive(Clone, Debug)]
pub struct BucketSettings {
    /// Name of the bucket.
    pub bucket: String,
    /// What the names of all blobs begin with; may be empty.
    pub prefix: String,
    /// URL of the service; absent for Amazon's own.
    pub endpoint: Option<String>,
    /// Region.
    pub region: String,
    /// Static credentials; absent where the environment has others (a role of the machine).
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
    /// The bucket that `settings` name. Makes no request.
    ///
    /// # Errors
    /// The settings make no sense.
    pub fn open(settings: &BucketSettings) -> Result<Self, object_store::Error> {
        // No limit on a whole request: a download lasts as long as its client wants. Silence is limited.
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
        BucketUpload {
            bucket: self.clone(),
            path: self.path(key),
            part: Vec::new(),
            part_bytes: 0,
            multipart: None,
            parts: JoinSet::new(),
        }
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

/// A blob on its way into a bucket; dropping it aborts it.
#[derive(Debug)]
pub(super) struct BucketUpload {
    bucket: Bucket,
    path: Path,
    /// The part that is being filled.
    part: Vec<Bytes>,
    part_bytes: usize,
    /// Begun with the first full part.
    multipart: Option<Box<dyn MultipartUpload>>,
    parts: JoinSet<Result<(), object_store::Error>>,
}

impl BucketUpload {
    pub(super) async fn write(&mut self, batch: Vec<Bytes>) -> Result<()> {
        for mut bytes in batch {
            let room = PART_BYTES.saturating_sub(self.part_bytes);
            if bytes.len() >= room {
                self.part.push(bytes.split_to(room));
                self.send_part().await?;
            }
            self.part_bytes += bytes.len();
            self.part.push(bytes);
        }
        Ok(())
    }

    pub(super) async fn commit(mut self, last: Vec<Bytes>) -> Result<()> {
        self.write(last).await?;
        if self.multipart.is_none() {
            let whole: PutPayload = std::mem::take(&mut self.part).into_iter().collect();
            let put = self.bucket.store.put(&self.path, whole).await;
            return put.map(|_| ()).map_err(Error::unavailable);
        }
        if self.part_bytes > 0 {
            self.send_part().await?;
        }
        while let Some(sent) = self.parts.join_next().await {
            sent.map_err(Error::internal)?.map_err(Error::unavailable)?;
        }
        if let Some(multipart) = &mut self.multipart {
            multipart.complete().await.map_err(Error::unavailable)?;
        }
        self.multipart = None;
        Ok(())
    }

    async fn send_part(&mut self) -> Result<()> {
        while self.parts.len() >= PARTS_IN_FLIGHT
            && let Some(sent) = self.parts.join_next().await
        {
            sent.map_err(Error::internal)?.map_err(Error::unavailable)?;
        }
        let multipart = match &mut self.multipart {
            Some(multipart) => multipart,
            none => {
                none.insert(self.bucket.store.put_multipart(&self.path).await.map_err(Error::unavailable)?)
            }
        };
        self.parts.spawn(multipart.put_part(std::mem::take(&mut self.part).into_iter().collect()));
        self.part_bytes = 0;
        Ok(())
    }
}

impl Drop for BucketUpload {
    fn drop(&mut self) {
        let Some(mut multipart) = self.multipart.take() else {
            return;
        };
        let mut parts = std::mem::take(&mut self.parts);
        let abort = async move {
            parts.shutdown().await;
            if let Err(error) = multipart.abort().await {
                tracing::warn!(error = %error, "an upload to the bucket could not be aborted; the bucket expires it");
            }
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(abort);
        }
    }
}
