//! Parallel rendering of pages until the time or the size limit is used up.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;
use std::time::Instant;

use hayro::RenderCache;
use hayro::hayro_syntax::PdfData;
use hayro::hayro_syntax::page::Page;
use serde_json::Value;

use super::flaws::{Flaws, UnknownFilters};
use super::fonts::Fonts;
use super::limits::DOCUMENT_TEXT_MAX;
use super::text::{PageText, TextCaches};
use super::{contained, image, notes, open, page, text};
use crate::conversion::{ConversionFailureCode, ImageSpan};
use crate::settings::Settings;

/// Stack size of a thread, in bytes: forms and patterns nest to a depth of 50.
const STACK: usize = 32 * 1024 * 1024;
/// Pages after which a thread opens the file again, because its cache only grows.
const PAGES_AT_ONCE: usize = 200;

/// A page's text, and the position and size in pixels of its image, or the reason for its absence.
pub(super) struct PageResult {
    pub(super) text: String,
    /// The reason why something of it is missing.
    pub(super) flaw: Option<ConversionFailureCode>,
    /// Its notes and fields that have no appearance of their own.
    pub(super) notes: Vec<Value>,
    pub(super) image: Result<(ImageSpan, u32, u32), ConversionFailureCode>,
}

/// A PNG.
struct DrawnPage {
    file: Vec<u8>,
    width: u32,
    height: u32,
}

/// A rendered page.
struct RenderedPage {
    place: usize,
    text: String,
    flaw: Option<ConversionFailureCode>,
    notes: Vec<Value>,
    picture: Result<DrawnPage, ConversionFailureCode>,
}

/// The input of the threads.
struct PageSource {
    file: PdfData,
    filters: UnknownFilters,
    resolution_dpi: u16,
}

/// Renders the given pages in this order and writes their images to `output`. A page that hangs occupies its thread
/// until the process ends.
///
/// # Errors
/// Failures of writing or of starting threads.
pub(super) fn render(
    file: &PdfData,
    filters: UnknownFilters,
    order: Vec<usize>,
    settings: &Settings,
    mut output: impl Write,
) -> io::Result<Vec<PageResult>> {
    let slow = || PageResult {
        text: String::new(),
        flaw: None,
        notes: Vec::new(),
        image: Err(ConversionFailureCode::PageTooSlow),
    };
    let order: Arc<[usize]> = order.into();
    let mut pages: Vec<PageResult> = std::iter::repeat_with(slow).take(order.len()).collect();
    let deadline = Instant::now() + settings.render_time;
    let threads = settings.threads.get().min(order.len());
    let (sender, receiver) = sync_channel(threads);
    let next = Arc::new(AtomicUsize::new(0));
    for thread in 0..threads {
        let (file, order, next, sender, resolution) =
            (file.clone(), Arc::clone(&order), Arc::clone(&next), sender.clone(), settings.resolution_dpi);
        let source = PageSource { file, filters, resolution_dpi: resolution };
        let draw = move || while render_batch(&source, &order, &next, &sender) {};
        match Builder::new().name("page".to_owned()).stack_size(STACK).spawn(draw) {
            Err(error) if thread == 0 => return Err(error),
            // Continue with fewer threads.
            Err(_) => break,
            Ok(_) => {}
        }
    }
    drop(sender);
    let (mut written, mut letters) = (0_u64, 0);
    // Ends as well once all threads have ended.
    while let Ok(RenderedPage { place, text, flaw, notes, picture }) =
        receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()))
    {
        let Some(page) = pages.get_mut(place) else { continue };
        (page.flaw, page.notes) = (flaw, notes);
        letters += text.len();
        if letters <= DOCUMENT_TEXT_MAX {
            page.text = text;
        }
        page.image = match picture {
            Ok(DrawnPage { file, width, height }) => {
                let span = ImageSpan { offset: written, size: u64::try_from(file.len()).unwrap_or(u64::MAX) };
                if span.size > settings.output_max_bytes.saturating_sub(written) {
                    Err(ConversionFailureCode::PageImagesTooLarge)
                } else {
                    output.write_all(&file)?;
                    written += span.size;
                    Ok((span, width, height))
                }
            }
            Err(code) => Err(code),
        };
    }
    output.flush()?;
    Ok(pages)
}

/// Renders pending pages until the file has to be opened again; returns true if pages are left.
fn render_batch(
    source: &PageSource,
    order: &[usize],
    next: &AtomicUsize,
    sender: &SyncSender<RenderedPage>,
) -> bool {
    let opened = contained(|| open(&source.file));
    let opened = opened.and_then(Result::ok);
    let mut caches: HashMap<Fonts, RenderCache<'_>> = HashMap::new();
    let text_caches = TextCaches::default();
    for _ in 0..PAGES_AT_ONCE {
        let place = next.fetch_add(1, Ordering::Relaxed);
        let Some(read) = order.get(place) else { return false };
        let page = opened.as_ref().and_then(|pdf| pdf.pages().get(*read));
        let read = page.and_then(|page| contained(|| text::of(page, &text_caches)));
        let PageText { mut text, letters } = read.unwrap_or_default();
        let (fonts, flaws) = (letters.fonts(), Flaws::default());
        let cache = caches.entry(fonts).or_default();
        let picture = page
            .and_then(|page| contained(|| draw(page, cache, fonts, source.resolution_dpi, &flaws)).flatten());
        let notes = page.and_then(|page| contained(|| notes::of(page))).unwrap_or_default();
        let broken = picture.is_none();
        let picture = picture.ok_or(ConversionFailureCode::PageDamaged);
        text.push_str(&notes.undrawn_text);
        let text = text.trim_start().to_owned();
        let is_packed = page.is_some_and(|page| contained(|| source.filters.concern(page)).unwrap_or(true));
        let flaw = match flaws.code() {
            _ if is_packed => Some(ConversionFailureCode::PageFilterUnknown),
            _ if letters.is_incomplete() => Some(ConversionFailureCode::PageLettersUnknown),
            None if notes.are_undrawn => Some(ConversionFailureCode::PageNotesUndrawn),
            other => other,
        };
        let notes = notes.list;
        if sender.send(RenderedPage { place, text, flaw, notes, picture }).is_err() {
            return false;
        }
        // A panic may leave a broken state.
        if broken {
            break;
        }
    }
    true
}

fn draw<'a>(
    page: &'a Page<'a>,
    cache: &RenderCache<'a>,
    fonts: Fonts,
    resolution_dpi: u16,
    flaws: &Flaws,
) -> Option<DrawnPage> {
    let pixmap = page::render(page, cache, fonts, resolution_dpi, flaws)?;
    let file = image::encode(&pixmap).ok()?;
    Some(DrawnPage { file, width: u32::from(pixmap.width()), height: u32::from(pixmap.height()) })
}
