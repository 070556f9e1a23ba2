//! Large files, in pieces.

use client::{NewPieces, Pieces, RequestError, RequestResult};
use domain::content::upload::ObjectMap;

use super::{SendFailure, Transfer, ends_run};
use crate::failure::CommandResult;
use crate::progress::FileProgress;
use crate::upload::local::expected_state;
use crate::upload::state::files::PlannedFile;

impl Transfer {
    /// Sends a file in pieces, from where an earlier run has stopped.
    pub(super) async fn send_large(&self, file: &PlannedFile) -> CommandResult<()> {
        let _job = self.job().await;
        let progress = self.reporting.progress.file(&file.name, file.size);
        let sent = self.send_pieces(file, &progress).await;
        self.settle(file, sent.map(Into::into), &progress)
    }

    async fn send_pieces(
        &self,
        file: &PlannedFile,
        progress: &FileProgress,
    ) -> CommandResult<ObjectMap, SendFailure> {
        let state = expected_state(&file.path, file.size, file.modified);
        state.confirm().await?;
        if let Some(kept) = self.state.pieces(file)? {
            let pieces = self.session.pieces(&kept.location, &file.name).await?;
            if kept.is_current {
                match pieces.send(&state, progress).await {
                    // It has expired, or its session has ended.
                    Err(error) if error.is_not_found() => {}
                    sent => return self.end_pieces(file, &pieces, sent).await,
                }
            } else {
                pieces.cancel().await?;
            }
            self.state.remove_pieces(file)?;
        }
        let new = NewPieces {
            parent: self.object_of(file.folder, file)?,
            name: &file.name,
            size_bytes: file.size,
            key: &self.key(file),
            replaces: file.replaces,
        };
        let pieces = self.session.begin_pieces(&new).await?;
        self.state.set_pieces(file, pieces.location())?;
        let sent = pieces.send(&state, progress).await;
        self.end_pieces(file, &pieces, sent).await
    }

    /// Forgets an upload that can't go on, so that the next run begins another.
    async fn end_pieces(
        &self,
        file: &PlannedFile,
        pieces: &Pieces,
        sent: RequestResult<ObjectMap>,
    ) -> CommandResult<ObjectMap, SendFailure> {
        match sent {
            Err(error) if !ends_run(&error) => {
                self.state.remove_pieces(file)?;
                if matches!(error, RequestError::FileChanged { .. }) {
                    // Not cancelled, it expires. The reason is what the user needs to know.
                    drop(pieces.cancel().await);
                }
                Err(error.into())
            }
            sent => Ok(sent?),
        }
    }
}
