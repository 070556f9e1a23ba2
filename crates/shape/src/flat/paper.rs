//! Paper in a picture: with a line around it, and a shadow below.

use super::Raster;
use crate::picture::Picture;

/// The margin around paper is this part of the picture's width.
pub(super) const MARGIN: u32 = 32;
/// The line around paper is this part of the picture's width wide.
const LINE: u32 = 512;
/// A grey that is seen on light and on dark, and its share of the line.
const LINE_GREY: u32 = 128;
const LINE_SHARE: u32 = 110;
/// The share of black in the shadow where it is darkest.
const SHADOW: u64 = 90;

/// Lays a raster as paper into the middle of a picture. It is on white where it is transparent.
pub(super) fn on_paper(raster: &Raster, size_px: u32) -> Picture {
    let at = corner(raster, size_px);
    let size = (raster.width, raster.height());
    let mut pixels = transparent(size_px);
    shade(&mut pixels, size_px, at, size);
    let line = (size_px / LINE).max(1);
    let width = usize::try_from(raster.width).unwrap_or(1).max(1);
    let mut paper = raster.clone();
    for (y, row) in (0..).zip(paper.pixels.chunks_exact_mut(width)) {
        for (x, pixel) in (0..).zip(row) {
            let near = (x.min(y)).min((size.0 - 1 - x).min(size.1 - 1 - y));
            *pixel = on_white(*pixel, near < line);
        }
    }
    place(&mut pixels, size_px, &paper, at);
    Picture { size_px: u16::try_from(size_px).unwrap_or(u16::MAX), pixels }
}

/// The place of a raster's corner that is in the middle of a picture.
pub(super) fn corner(raster: &Raster, size_px: u32) -> (u32, u32) {
    (size_px.saturating_sub(raster.width) / 2, size_px.saturating_sub(raster.height()) / 2)
}

/// The pixels of a transparent picture.
pub(super) fn transparent(size_px: u32) -> Vec<[u8; 4]> {
    let edge = usize::try_from(size_px).unwrap_or(0);
    vec![[0; 4]; edge * edge]
}

/// Copies a raster into a picture.
pub(super) fn place(pixels: &mut [[u8; 4]], size_px: u32, raster: &Raster, (left, top): (u32, u32)) {
    let length = |pixels: u32| usize::try_from(pixels).unwrap_or(0);
    let rows = pixels.chunks_exact_mut(length(size_px).max(1)).skip(length(top));
    for (to, from) in rows.zip(raster.pixels.chunks_exact(length(raster.width).max(1))) {
        for (to, from) in to.iter_mut().skip(length(left)).zip(from) {
            *to = *from;
        }
    }
}

/// A soft shadow that falls from above.
fn shade(pixels: &mut [[u8; 4]], size_px: u32, (left, top): (u32, u32), (width, height): (u32, u32)) {
    let reach = u64::from(size_px / MARGIN).max(1);
    let edge = usize::try_from(size_px).unwrap_or(1).max(1);
    // Half of the way down that the shadow reaches to the sides.
    let down = size_px / MARGIN / 3;
    let beyond = |at: u32, begin: u32, length: u32| {
        let end = begin + length;
        u64::from(begin.saturating_sub(at).max((at + 1).saturating_sub(end)))
    };
    for (y, row) in (0..).zip(pixels.chunks_exact_mut(edge)) {
        for (x, pixel) in (0..).zip(row) {
            let (aside, below) = (beyond(x, left, width), beyond(y, top + down, height));
            let left_over = (reach * reach).saturating_sub(aside * aside + below * below);
            // Falls faster at first, as light does.
            let share = SHADOW * left_over * left_over / (reach * reach * reach * reach);
            *pixel = [0, 0, 0, u8::try_from(share).unwrap_or(u8::MAX)];
        }
    }
}

/// A pixel on white paper, and of the line around it.
fn on_white([red, green, blue, alpha]: [u8; 4], is_line: bool) -> [u8; 4] {
    let alpha = u32::from(alpha);
    let part = |byte: u8| {
        let white = (u32::from(byte) * alpha + 255 * (255 - alpha)) / 255;
        let lined = (white * (255 - LINE_SHARE) + LINE_GREY * LINE_SHARE) / 255;
        u8::try_from(if is_line { lined } else { white }).unwrap_or(u8::MAX)
    };
    [part(red), part(green), part(blue), 255]
}
