//! PDF (ISO 32000): a document with what it says of itself, and its pages, each with its image and its text.
//!
//! Hayro reads and renders. It has limits of depth and no others, and a page can't be stopped once it is begun, so time
//! and memory are what the process is confined to that conversions run in; what takes too long here is given up, so
//! that what was rendered by then is kept.

mod image;
pub mod limits;
mod order;
mod outline;
mod page;
mod properties;
mod render;
mod string;
mod text;
mod xmp;

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use domain::object::Extension;
use domain::text::Name;
use file_format::FileFormat;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};
use memchr::memmem;
use serde_json::{Map, Value, json};

use self::limits::{FILE_MAX_BYTES, PAGES_MAX};
use self::render::Rendered;
use crate::conversion::{Conversion, Draft, DraftType, FailureCode};
use crate::plain;
use crate::settings::Settings;

/// Where a file's mark may begin, in bytes: some writers put other things before it.
const MARK_WITHIN: usize = 1024;

/// What a PDF begins with, itself or behind other things.
const MARK: &[u8] = b"%PDF-";

/// What a PDF ends with, and within how many bytes of its end: some writers put other things behind it, too.
const END: &[u8] = b"%%EOF";
const END_WITHIN: usize = 1024;

/// Whether a file is a PDF or is named as one. The mark behind other things says so only where these say nothing else: a
/// program may have it in a text, and an archive a PDF in itself. A name says so only where the content says nothing else.
pub(crate) fn is_pdf(extension: Option<&Extension>, head: &[u8]) -> bool {
    if begins(head) {
        return true;
    }
    let is_unknown =
        matches!(FileFormat::from_bytes(head), FileFormat::ArbitraryBinaryData | FileFormat::Empty);
    match (is_marked(head), is_named(extension)) {
        (true, true) => true,
        (true, false) => is_unknown && !plain::is_text(head),
        (false, is_named) => is_unknown && is_named,
    }
}

/// Whether a file begins as PDFs do.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.starts_with(MARK)
}

/// Whether a file ends as PDFs do. What was cut off may have been what its pages show, which then have nothing on them.
fn ends(file: &[u8]) -> bool {
    let padding = file.iter().rev().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0).count();
    let file = file.get(..file.len().saturating_sub(padding)).unwrap_or_default();
    memmem::rfind(file.get(file.len().saturating_sub(END_WITHIN)..).unwrap_or_default(), END).is_some()
}

/// Whether a file has the mark of a PDF or is named as one, whatever else it may be.
pub(crate) fn may_be_pdf(extension: Option<&Extension>, head: &[u8]) -> bool {
    is_marked(head) || is_named(extension)
}

fn is_marked(head: &[u8]) -> bool {
    memmem::find(head.get(..MARK_WITHIN).unwrap_or(head), MARK).is_some()
}

fn is_named(extension: Option<&Extension>) -> bool {
    extension.is_some_and(|known| known.as_str() == ".pdf")
}

/// A document and its pages.
///
/// # Errors
/// Whatever reading or writing fails with.
pub(crate) fn convert<R: Read + Seek>(
    name: &Name,
    media_type: &str,
    mut input: R,
    settings: &Settings,
    output: impl Write,
) -> io::Result<Conversion> {
    let failed = |code| Ok(Conversion::failed(media_type, name.clone(), code));
    if input.seek(SeekFrom::End(0))? > FILE_MAX_BYTES {
        return failed(FailureCode::PdfTooLarge);
    }
    input.rewind()?;
    let mut bytes = Vec::new();
    input.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
    let is_whole = ends(&bytes);
    let file = PdfData::from(Arc::new(bytes));
    let described = contained(|| open(&file).map(|pdf| describe(name, &pdf)));
    let (mut drafts, mut order) = match described.unwrap_or(Err(FailureCode::PdfDamaged)) {
        Ok(described) => described,
        Err(code) => return failed(code),
    };
    let is_cut = order.len() > PAGES_MAX;
    order.truncate(PAGES_MAX);
    let rendered = render::render(&file, order, settings, output)?;
    let mut complete = true;
    for (draft, page) in drafts.iter_mut().skip(1).zip(rendered) {
        complete &= page.image.is_ok();
        finish(draft, page);
    }
    if let Some(document) = drafts.first_mut() {
        if is_cut {
            document.tell("partial", FailureCode::TooManyPages);
        } else if !complete {
            document.tell("partial", FailureCode::PagesWithoutImage);
        } else if !is_whole {
            document.tell("partial", FailureCode::PdfTruncated);
        }
    }
    Conversion::new(media_type.to_owned(), drafts).map_err(io::Error::other)
}

/// Opens a file that has pages.
///
/// # Errors
/// Why it can't be opened.
fn open(file: &PdfData) -> Result<Pdf, FailureCode> {
    let pdf = Pdf::new(file.clone()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => FailureCode::PdfEncrypted,
        LoadPdfError::Decryption(_) => FailureCode::PdfEncryptionUnknown,
        LoadPdfError::Invalid => FailureCode::PdfDamaged,
    })?;
    if pdf.pages().is_empty() { Err(FailureCode::PdfWithoutPages) } else { Ok(pdf) }
}

/// What `work` gives; `None` where it panics, as a reader of what strangers wrote may.
fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    // What was worked on is not looked at again.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The document and its pages, as far as they can be told without rendering, and the order of all of these.
fn describe(name: &Name, pdf: &Pdf) -> (Vec<Draft>, Vec<usize>) {
    let order = order::of(pdf);
    let mut said = properties::of(pdf);
    said.insert("pages".to_owned(), json!(order.len()));
    let outline = outline::of(pdf, &order);
    if !outline.is_empty() {
        said.insert("outline".to_owned(), Value::Array(outline));
    }
    let mut document = Draft::new(name.clone(), DraftType::Document);
    document.data.insert("document".to_owned(), Value::Object(said));
    let page = |(number, page)| {
        let said = page::properties(page, number);
        let name = Name::sanitize(&format!("Page {number}")).unwrap_or_else(|| name.clone());
        let data = Map::from_iter([("page".to_owned(), said)]);
        Draft { parent: Some(0), data, ..Draft::new(name, DraftType::Page) }
    };
    let pages = order.iter().take(PAGES_MAX).filter_map(|place| pdf.pages().get(*place));
    let drafts = std::iter::once(document).chain((1..).zip(pages).map(page));
    (drafts.collect(), order)
}

/// Adds to a page what rendering it gave.
fn finish(draft: &mut Draft, page: Rendered) {
    if !page.text.is_empty() {
        draft.data.insert("text".to_owned(), Value::String(page.text));
    }
    match page.image {
        Ok((span, width, height)) => {
            draft.image = Some(span);
            draft.data.insert("image".to_owned(), json!({ "width": width, "height": height }));
        }
        Err(code) => draft.tell("failed", code),
    }
}
