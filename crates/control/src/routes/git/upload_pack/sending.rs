//! Packs on their way to a client: made of objects while they are sent, or kept from an earlier time. The caller's access is
//! checked anew with each piece.

use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::project::ProjectRef;
use domain::{Error, Result};
use futures_util::Stream;
use futures_util::stream;
use git::pkt::{self, Band};
use git::{GitObjectKind, Oid, PackWriter};
use store::Call;
use store::content::clone;
use tokio::sync::mpsc;

use crate::app::App;
use crate::packs::{Pack, PackKey};

/// Pieces that may wait to be sent.
const PIECES_AHEAD: usize = 1;

/// The pieces of a pack, in their order; none follows an error.
pub(super) type Pieces = mpsc::Receiver<Result<Bytes>>;

/// A pack in the making.
struct Packing {
    writer: PackWriter,
    /// Bytes of the pack that have not been sent.
    unsent: Vec<u8>,
}

/// Sends a pack that is kept.
pub(super) fn kept(app: App, call: Call<ProjectRead>, at: ProjectRef, pack: Pack) -> Pieces {
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    // On this thread, as all work of the store.
    tokio::task::spawn_local(async move {
        for piece in pack.iter() {
            let allowed = app.store.read(&call, &at, async |_, _| Ok(())).await;
            let ends = allowed.is_err();
            if sender.send(allowed.map(|()| piece.clone())).await.is_err() || ends {
                return;
            }
        }
    });
    receiver
}

/// Makes a pack of objects and sends it; the next are loaded while the last are being taken.
///
/// # Errors
/// `INTERNAL_ERROR` where no pack can hold as many.
pub(super) fn made(
    app: App,
    call: Call<ProjectRead>,
    at: ProjectRef,
    key: PackKey,
    objects: Vec<Oid>,
) -> Result<Pieces> {
    let mut packing = Some(Packing::begin(objects.len())?);
    let mut recording = app.packs.record(key);
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    tokio::task::spawn_local(async move {
        let mut rest = objects.as_slice();
        while let Some(open) = packing.take() {
            let load = async |tx: &mut _, project: &_| clone::load(tx, project, rest).await;
            let packed = match app.store.read(&call, &at, load).await {
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

/// A pack as it travels. Where it can't be completed, Git is told so, and what is wrong is logged.
pub(super) fn framed(pieces: Pieces, has_side_band: bool) -> impl Stream<Item = Result<Bytes>> + Send {
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

impl Packing {
    fn begin(objects: usize) -> Result<Self> {
        let mut unsent = Vec::new();
        let writer = PackWriter::begin(objects, &mut unsent)?;
        Ok(Self { writer, unsent })
    }

    /// Packs a batch, and ends the pack where it is the last; returns what is to be sent, and the pack where it goes on.
    async fn pack(
        mut self,
        batch: Vec<(GitObjectKind, Vec<u8>)>,
        is_last: bool,
    ) -> Result<(Bytes, Option<Self>)> {
        // Compression may take a while, and others wait for this thread.
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
