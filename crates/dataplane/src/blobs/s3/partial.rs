//! Blobs that arrive in pieces, in a bucket: a multipart upload, and an object of its own for the bytes that fill no
//! part yet (`<prefix>/partial/<uploadId>/<size>`).
//!
//! Parts but the last must be large, so that what arrives in small pieces has to lie somewhere else meanwhile.

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

/// Where the durable bytes of a blob are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::blobs) struct Position {
    /// The multipart upload; begun with the first full part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multipart: Option<String>,
    /// What the service calls its parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    /// The size of the blob up to which an object of its own holds what the parts don't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tail: Option<u64>,
}

/// A blob that grows. Dropped, it leaves what it had at its last checkpoint, and perhaps more that nobody knows of.
#[derive(Debug)]
pub(in crate::blobs) struct BucketPartial {
    bucket: Bucket,
    key: BlobKey,
    position: Position,
    /// The part that is being filled.
    part: Vec<Bytes>,
    part_bytes: usize,
    /// Parts on their way, by their number.
    sending: JoinSet<(usize, Result<PartId, object_store::Error>)>,
    next_part: usize,
}

impl Bucket {
    /// The blob as it was at `position`. Tails of other positions are removed.
    pub(in crate::blobs) async fn resume(&self, key: BlobKey, position: Position) -> Result<BucketPartial> {
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

    pub(in crate::blobs) async fn discard(&self, key: BlobKey, position: Position) -> Result<()> {
        // One that was completed is none any more, which services tell in different ways; and what can't be aborted
        // now, the bucket expires.
        if let Some(multipart) = position.multipart
            && let Err(error) = self.store.abort_multipart(&self.path(key), &multipart).await
        {
            tracing::debug!(%error, blob = %key, "the multipart upload of a blob was not aborted");
        }
        self.discard_tails(key.upload, None).await
    }

    /// Removes all tails of an upload but one.
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
            // A piece may be larger than what is left of a part, and than a part.
            while self.part_bytes + bytes.len() >= PART_BYTES {
                self.part.push(bytes.split_to(PART_BYTES.saturating_sub(self.part_bytes)));
                self.send_part().await?;
            }
            self.part_bytes += bytes.len();
            self.part.push(bytes);
        }
        Ok(())
    }

    /// Makes all of it durable, and says where it is.
    pub(in crate::blobs) async fn checkpoint(&mut self, last: Vec<Bytes>) -> Result<Position> {
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
                // One that was completed before its record was written takes no parts any more.
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
        // The tail stays until the upload's record says that it is done: whoever repeats this needs it.
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

    /// Waits until at most `left` parts are on their way.
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
