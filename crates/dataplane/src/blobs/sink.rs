//! The destination of a blob's batches: a file or a bucket, for an upload in one piece or in several.

use bytes::Bytes;
use domain::{Error, Result};
use tokio::task::spawn_blocking;

use super::lane::Lane;
use super::local::StagedBlob;
use super::local::partial::Partial;
use super::s3::BucketUpload;
use super::s3::partial::{BucketPartial, PartialLocation};

/// A lane into one kind of destination.
#[derive(Debug)]
pub(super) enum Sink {
    Local(Lane<StagedBlob>),
    LocalPartial(Lane<Partial>),
    S3(Lane<BucketUpload>),
    S3Partial(Lane<BucketPartial>),
}

impl Sink {
    /// Waits until the destination accepts another batch.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed on an earlier batch.
    pub(super) async fn ready(&mut self) -> Result<()> {
        match self {
            Self::Local(lane) => lane.ready().await,
            Self::LocalPartial(lane) => lane.ready().await,
            Self::S3(lane) => lane.ready().await,
            Self::S3Partial(lane) => lane.ready().await,
        }
    }

    /// Queues a batch behind the earlier ones.
    pub(super) fn push(&mut self, batch: Bytes) {
        match self {
            Self::Local(lane) => lane.push(move |mut staging| {
                staging.write(&[batch])?;
                Ok(staging)
            }),
            Self::LocalPartial(lane) => lane.push(move |mut partial| {
                partial.write(&[batch])?;
                Ok(partial)
            }),
            Self::S3(lane) => lane.push_async(async move |mut upload| {
                upload.write(vec![batch]).await?;
                Ok(upload)
            }),
            Self::S3Partial(lane) => lane.push_async(async move |mut partial| {
                partial.write(vec![batch]).await?;
                Ok(partial)
            }),
        }
    }

    /// Writes the last batch and makes the blob visible and durable.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed.
    pub(super) async fn commit(self, last: Bytes) -> Result<()> {
        match self {
            Self::Local(mut lane) => {
                let staging = lane.finish().await?;
                spawn_blocking(move || staging.commit(&[last])).await.map_err(Error::internal)?
            }
            Self::LocalPartial(mut lane) => {
                let partial = lane.finish().await?;
                spawn_blocking(move || partial.commit(&[last])).await.map_err(Error::internal)?
            }
            Self::S3(mut lane) => lane.finish().await?.commit(vec![last]).await,
            Self::S3Partial(mut lane) => lane.finish().await?.commit(vec![last]).await,
        }
    }

    /// Makes all received bytes durable; returns their position in a bucket.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed.
    pub(super) async fn checkpoint(&mut self, last: Bytes) -> Result<Option<PartialLocation>> {
        match self {
            Self::LocalPartial(lane) => {
                lane.push(move |mut partial| {
                    partial.checkpoint(&[last])?;
                    Ok(partial)
                });
                *lane = Lane::new(lane.finish().await?);
                Ok(None)
            }
            Self::S3Partial(lane) => {
                let mut partial = lane.finish().await?;
                let position = partial.checkpoint(vec![last]).await?;
                *lane = Lane::new(partial);
                Ok(Some(position))
            }
            Self::Local(_) | Self::S3(_) => Err(Error::internal("only a resumable blob has checkpoints")),
        }
    }
}
