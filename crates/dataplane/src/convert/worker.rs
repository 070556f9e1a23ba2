//! The worker process that reads an untrusted file, and its output: images in pieces, then the objects.
//!
//! A piece is its length as a big-endian `u32` and its bytes. An empty piece ends the images; the conversion as JSON
//! follows to the end. The receiver trusts none of it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use domain::text::Name;
use import::Conversion;
use sandbox::{Output, WorkContext};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

/// Longest piece, in bytes.
const PIECE_BYTES: usize = 256 * 1024;
/// Longest JSON of a conversion, in bytes: enough for 100,001 objects.
pub(super) const OBJECTS_MAX_BYTES: u64 = 128 * 1024 * 1024;

/// The worker's task, sent beside the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ConversionTask {
    /// The client's name for the file.
    pub(super) name: Name,
    /// The readers' settings.
    pub(super) settings: import::Settings,
}

/// The output of a worker.
#[derive(Debug)]
pub(super) struct WorkerOutput {
    pub(super) conversion: Conversion,
    /// The concatenated images; `None` if the conversion produced no image.
    pub(super) images: Option<File>,
}

/// Converts the file passed to this process. Call it from the main thread before any other thread starts.
pub fn work() -> ExitCode {
    sandbox::work(|context| {
        let WorkContext { task, input, mut output } = context;
        let ConversionTask { name, settings } = serde_json::from_str(&task)?;
        let mut images = BufWriter::with_capacity(PIECE_BYTES, Pieces { output: &mut output });
        let conversion = import::convert(&name, input, &settings, &mut images)?;
        images.flush()?;
        drop(images);
        output.write_all(&0_u32.to_be_bytes())?;
        serde_json::to_writer(&mut output, &conversion)?;
        output.flush()
    })
}

/// A writer that splits its bytes into pieces.
struct Pieces<W> {
    output: W,
}

impl<W: Write> Write for Pieces<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = bytes.get(..PIECE_BYTES).unwrap_or(bytes);
        if !piece.is_empty() {
            self.output.write_all(&u32::try_from(piece.len()).map_err(io::Error::other)?.to_be_bytes())?;
            self.output.write_all(piece)?;
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Receives a worker's output. Images go to an unnamed temporary file, so only the objects are held in memory.
///
/// # Errors
/// The output is malformed, too large, or there is no disk space for the images.
pub(super) async fn receive(output: &mut Output) -> io::Result<WorkerOutput> {
    let mut images = None;
    let mut images_bytes = 0_u64;
    let mut piece = Vec::new();
    loop {
        let length = usize::try_from(output.read_u32().await?).map_err(io::Error::other)?;
        if length == 0 {
            break;
        }
        if length > PIECE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a piece is too long"));
        }
        piece.resize(length, 0);
        output.read_exact(&mut piece).await?;
        images_bytes = images_bytes.saturating_add(u64::try_from(length).map_err(io::Error::other)?);
        let mut file: File = match images.take() {
            Some(file) => file,
            None => tokio::task::spawn_blocking(tempfile::tempfile).await??,
        };
        let written;
        (file, piece, written) = tokio::task::spawn_blocking(move || {
            let written = file.write_all(&piece);
            (file, piece, written)
        })
        .await?;
        written?;
        images = Some(file);
    }
    // Objects are held in memory, so they have their own limit below the limit of the whole output.
    output.set_limit(output.limit().min(OBJECTS_MAX_BYTES.saturating_add(1)));
    let mut json = Vec::new();
    output.read_to_end(&mut json).await?;
    if output.limit() == 0 {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the objects are too large"));
    }
    // Up to 10^5 objects: too much for a thread that serves other requests.
    let conversion: Conversion = tokio::task::spawn_blocking(move || serde_json::from_slice(&json)).await??;
    if conversion.output_size() != images_bytes {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the images do not match the objects"));
    }
    Ok(WorkerOutput { conversion, images })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Stdio;

    use tokio::io::AsyncReadExt;
    use tokio::process::Command;

    use super::{OBJECTS_MAX_BYTES, PIECE_BYTES, Pieces, receive};

    #[test]
    fn written_bytes_are_split_into_pieces_with_their_lengths() {
        let mut sent = Vec::new();
        let mut pieces = Pieces { output: &mut sent };
        pieces.write_all(&vec![7; PIECE_BYTES + 2]).unwrap();
        pieces.write_all(&[]).unwrap();
        let first = u32::try_from(PIECE_BYTES).unwrap().to_be_bytes();
        assert_eq!(sent[..4], first);
        assert_eq!(sent[4 + PIECE_BYTES..], [0, 0, 0, 2, 7, 7]);
    }

    #[tokio::test]
    async fn the_json_of_objects_has_its_own_limit() {
        // No image, and an endless JSON text.
        let mut endless =
            Command::new("cat").arg("/dev/zero").stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut output = endless.stdout.take().unwrap().take(4 * OBJECTS_MAX_BYTES);
        let refused = receive(&mut output).await.unwrap_err();
        assert_eq!((refused.to_string().as_str(), output.limit()), ("the objects are too large", 0));
    }
}
