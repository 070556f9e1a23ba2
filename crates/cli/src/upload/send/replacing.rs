//! Small files that replace those of objects.

use client::{FileBody, FileUpload};
use domain::content::upload::ObjectMap;

use super::{SendFailure, Transfer};
use crate::failure::CommandResult;
use crate::progress::FileProgress;
use crate::upload::local::expected_state;
use crate::upload::state::files::PlannedFile;

impl Transfer {
    /// Replaces the file of an object by a request of its own.
    pub(super) async fn send_replacing(&self, file: &PlannedFile) -> CommandResult<()> {
        let _job = self.job().await;
        let permit = self.singles.permit().await;
        let pressure = self.session.client().backpressure();
        let progress = self.reporting.progress.file(&file.name, file.size);
        let sent = self.replace(file, &progress).await;
        permit.report(self.session.client().backpressure() > pressure, true);
        drop(permit);
        self.settle(file, sent.map(Into::into), &progress)
    }

    async fn replace(
        &self,
        file: &PlannedFile,
        progress: &FileProgress,
    ) -> CommandResult<ObjectMap, SendFailure> {
        let Some(object) = file.replaces else {
            return Err(crate::failure::CommandFailure::local("replace a file", "it has no object").into());
        };
        let state = expected_state(&file.path, file.size, file.modified);
        state.confirm().await?;
        let new =
            FileUpload { name: file.name.clone(), body: FileBody::Path(state), key: Some(self.key(file)) };
        Ok(self.session.replace(object, &new, progress).await?)
    }
}
