//! Packs on their way to a client: built while they are sent, or cached from an earlier request. The caller's access is
//! checked again with each piece.

use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::content::project::ProjectRef;
use domain::{Error, Result};
use futures_util::Stream;
use futures_util::stream;
use git::pkt::{self, Band};
use git::{GitObjectKind, Oid, PackWriter};
use packs::{Pack, PackKey};
use store::Call;
use store::content::clone;
use tokio::sync::mpsc;

use crate::app::App;

/// Maximum number of pieces that wait to be sent.
const PIECES_AHEAD: usize = 1;

/// The pieces of a pack, in order; an error is the last one.
pub(super) type PackChunks = mpsc::Receiver<Result<Bytes>>;

/// A pack while it is built.
struct UnfinishedPack {
    writer: PackWriter,
    /// Bytes of the pack that are not sent yet.
    unsent: Vec<u8>,
}

/// Sends a cached pack.
pub(super) fn kept(app: App, call: Call<ProjectRead>, at: ProjectRef, pack: Pack) -> PackChunks {
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    // The store's work stays on this thread.
    tokio::task::spawn_local(async move {
        for piece in pack.iter() {
            let allowed = check(&app, &call, &at).await;
            let ends = allowed.is_err();
            if sender.send(allowed.map(|()| piece.clone())).await.is_err() || ends {
                return;
            }
        }
    });
    receiver
}

/// Checks that the caller may still read the project: its credential, and its user's role.
async fn check(app: &App, call: &Call<ProjectRead>, at: &ProjectRef) -> Result<()> {
    app.store.check_credential(&call.actor).await?;
    app.store.find(call, at).await.map(drop)
}

/// Builds a pack and sends it. The next batch is loaded while the previous one is sent.
///
/// # Errors
/// `INTERNAL_ERROR` if the objects exceed the limit of a pack.
pub(super) fn made(
    app: App,
    call: Call<ProjectRead>,
    at: ProjectRef,
    key: PackKey,
    objects: Vec<Oid>,
) -> Result<PackChunks> {
    let mut packing = Some(UnfinishedPack::begin(objects.len())?);
    let mut recording = app.packs.record(key);
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    tokio::task::spawn_local(async move {
        let mut rest = objects.as_slice();
        while let Some(open) = packing.take() {
            let load = async |tx: &mut _, project: &_| clone::load(tx, project, rest).await;
            let loaded = match app.store.check_credential(&call.actor).await {
                Ok(()) => app.store.read(&call, &at, load).await,
                Err(error) => Err(error),
            };
            let packed = match loaded {
                Ok(batch) => {
                    rest = rest.get(batch.len()..).unwrap_or_default();
                    open.pack(batch, rest.is_empty()).await
                }
                Err(error) => Err(error),
            };
            let piece = packed.map(|(piece, unfinished)| {
                packing = unfinished;
                piece
            });
            recording =
                recording.zip(piece.as_ref().ok()).and_then(|(recording, piece)| recording.with(piece));
            if sender.send(piece).await.is_err() {
                return;
            }
        }
        if let Some(recording) = recording {
            recording.keep().await;
        }
    });
    Ok(receiver)
}

/// Streams a pack. If it can't be completed, Git gets a message and the log the cause.
pub(super) fn framed(pieces: PackChunks, has_side_band: bool) -> impl Stream<Item = Result<Bytes>> + Send {
    stream::unfold(Some(pieces), move |pieces| async move {
        let mut pieces = pieces?;
        Some(match pieces.recv().await {
            Some(Ok(piece)) if has_side_band => {
                let mut told = Vec::with_capacity(piece.len() + piece.len() / 1024);
                pkt::side_band(&mut told, Band::Pack, &piece);
                (Ok(told.into()), Some(pieces))
            }
            Some(Ok(piece)) => (Ok(piece), Some(pieces)),
            Some(Err(error)) => {
                tracing::warn!("error.chain" = error.chain(), "a pack was not completed");
                let mut told = Vec::new();
                pkt::side_band(&mut told, Band::Error, error.to_string().as_bytes());
                (if has_side_band { Ok(told.into()) } else { Err(error) }, None)
            }
            None if has_side_band => (Ok(Bytes::from_static(pkt::FLUSH)), None),
            None => return None,
        })
    })
}

impl UnfinishedPack {
    fn begin(objects: usize) -> Result<Self> {
        let mut unsent = Vec::new();
        let writer = PackWriter::begin(objects, &mut unsent)?;
        Ok(Self { writer, unsent })
    }

    /// Packs a batch and finishes the pack after the last one. Returns the bytes to send, and the pack if it continues.
    async fn pack(
        mut self,
        batch: Vec<(GitObjectKind, Vec<u8>)>,
        is_last: bool,
    ) -> Result<(Bytes, Option<Self>)> {
        // Compression would block the other requests of this thread.
        let packed = tokio::task::spawn_blocking(move || {
            for (kind, data) in batch {
                self.writer.object(kind, &data, &mut self.unsent)?;
            }
            let mut piece = std::mem::take(&mut self.unsent);
            if !is_last {
                return Ok((piece.into(), Some(self)));
            }
            self.writer.end(&mut piece);
            Ok((piece.into(), None))
        });
        packed.await.map_err(Error::internal)?
    }
}
