//! The worker's part for what is flat: documents, pages, images and texts, of which there are pictures alone.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use domain::content::preview::{DerivedFormat, PreviewKind};
use shape::flat::{self, FILE_MAX_BYTES, Flat, FlatError};
use shape::picture::PictureSize;

use super::pieces::{PieceWriter, PreviewPiece, sentence};
use super::task::PreviewTask;

/// Longest side of a document's first page when it is rendered, in pixels: twice that of its picture.
const COVER_PX: u16 = 1_920;

/// Reads the file and sends its pictures; nothing for a file with nothing to see.
pub(super) fn make<W: Write>(task: &PreviewTask, input: File, sent: &mut PieceWriter<W>) -> io::Result<()> {
    let flat = match read(task, input)? {
        Ok(Some(flat)) => flat,
        Ok(None) => return Ok(()),
        Err(reason) => return sent.send(&PreviewPiece::Failure(reason)),
    };
    for (format, size) in
        [(DerivedFormat::SmallPicture, PictureSize::Small), (DerivedFormat::LargePicture, PictureSize::Large)]
    {
        let is_wanted = task.only.is_none_or(|(_, wanted)| wanted == format);
        if is_wanted {
            sent.send_file(0, format, &flat.draw(size).png().map_err(io::Error::other)?)?;
        }
    }
    Ok(())
}

/// Reads what is seen of the file; the inner error is the reason for its absence, as a sentence.
fn read(task: &PreviewTask, mut input: File) -> io::Result<Result<Option<Flat>, String>> {
    let read = match task.kind {
        // Drawn by another function.
        PreviewKind::Shape => return Ok(Ok(None)),
        PreviewKind::Text => {
            let head = import::text_head(&task.name, &mut input)?;
            return Ok(Ok(head.map(|head| Flat::Text { text: head.text, is_code: head.is_code })));
        }
        PreviewKind::Document => match import::pdf_cover(&mut input, COVER_PX, &task.readers)? {
            Ok(page) => flat::page(&page),
            Err(code) => return Ok(Err(sentence(&code.to_string()))),
        },
        PreviewKind::Page => bytes(&mut input)?.and_then(|file| flat::page(&file)),
        PreviewKind::Image => bytes(&mut input)?.and_then(|file| flat::image(&file)),
    };
    Ok(read.map(Some).map_err(|error| error.to_string()))
}

/// The bytes of an image, if it isn't too large.
fn bytes(input: &mut File) -> io::Result<Result<Vec<u8>, FlatError>> {
    if input.seek(SeekFrom::End(0))? > FILE_MAX_BYTES {
        return Ok(Err(FlatError::TooLarge));
    }
    input.rewind()?;
    let mut bytes = Vec::new();
    input.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}
