//! The worker process that reads an untrusted archive, and its output: a frame for each item, and one for the end.
//!
//! A frame is a letter, the length of its content as a big-endian `u32`, and the content. The receiver trusts none of it.

use std::io::{self, Write};
use std::process::ExitCode;

use bytes::Bytes;
use domain::{Error, Result};
use import::archive::{ArchiveFault, ArchiveItem, ENTRIES_MAX, SkipReason, UnpackError, unpack};
use sandbox::{Output, WorkContext};
use tokio::io::AsyncReadExt;

/// Longest content of a frame, in bytes.
const FRAME_BYTES: usize = 64 * 1024;

const FOLDER: u8 = b'D';
const FILE: u8 = b'F';
const BYTES: u8 = b'B';
const END: u8 = b'E';
const DAMAGED: u8 = b'X';
/// The path of an entry that is left out; a frame with the reason follows.
const SKIPPED: u8 = b'S';
/// An entry that the sender's system has left.
const LEFTOVER: u8 = b'L';
/// A reason, as JSON.
const REASON: u8 = b'R';
/// The end of the archive: empty, or the fault as JSON.
const DONE: u8 = b'Z';

/// An item of an archive as the worker sends it. Its path is still to be checked.
#[derive(Debug)]
pub enum UnpackedItem {
    /// A folder.
    Folder(String),
    /// A file begins.
    File(String),
    /// The file's next bytes.
    Bytes(Bytes),
    /// The file is complete.
    End,
    /// The file is damaged, and ends here.
    Damaged,
    /// An entry that is left out.
    Skipped(String, SkipReason),
    /// An entry that the sender's system has left.
    Leftover,
}

/// Unpacks the archive passed to this process. Call it from the main thread before any other thread starts.
pub fn work() -> ExitCode {
    sandbox::work(|context| {
        let WorkContext { input, mut output, .. } = context;
        let fault = match unpack(input, &mut |item| write(&mut output, item)) {
            Ok(()) => Vec::new(),
            Err(UnpackError::Refused(fault)) => serde_json::to_vec(&fault)?,
            Err(UnpackError::Receiver(error)) => return Err(error),
        };
        frame(&mut output, DONE, &fault)?;
        output.flush()
    })
}

fn write(output: &mut impl Write, item: ArchiveItem<'_>) -> io::Result<()> {
    match item {
        ArchiveItem::Folder(path) => frame(output, FOLDER, path.as_bytes()),
        ArchiveItem::File(path) => frame(output, FILE, path.as_bytes()),
        ArchiveItem::Bytes(bytes) => frame(output, BYTES, bytes),
        ArchiveItem::End => frame(output, END, &[]),
        ArchiveItem::Damaged => frame(output, DAMAGED, &[]),
        ArchiveItem::Leftover => frame(output, LEFTOVER, &[]),
        ArchiveItem::Skipped(path, reason) => {
            frame(output, SKIPPED, path.as_bytes())?;
            frame(output, REASON, &serde_json::to_vec(&reason)?)
        }
    }
}

fn frame(output: &mut impl Write, kind: u8, content: &[u8]) -> io::Result<()> {
    // Only a path can be longer, and no path of this length is accepted.
    let content = content.get(..FRAME_BYTES).unwrap_or(content);
    output.write_all(&[kind])?;
    output.write_all(&u32::try_from(content.len()).map_err(io::Error::other)?.to_be_bytes())?;
    output.write_all(content)
}

/// Passes the items of a worker to `take`, up to the end that it tells. Returns the fault of the archive, if any.
///
/// # Errors
/// `INTERNAL_ERROR` if the output is malformed; those of `take`.
pub(super) async fn receive(
    output: &mut Output,
    take: &mut impl AsyncFnMut(UnpackedItem) -> Result<()>,
) -> Result<Option<ArchiveFault>> {
    let mut entries = 0;
    let mut skipped = None;
    loop {
        let (kind, content) = next(output).await.map_err(Error::internal)?;
        if matches!(kind, FOLDER | FILE | SKIPPED | LEFTOVER) {
            entries += 1;
            if entries > ENTRIES_MAX {
                return Ok(Some(ArchiveFault::TooManyEntries));
            }
        }
        let path = || String::from_utf8_lossy(&content).into_owned();
        let item = match kind {
            FOLDER => UnpackedItem::Folder(path()),
            FILE => UnpackedItem::File(path()),
            BYTES => UnpackedItem::Bytes(content),
            END => UnpackedItem::End,
            DAMAGED => UnpackedItem::Damaged,
            LEFTOVER => UnpackedItem::Leftover,
            SKIPPED => {
                skipped = Some(path());
                continue;
            }
            REASON => {
                let reason = serde_json::from_slice(&content).map_err(Error::internal)?;
                UnpackedItem::Skipped(skipped.take().unwrap_or_default(), reason)
            }
            DONE if content.is_empty() => return Ok(None),
            DONE => return serde_json::from_slice(&content).map(Some).map_err(Error::internal),
            _ => return Err(Error::internal("an unknown frame of a worker")),
        };
        take(item).await?;
    }
}

async fn next(output: &mut Output) -> io::Result<(u8, Bytes)> {
    let kind = output.read_u8().await?;
    let length = usize::try_from(output.read_u32().await?).map_err(io::Error::other)?;
    if length > FRAME_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut content = vec![0; length];
    output.read_exact(&mut content).await?;
    Ok((kind, content.into()))
}
