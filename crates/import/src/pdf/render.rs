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
    /// True if letters of it are unknown.
    pub(super) lacks_letters: bool,
    /// Its notes and fields that have no appearance.
    pub(super) notes: Vec<Value>,
    pub(super) image: Result<(ImageSpan, u32, u32), ConversionFailureCode>,
}

/// A PNG.
struct Picture {
    file: Vec<u8>,
    width: u32,
    height: u32,
}

/// A rendered page.
struct RenderedPage {
    place: usize,
    text: String,
    lacks_letters: bool,
    notes: Vec<Value>,
    picture: Result<Picture, ConversionFailureCode>,
}

/// Renders the given pages in this order and writes their images to `output`. A page that hangs occupies its thread
/// until the process ends.
///
/// # Errors
/// Failures of writing or of starting threads.
pub(super) fn render(
    file: &PdfData,
    order: Vec<usize>,
    settings: &Settings,
    mut output: impl Write,
) -> io::Result<Vec<PageResult>> {
    let slow = || PageResult {
        text: String::new(),
        lacks_letters: false,
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
        let draw = move || while render_batch(&file, &order, &next, resolution, &sender) {};
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
    while let Ok(RenderedPage { place, text, lacks_letters, notes, picture }) =
        receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()))
    {
        let Some(page) = pages.get_mut(place) else { continue };
        (page.lacks_letters, page.notes) = (lacks_letters, notes);
        letters += text.len();
        if letters <= DOCUMENT_TEXT_MAX {
            page.text = text;
        }
        page.image = match picture {
            Ok(Picture { file, width, height }) => {
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
    file: &PdfData,
    order: &[usize],
    next: &AtomicUsize,
    resolution_dpi: u16,
    sender: &SyncSender<RenderedPage>,
) -> bool {
    let opened = contained(|| open(file));
    let opened = opened.and_then(Result::ok);
    let mut caches: HashMap<Fonts, RenderCache<'_>> = HashMap::new();
    let text_caches = TextCaches::default();
    for _ in 0..PAGES_AT_ONCE {
        let place = next.fetch_add(1, Ordering::Relaxed);
        let Some(read) = order.get(place) else { return false };
        let page = opened.as_ref().and_then(|pdf| pdf.pages().get(*read));
        let read = page.and_then(|page| contained(|| text::of(page, &text_caches)));
        let PageText { text, letters } = read.unwrap_or_default();
        let fonts = letters.fonts();
        let cache = caches.entry(fonts).or_default();
        let picture = page.and_then(|page| contained(|| draw(page, cache, fonts, resolution_dpi)).flatten());
        let notes = page.and_then(|page| contained(|| notes::undrawn(page)));
        let broken = picture.is_none();
        let picture = picture.ok_or(ConversionFailureCode::PageDamaged);
        let lacks_letters = letters.is_incomplete();
        let notes = notes.unwrap_or_default();
        if sender.send(RenderedPage { place, text, lacks_letters, notes, picture }).is_err() {
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
) -> Option<Picture> {
    let pixmap = page::render(page, cache, fonts, resolution_dpi)?;
    let file = image::encode(&pixmap).ok()?;
    Some(Picture { file, width: u32::from(pixmap.width()), height: u32::from(pixmap.height()) })
}
