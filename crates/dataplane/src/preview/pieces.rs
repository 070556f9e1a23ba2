//! The output of a worker that makes previews: pieces, each a length as a big-endian `u32` and JSON, and after a piece that
//! announces a file its bytes. The receiver trusts none of it.

use std::io::{self, Write};

use bytes::BytesMut;
use domain::content::preview::{DerivedFile, DerivedFormat, PreviewShape};
use sandbox::Output;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use crate::blobs::{BlobKey, Blobs};

/// Longest JSON of a piece, in bytes.
const PIECE_BYTES: u32 = 16 * 1024;
/// Read buffer, in bytes.
const READ_BYTES: usize = 256 * 1024;

/// A piece of the output.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) enum PreviewPiece {
    /// Facts about the shape, as the GLB before shows it.
    Shape(PreviewShape),
    /// A file of a part; part 0 is the whole shape.
    File { part: u32, format: DerivedFormat, size_bytes: u64 },
    /// The files so far can be shown, while more is being made.
    Stage,
    /// Why the file shows nothing, or not all.
    Failure(String),
}

/// The sending half.
pub(super) struct PieceWriter<W>(pub(super) W);

impl<W: Write> PieceWriter<W> {
    /// Sends a piece that announces no file.
    pub(super) fn send(&mut self, piece: &PreviewPiece) -> io::Result<()> {
        let json = serde_json::to_vec(piece)?;
        self.0.write_all(&u32::try_from(json.len()).map_err(io::Error::other)?.to_be_bytes())?;
        self.0.write_all(&json)?;
        self.0.flush()
    }

    /// Sends a file.
    pub(super) fn send_file(&mut self, part: u32, format: DerivedFormat, bytes: &[u8]) -> io::Result<()> {
        let size_bytes = u64::try_from(bytes.len()).map_err(io::Error::other)?;
        self.send(&PreviewPiece::File { part, format, size_bytes })?;
        self.0.write_all(bytes)?;
        self.0.flush()
    }
}

/// The next piece; `None` at the end.
pub(super) async fn receive(output: &mut Output) -> io::Result<Option<PreviewPiece>> {
    let length = match output.read_u32().await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        length => length?,
    };
    if length > PIECE_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a piece is too long"));
    }
    let mut json = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    output.read_exact(&mut json).await?;
    Ok(Some(serde_json::from_slice(&json)?))
}

/// Stores the file that a piece announced.
pub(super) async fn store(
    output: &mut Output,
    blobs: &Blobs,
    key: BlobKey,
    (part, format, size_bytes): (u32, DerivedFormat, u64),
) -> io::Result<DerivedFile> {
    let mut writer = blobs.create(key);
    let mut left = size_bytes;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(READ_BYTES).min(READ_BYTES);
        let mut buffer = BytesMut::zeroed(length);
        output.read_exact(&mut buffer).await?;
        left = left.saturating_sub(u64::try_from(length).map_err(io::Error::other)?);
        writer.write(buffer.freeze()).await.map_err(io::Error::other)?;
    }
    let stored = writer.finish().await.map_err(io::Error::other)?;
    let blob_key = key.to_string();
    Ok(DerivedFile { part, format, blob_key, size_bytes: stored.size_bytes, sha256: stored.sha256 })
}

/// A reason as a sentence.
pub(super) fn sentence(reason: &str) -> String {
    let mut letters = reason.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
