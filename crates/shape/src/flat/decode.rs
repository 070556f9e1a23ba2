//! Images of foreign files: decoded within limits, made smaller, turned as they are meant, and in the colours of sRGB.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, GenericImageView, ImageDecoder, ImageError, ImageReader, Limits, RgbaImage};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::resample::scaled;
use super::{Raster, fitting};

/// Largest file of an image, in bytes; it is held in memory.
pub const FILE_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Most pixels of an image.
const PIXELS_MAX: u64 = 100_000_000;
/// Most bytes of a decoded image.
const DECODED_MAX: u64 = 512 * 1024 * 1024;

/// Why an image is not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlatError {
    /// The image is too large.
    #[error("The image is too large to be drawn.")]
    TooLarge,
    /// The image can't be read.
    #[error("The image is damaged, or of a kind that can't be drawn.")]
    Damaged,
}

/// Decodes an image, for a square with such an edge. No memory is taken before its size is known.
pub(super) fn decode(file: &[u8], edge: u32) -> Result<Raster, FlatError> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED_MAX);
    let mut reader =
        ImageReader::new(Cursor::new(file)).with_guessed_format().map_err(|_| FlatError::Damaged)?;
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| reason(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PIXELS_MAX || decoder.total_bytes() > DECODED_MAX {
        return Err(FlatError::TooLarge);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten();
    let decoded = DynamicImage::from_decoder(decoder).map_err(|error| reason(&error))?;
    let rows = (0..height).map(|y| (0..width).map(|x| decoded.get_pixel(x, y).0).collect::<Vec<[u8; 4]>>());
    let mut small = scaled(rows, (width, height), fitting(width, height, edge));
    if let Some(pixels) = profile.and_then(|profile| in_srgb(&profile, &small.pixels)) {
        small.pixels = pixels;
    }
    turned(small, orientation).ok_or(FlatError::Damaged)
}

fn reason(error: &ImageError) -> FlatError {
    match error {
        ImageError::Limits(_) => FlatError::TooLarge,
        _ => FlatError::Damaged,
    }
}

/// Pixels of a colour profile in sRGB. `None` for profiles that are damaged, or of another space than the pixels: those of
/// CMYK were left when the file was decoded.
fn in_srgb(profile: &[u8], pixels: &[[u8; 4]]) -> Option<Vec<[u8; 4]>> {
    let profile = ColorProfile::new_from_slice(profile).ok()?;
    if profile.color_space != DataColorSpace::Rgb {
        return None;
    }
    let (layout, options) = (Layout::Rgba, TransformOptions::default());
    let transform = profile.create_transform_8bit(layout, &ColorProfile::new_srgb(), layout, options).ok()?;
    let mut converted = vec![[0; 4]; pixels.len()];
    transform.transform(pixels.as_flattened(), converted.as_flattened_mut()).ok()?;
    for (to, from) in converted.iter_mut().zip(pixels) {
        to[3] = from[3];
    }
    Some(converted)
}

/// The image as its camera was held.
fn turned(raster: Raster, orientation: Orientation) -> Option<Raster> {
    let (width, height) = (raster.width, raster.height());
    let image = RgbaImage::from_raw(width, height, raster.pixels.into_flattened())?;
    let mut image = DynamicImage::ImageRgba8(image);
    image.apply_orientation(orientation);
    let width = image.width();
    let (pixels, _) = image.as_rgba8()?.as_raw().as_chunks::<4>();
    Some(Raster { width, pixels: pixels.to_vec() })
}
