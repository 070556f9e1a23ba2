//! PDF (ISO 32000): a document with its properties, and its pages with their images and texts.
//!
//! Hayro reads and renders. It only limits depth, and rendering of a page can't be interrupted, so the sandbox limits
//! time and memory. A timeout here keeps the pages that were rendered before.

mod appearance;
pub mod cover;
mod encryption;
mod flaws;
mod fonts;
mod image;
mod labels;
mod layers;
pub mod limits;
mod notes;
mod order;
mod outline;
mod page;
mod points;
mod properties;
mod redrawing;
mod render;
mod revision;
mod string;
mod text;
mod xmp;

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use domain::content::object::{CONVERSION, Extension};
use domain::text::Name;
use file_format::FileFormat;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};
use memchr::memmem;
use serde_json::{Map, Value, json};

use self::flaws::UnknownFilters;
use self::limits::{FILE_MAX_BYTES, PAGES_MAX};
use self::render::PageResult;
use crate::conversion::{Conversion, ConversionFailureCode, DraftObject, DraftType};
use crate::plain;
use crate::settings::Settings;

/// Bytes within which the signature begins; some writers put other data before it.
const MARK_WITHIN: usize = 1024;

/// The signature of a PDF.
const MARK: &[u8] = b"%PDF-";

/// The end marker of a PDF, and the bytes at the end within which it is found; some writers append other data.
const END: &[u8] = b"%%EOF";
const END_WITHIN: usize = 1024;

/// True for a PDF, by signature or name. A signature after other data, or a name, counts only if the content has no
/// other known type: a program may contain the signature as text, and an archive a PDF.
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

/// True if the file begins with the signature.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.starts_with(MARK)
}

/// True if the file ends with the end marker. Pages of a truncated file may lack their content.
fn ends(file: &[u8]) -> bool {
    let padding = file.iter().rev().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0).count();
    let file = file.get(..file.len().saturating_sub(padding)).unwrap_or_default();
    memmem::rfind(file.get(file.len().saturating_sub(END_WITHIN)..).unwrap_or_default(), END).is_some()
}

/// True if the file has the signature or name of a PDF, even if it is of another type.
pub(crate) fn may_be_pdf(extension: Option<&Extension>, head: &[u8]) -> bool {
    is_marked(head) || is_named(extension)
}

fn is_marked(head: &[u8]) -> bool {
    memmem::find(head.get(..MARK_WITHIN).unwrap_or(head), MARK).is_some()
}

fn is_named(extension: Option<&Extension>) -> bool {
    extension.is_some_and(|known| known.as_str() == ".pdf")
}

/// Converts a document and its pages.
///
/// # Errors
/// Failures of reading or writing.
pub(crate) fn convert<R: Read + Seek>(
    name: &Name,
    media_type: &str,
    mut input: R,
    settings: &Settings,
    output: impl Write,
) -> io::Result<Conversion> {
    let failed = |code| Ok(Conversion::failed(media_type, name.clone(), code));
    if input.seek(SeekFrom::End(0))? > FILE_MAX_BYTES {
        return failed(ConversionFailureCode::PdfTooLarge);
    }
    input.rewind()?;
    let mut bytes = Vec::new();
    input.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
    let is_whole = ends(&bytes);
    let filters = UnknownFilters::of(&bytes);
    let bytes = Arc::new(bytes);
    let (file, (mut drafts, mut order)) = match look_at(&bytes, filters, |pdf| describe(name, pdf)) {
        Ok(seen) => seen,
        Err(code) => return failed(code),
    };
    let is_cut = order.len() > PAGES_MAX;
    order.truncate(PAGES_MAX);
    let file = revised(file, &bytes);
    let rendered = render::render(&file, filters, order, settings, output)?;
    let (mut has_images, mut is_complete) = (true, true);
    for (draft, page) in drafts.iter_mut().skip(1).zip(rendered) {
        has_images &= page.image.is_ok();
        finish(draft, page);
        is_complete &= !draft.data.contains_key(CONVERSION);
    }
    if let Some(document) = drafts.first_mut() {
        if is_cut {
            document.set_outcome("partial", ConversionFailureCode::TooManyPages);
        } else if !has_images {
            document.set_outcome("partial", ConversionFailureCode::PagesWithoutImage);
        } else if !is_complete {
            document.set_outcome("partial", ConversionFailureCode::PagesIncomplete);
        } else if !is_whole {
            document.set_outcome("partial", ConversionFailureCode::PdfTruncated);
        }
    }
    Conversion::new(media_type.to_owned(), drafts).map_err(io::Error::other)
}

/// Looks at a document, decrypted where that needs no password; returns it with what was seen.
///
/// # Errors
/// The reason why it can't be opened.
fn look_at<T>(
    bytes: &Arc<Vec<u8>>,
    filters: UnknownFilters,
    look: impl Fn(&Pdf) -> T,
) -> Result<(PdfData, T), ConversionFailureCode> {
    let is_encrypted = encryption::is_encrypted(bytes);
    let mut file = PdfData::from(Arc::clone(bytes));
    let mut opened = contained(|| open(&file).map(|pdf| look(&pdf)));
    if is_encrypted
        && !matches!(opened, Some(Ok(_)))
        && let Some(Some(plain)) = contained(|| encryption::without(bytes))
    {
        file = PdfData::from(Arc::new(plain));
        opened = contained(|| open(&file).map(|pdf| look(&pdf)));
    }
    match opened.unwrap_or(Err(ConversionFailureCode::PdfDamaged)) {
        Ok(seen) => Ok((file, seen)),
        // What can't be read of an encrypted file is not known to be damaged.
        Err(ConversionFailureCode::PdfDamaged | ConversionFailureCode::PdfWithoutPages) if is_encrypted => {
            Err(ConversionFailureCode::PdfEncryptionUnknown)
        }
        Err(ConversionFailureCode::PdfDamaged | ConversionFailureCode::PdfWithoutPages)
            if filters != UnknownFilters::None =>
        {
            Err(ConversionFailureCode::PdfFilterUnknown)
        }
        Err(code) => Err(code),
    }
}

/// The file with what is drawn otherwise than hayro draws it.
fn revised(file: PdfData, bytes: &[u8]) -> PdfData {
    if encryption::is_encrypted(bytes) {
        return file;
    }
    let drawn = contained(|| redrawing::revise(&open(&file).ok()?, bytes));
    drawn.flatten().map_or(file, |revised| PdfData::from(Arc::new(revised)))
}

/// Opens a file with pages.
///
/// # Errors
/// The reason why it can't be opened.
fn open(file: &PdfData) -> Result<Pdf, ConversionFailureCode> {
    let pdf = Pdf::new(file.clone()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => ConversionFailureCode::PdfEncrypted,
        LoadPdfError::Decryption(_) => ConversionFailureCode::PdfEncryptionUnknown,
        LoadPdfError::Invalid => ConversionFailureCode::PdfDamaged,
    })?;
    if pdf.pages().is_empty() { Err(ConversionFailureCode::PdfWithoutPages) } else { Ok(pdf) }
}

/// Runs `work`; `None` if it panics, which a reader of untrusted files may.
fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    // The state is not used after a panic.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Drafts of the document and its pages without rendering, and the order of the pages.
fn describe(name: &Name, pdf: &Pdf) -> (Vec<DraftObject>, Vec<usize>) {
    let order = order::of(pdf);
    let mut properties = properties::of(pdf);
    properties.insert("pages".to_owned(), json!(order.len()));
    let outline = outline::of(pdf, &order);
    if !outline.is_empty() {
        properties.insert("outline".to_owned(), Value::Array(outline));
    }
    let mut document = DraftObject::new(name.clone(), DraftType::Document);
    document.data.insert("document".to_owned(), Value::Object(properties));
    let mut labels = labels::of(pdf, order.len().min(PAGES_MAX)).into_iter();
    let page = |(number, page)| {
        let label = labels.next().filter(|label| !label.is_empty());
        let properties = page::properties(page, number, label);
        let name = Name::sanitize(&format!("Page {number}")).unwrap_or_else(|| name.clone());
        let data = Map::from_iter([("page".to_owned(), properties)]);
        DraftObject { parent: Some(0), data, ..DraftObject::new(name, DraftType::Page) }
    };
    let pages = order.iter().take(PAGES_MAX).filter_map(|place| pdf.pages().get(*place));
    let drafts = std::iter::once(document).chain((1..).zip(pages).map(page));
    (drafts.collect(), order)
}

/// Adds the result of rendering to a page.
fn finish(draft: &mut DraftObject, page: PageResult) {
    if !page.text.is_empty() {
        draft.data.insert("text".to_owned(), Value::String(page.text));
    }
    if !page.notes.is_empty() {
        draft.data.insert("notes".to_owned(), Value::Array(page.notes));
    }
    match page.image {
        Ok((span, width, height)) => {
            draft.image = Some(span);
            draft.data.insert("image".to_owned(), json!({ "width": width, "height": height }));
            if let Some(flaw) = page.flaw {
                draft.set_outcome("partial", flaw);
            }
        }
        Err(code) => draft.set_outcome("failed", code),
    }
}
