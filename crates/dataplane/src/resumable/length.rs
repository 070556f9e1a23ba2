//! The length of an upload, which its client may tell with a later piece.

use domain::content::upload::FILE_MAX_BYTES;
use domain::{Result, Rule};
use store::content::resumable;
use store::{StartedUpload, Tx};

use super::destination::UploadPermission;
use super::{Turn, headers};
use crate::size_limit::too_large;

impl<P: UploadPermission> Turn<'_, P> {
    /// True if the upload is to be attached and no more bytes are expected from clients.
    pub(super) fn has_all_bytes(&self) -> bool {
        !self.record.is_partial && self.record.length_bytes == Some(self.record.offset_bytes)
    }

    /// The largest offset.
    pub(super) fn limit_bytes(&self) -> u64 {
        self.record.length_bytes.unwrap_or(FILE_MAX_BYTES)
    }

    /// Records the length that the client tells with a piece.
    pub(super) async fn set_length(&mut self, length_bytes: u64) -> Result<()> {
        match self.record.length_bytes {
            Some(known) if known == length_bytes => return Ok(()),
            Some(_) => return Err(headers::invalid(headers::LENGTH, Rule::State, "is known already")),
            None if length_bytes > FILE_MAX_BYTES => return Err(too_large()),
            None if length_bytes < self.record.offset_bytes => {
                return Err(headers::invalid(
                    headers::LENGTH,
                    Rule::Minimum(self.record.offset_bytes.into()),
                    "must not be below the offset",
                ));
            }
            None => {}
        }
        let set = async |tx: &mut Tx, upload: &StartedUpload<P>| {
            resumable::set_length(tx, upload, self.writer, length_bytes).await
        };
        self.app.store.mutate(self.call, self.at, set).await?;
        self.record.length_bytes = Some(length_bytes);
        Ok(())
    }
}
