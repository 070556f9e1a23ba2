//! The picture of a document's first page.

use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::flaws::UnknownFilters;
use super::limits::FILE_MAX_BYTES;
use super::page::longest_side;
use super::{look_at, order, render, revised};
use crate::conversion::ConversionFailureCode;
use crate::settings::{RESOLUTIONS_DPI, Settings};

/// Points in an inch.
const POINTS: f64 = 72.0;

/// Renders the first page of a PDF as PNG, with about `side_px` pixels along its longest side. The inner error is the
/// reason for its absence.
///
/// # Errors
/// Failures of reading.
pub fn pdf_cover<R: Read + Seek>(
    mut input: R,
    side_px: u16,
    settings: &Settings,
) -> io::Result<Result<Vec<u8>, ConversionFailureCode>> {
    if input.seek(SeekFrom::End(0))? > FILE_MAX_BYTES {
        return Ok(Err(ConversionFailureCode::PdfTooLarge));
    }
    input.rewind()?;
    let mut bytes = Vec::new();
    input.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
    let filters = UnknownFilters::of(&bytes);
    let bytes = Arc::new(bytes);
    let first = look_at(&bytes, filters, |pdf| {
        let first = order::of(pdf).first().copied().unwrap_or(0);
        (first, pdf.pages().get(first).map_or(0.0, longest_side))
    });
    let (file, (first, longest)) = match first {
        Ok(first) => first,
        Err(code) => return Ok(Err(code)),
    };
    let settings = Settings {
        resolution_dpi: resolution(f64::from(side_px) * POINTS / longest),
        threads: NonZeroUsize::MIN,
        ..*settings
    };
    let mut picture = Vec::new();
    let rendered = render::render(&revised(file, &bytes), filters, vec![first], &settings, &mut picture)?;
    let page = rendered.into_iter().next().ok_or(ConversionFailureCode::PageDamaged);
    Ok(page.and_then(|page| page.image).map(|_| picture))
}

/// The nearest resolution that renders take.
#[expect(clippy::as_conversions, reason = "clamped to what the type holds; no number is the least")]
fn resolution(dpi: f64) -> u16 {
    let (least, most) = (*RESOLUTIONS_DPI.start(), *RESOLUTIONS_DPI.end());
    (dpi.clamp(f64::from(least), f64::from(most)) as u16).max(least)
}
