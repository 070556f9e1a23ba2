//! Copies the images of a conversion from the worker's output file into the object store.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use domain::content::object::{Extension, FileRef};
use domain::content::upload::NewFile;
use domain::id::{ProjectId, UploadId};
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::{StreamExt, TryStreamExt};
use import::{IMAGE_MEDIA_TYPE, ImageSpan};
use tokio::task::spawn_blocking;

use crate::blobs::{BlobKey, Blobs};

/// A file name with the extension of every image.
const IMAGE_NAME: &str = "page.png";
/// Images stored concurrently; each waits for the disk or the bucket.
const AT_ONCE: usize = 8;
/// Read buffer, in bytes.
const READ_BYTES: u64 = 1024 * 1024;

/// An image in the object store.
#[derive(Debug)]
pub struct StoredImage {
    /// The reference from the object that owns it.
    pub owned: FileRef,
    /// The project's record of it.
    pub file: NewFile,
}

/// Stores the images at `spans`, in order.
///
/// # Errors
/// `UNAVAILABLE` if the object store is; the sweep removes images stored before.
pub(super) async fn store(
    blobs: &Blobs,
    project: ProjectId,
    now: Timestamp,
    images: File,
    spans: Vec<ImageSpan>,
) -> Result<Vec<StoredImage>> {
    let images = Arc::new(images);
    let stored = spans.into_iter().map(|span| {
        let (blobs, images) = (blobs.clone(), Arc::clone(&images));
        async move { store_one(&blobs, BlobKey { project, upload: UploadId::new(now) }, images, span).await }
    });
    futures_util::stream::iter(stored).buffered(AT_ONCE).try_collect().await
}

async fn store_one(blobs: &Blobs, key: BlobKey, images: Arc<File>, span: ImageSpan) -> Result<StoredImage> {
    let mut writer = blobs.create(key);
    let mut at = span.offset;
    let end = span.offset.saturating_add(span.size);
    while at < end {
        let length = usize::try_from((end - at).min(READ_BYTES)).map_err(Error::internal)?;
        let images = Arc::clone(&images);
        let bytes = spawn_blocking(move || {
            let mut bytes = vec![0; length];
            images.read_exact_at(&mut bytes, at).map(|()| bytes)
        });
        let bytes = bytes.await.map_err(Error::internal)?.map_err(Error::unavailable)?;
        at = at.saturating_add(u64::try_from(bytes.len()).map_err(Error::internal)?);
        writer.write(Bytes::from(bytes)).await?;
    }
    let stored = writer.finish().await?;
    Ok(StoredImage {
        owned: FileRef {
            sha256: stored.sha256,
            size: stored.size_bytes,
            mime_type: IMAGE_MEDIA_TYPE.to_owned(),
            extension: Extension::of_file_name(IMAGE_NAME),
            name: None,
        },
        file: NewFile { sha256: stored.sha256, size: stored.size_bytes, blob_key: key.to_string() },
    })
}
