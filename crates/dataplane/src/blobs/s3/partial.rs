//! Resumable blobs in a bucket: a multipart upload, and a tail object for the bytes that do not fill a part yet
//! (`<prefix>/partial/<uploadId>/<size>`).
//!
//! Every part but the last must be large, so small pieces collect in the tail first.

use bytes::Bytes;
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::task::JoinSet;

use super::{Bucket, PART_BYTES, PARTS_IN_FLIGHT};
use crate::blobs::BlobKey;

/// The location of a blob's durable bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::blobs) struct PartialLocation {
    /// Id of the multipart upload, which starts with the first full part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multipart: Option<String>,
    /// The service's ids of its parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    /// The blob's size at the tail object, which holds the bytes behind the last part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tail: Option<u64>,
}

/// A growing blob. When dropped it keeps the bytes of its last checkpoint, and possibly later bytes that nothing refers to.
#[derive(Debug)]
pub(in crate::blobs) struct BucketPartial {
    bucket: Bucket,
    key: BlobKey,
    position: PartialLocation,
    /// The bytes of the next part.
    part: Vec<Bytes>,
    part_bytes: usize,
    /// Parts in flight, by number.
    sending: JoinSet<(usize, Result<PartId, object_store::Error>)>,
    next_part: usize,
}

impl Bucket {
    /// Opens the blob at `position` and removes the tails of other positions.
    pub(in crate::blobs) async fn resume(
        &self,
        key: BlobKey,
        position: PartialLocation,
    ) -> Result<BucketPartial> {
        self.discard_tails(key.upload, position.tail).await?;
        let tail = match position.tail {
            Some(size) => {
                let found = self.store.get(&self.tail(key.upload, size)).await.map_err(Error::unavailable)?;
                found.bytes().await.map_err(Error::unavailable)?
            }
            None => Bytes::new(),
        };
        Ok(BucketPartial {
            bucket: self.clone(),
            key,
            next_part: position.parts.len(),
            position,
            part_bytes: tail.len(),
            part: vec![tail],
            sending: JoinSet::new(),
        })
    }

    pub(in crate::blobs) async fn discard(&self, key: BlobKey, position: PartialLocation) -> Result<()> {
        // Services answer the abort of a completed upload in different ways. The bucket expires what stays.
        if let Some(multipart) = position.multipart
            && let Err(error) = self.store.abort_multipart(&self.path(key), &multipart).await
        {
            tracing::debug!(%error, blob = %key, "multipart upload not aborted");
        }
        self.discard_tails(key.upload, None).await
    }

    /// Removes all tails of an upload except `kept`.
    pub(in crate::blobs) async fn discard_tails(&self, upload: UploadId, kept: Option<u64>) -> Result<()> {
        let kept = kept.map(|size| self.tail(upload, size));
        let tails: Vec<_> = self
            .store
            .list(Some(&self.tails(upload)))
            .map_ok(|object| object.location)
            .try_collect()
            .await
            .map_err(Error::unavailable)?;
        for tail in tails.iter().filter(|tail| Some(*tail) != kept.as_ref()) {
            match self.store.delete(tail).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(Error::unavailable(error)),
            }
        }
        Ok(())
    }

    pub(in crate::blobs) fn partial_older(&self, time: Timestamp) -> BoxStream<'static, Result<UploadId>> {
        let folder = self.prefix.clone().join("partial");
        let prefix = folder.clone();
        let upload_of = move |object: object_store::ObjectMeta| {
            let modified = OffsetDateTime::from_unix_timestamp(object.last_modified.timestamp()).ok()?;
            let old = Timestamp::from(modified) < time;
            let upload = object.location.prefix_match(&prefix)?.next()?.as_ref().parse().ok()?;
            old.then_some(upload)
        };
        self.store
            .list(Some(&folder))
            .map_err(Error::unavailable)
            .try_filter_map(move |object| std::future::ready(Ok(upload_of(object))))
            .boxed()
    }

    fn tails(&self, upload: UploadId) -> Path {
        self.prefix.clone().join("partial").join(upload.to_string())
    }

    fn tail(&self, upload: UploadId, size: u64) -> Path {
        self.tails(upload).join(size.to_string())
    }
}

impl BucketPartial {
    pub(in crate::blobs) async fn write(&mut self, batch: Vec<Bytes>) -> Result<()> {
        for mut bytes in batch {
            // A piece may be larger than the room in the current part, or than a whole part.
            while self.part_bytes + bytes.len() >= PART_BYTES {
                self.part.push(bytes.split_to(PART_BYTES.saturating_sub(self.part_bytes)));
                self.send_part().await?;
            }
            self.part_bytes += bytes.len();
            self.part.push(bytes);
        }
        Ok(())
    }

    /// Makes all bytes durable and returns their position.
    pub(in crate::blobs) async fn checkpoint(&mut self, last: Vec<Bytes>) -> Result<PartialLocation> {
        self.write(last).await?;
        self.await_parts(0).await?;
        self.position.tail = None;
        if self.part_bytes > 0 {
            let size = self.position.parts.len().saturating_mul(PART_BYTES).saturating_add(self.part_bytes);
            let size = u64::try_from(size).map_err(Error::internal)?;
            let tail: PutPayload = self.part.iter().cloned().collect();
            let path = self.bucket.tail(self.key.upload, size);
            self.bucket.store.put(&path, tail).await.map_err(Error::unavailable)?;
            self.position.tail = Some(size);
        }
        Ok(self.position.clone())
    }

    pub(in crate::blobs) async fn commit(mut self, last: Vec<Bytes>) -> Result<()> {
        self.write(last).await?;
        let path = self.bucket.path(self.key);
        match self.position.multipart.clone() {
            None => {
                let whole: PutPayload = std::mem::take(&mut self.part).into_iter().collect();
                self.bucket.store.put(&path, whole).await.map_err(Error::unavailable)?;
            }
            Some(multipart) => {
                // A repeated commit finds the blob already complete; its multipart upload accepts no parts.
                if self.bucket.store.head(&path).await.is_err() {
                    if self.part_bytes > 0 {
                        self.send_part().await?;
                    }
                    self.await_parts(0).await?;
                    let parts = self.position.parts.iter().cloned();
                    let parts = parts.map(|content_id| PartId { content_id }).collect();
                    let completed = self.bucket.store.complete_multipart(&path, &multipart, parts).await;
                    completed.map_err(Error::unavailable)?;
                }
            }
        }
        // The tail stays until the upload's record is done, because a repeated commit needs it.
        Ok(())
    }

    async fn send_part(&mut self) -> Result<()> {
        self.await_parts(PARTS_IN_FLIGHT.saturating_sub(1)).await?;
        let path = self.bucket.path(self.key);
        let multipart = match &self.position.multipart {
            Some(multipart) => multipart.clone(),
            None => {
                let begun = self.bucket.store.create_multipart(&path).await.map_err(Error::unavailable)?;
                self.position.multipart.insert(begun).clone()
            }
        };
        let payload: PutPayload = std::mem::take(&mut self.part).into_iter().collect();
        self.part_bytes = 0;
        let (store, number) = (self.bucket.store.clone(), self.next_part);
        self.next_part += 1;
        self.sending.spawn(async move { (number, store.put_part(&path, &multipart, number, payload).await) });
        Ok(())
    }

    /// Waits until at most `left` parts are in flight.
    async fn await_parts(&mut self, left: usize) -> Result<()> {
        while self.sending.len() > left
            && let Some(sent) = self.sending.join_next().await
        {
            let (number, part) = sent.map_err(Error::internal)?;
            let part = part.map_err(Error::unavailable)?;
            if self.position.parts.len() <= number {
                self.position.parts.resize(number.saturating_add(1), String::new());
            }
            if let Some(place) = self.position.parts.get_mut(number) {
                *place = part.content_id;
            }
        }
        Ok(())
    }
}
