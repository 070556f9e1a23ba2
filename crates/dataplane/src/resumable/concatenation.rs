//! Uploads that join the bytes of partial ones. The bytes are read once more, because their hash follows their order.

use domain::{Code, Error, Result};
use futures_util::StreamExt;
use store::content::resumable::UploadRecord;
use store::content::resumable::parts::{self, ATTACHED_PARTS_SECS, UploadPart};
use store::{StartedUpload, Tx};

use super::Turn;
use super::destination::UploadPermission;
use crate::blobs::BlobKey;
use crate::blobs::resumable::ResumableWriter;
use crate::resumable::unchecked::Unchecked;

impl<P: UploadPermission> Turn<'_, P> {
    /// Appends the bytes of the upload's parts that are not in the writer yet; nothing for an upload without parts.
    pub(super) async fn join_parts(&self, mut writer: ResumableWriter) -> Result<ResumableWriter> {
        if self.record.parts.is_none() || Some(writer.size_bytes()) == self.record.length_bytes {
            return Ok(writer);
        }
        let mut skipped_bytes = writer.size_bytes();
        let mut unchecked = Unchecked::start();
        for part in self.parts().await? {
            if skipped_bytes >= part.size_bytes {
                skipped_bytes -= part.size_bytes;
                continue;
            }
            let blob = BlobKey { project: self.grant.project, upload: part.id };
            let checkpoint = serde_json::from_value(part.checkpoint).map_err(Error::internal)?;
            // Only a complete blob can be read. A repeat finds it complete.
            self.app.blobs.resume(blob, &checkpoint, None).await?.finish().await?;
            let mut bytes = self.app.blobs.read(blob, skipped_bytes..part.size_bytes).await?;
            skipped_bytes = 0;
            while let Some(chunk) = bytes.next().await {
                let chunk = chunk?;
                unchecked.add(u64::try_from(chunk.len()).map_err(Error::internal)?);
                writer.write(chunk).await?;
                self.progress.set_received(writer.size_bytes());
                if unchecked.is_due() {
                    self.checkpoint(&mut writer).await?;
                    unchecked = Unchecked::start();
                }
            }
        }
        if Some(writer.size_bytes()) != self.record.length_bytes {
            return Err(Error::new(Code::NotFound, "A part of the upload has expired or was cancelled."));
        }
        self.checkpoint(&mut writer).await?;
        Ok(writer)
    }

    /// Removes the bytes of an attached upload's parts. Their records expire soon.
    pub(super) async fn remove_parts(&self) {
        if self.record.parts.is_none() {
            return;
        }
        let removed = async {
            for part in self.parts().await? {
                let blob = BlobKey { project: self.grant.project, upload: part.id };
                let checkpoint = serde_json::from_value(part.checkpoint).map_err(Error::internal)?;
                self.app.blobs.discard(blob, &checkpoint).await?;
                self.app.blobs.delete(blob).await?;
            }
            let expire = async |tx: &mut Tx, upload: &StartedUpload<P>| {
                parts::expire(tx, upload, ATTACHED_PARTS_SECS).await
            };
            self.app.store.mutate(self.call, self.at, expire).await
        };
        if let Err(error) = removed.await {
            tracing::warn!(%error, upload = %self.record.id, "parts of an upload not removed; the sweep removes them");
        }
    }

    async fn parts(&self) -> Result<Vec<UploadPart>> {
        let list = async |tx: &mut Tx, upload: &StartedUpload<P>| parts::list(tx, upload).await;
        self.app.store.mutate(self.call, self.at, list).await
    }
}

/// Requires that clients send the upload's bytes.
///
/// # Errors
/// `FORBIDDEN` for an upload that joins others: the status that the protocol prescribes.
pub(super) fn require_own_bytes(record: &UploadRecord) -> Result<()> {
    if record.parts.is_none() {
        return Ok(());
    }
    Err(Error::new(Code::Forbidden, "The bytes of this upload are those of its parts."))
}
