//! Pictures of what is flat: images, pages of documents, and text.
//!
//! An image fills its picture, and stays transparent where it is. Pages and text are paper: white with a thin line around
//! it and a shadow in the transparent margin, so that they are seen on light and on dark.

mod decode;
mod font;
mod paper;
mod resample;
mod text;

#[cfg(test)]
mod tests;

use self::paper::{MARGIN, on_paper};
use self::resample::scaled;
use crate::picture::{Picture, PictureSize};

pub use self::decode::{FILE_MAX_BYTES, FlatError};

/// Most times that a small image is enlarged.
const ENLARGED_MAX: u32 = 4;

/// Something flat, at the size of the large picture.
#[derive(Debug)]
pub enum Flat {
    /// An image.
    Image(Raster),
    /// A page of a document, which is drawn as paper.
    Page(Raster),
    /// The beginning of a text, drawn at each size.
    Text {
        /// The text.
        text: String,
        /// True for source code, which has colours.
        is_code: bool,
    },
}

/// Pixels of any width and height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Width in pixels, at least 1.
    width: u32,
    /// Rows from the top, each from the left: red, green and blue in sRGB, and alpha, which isn't multiplied into them.
    pixels: Vec<[u8; 4]>,
}

impl Raster {
    /// Height in pixels.
    fn height(&self) -> u32 {
        u32::try_from(self.pixels.len()).unwrap_or(u32::MAX) / self.width.max(1)
    }
}

/// Reads an image of a known format. Of an animation it is the first frame.
///
/// # Errors
/// [`FlatError`].
pub fn image(file: &[u8]) -> Result<Flat, FlatError> {
    decode::decode(file, edge(PictureSize::Large)).map(Flat::Image)
}

/// Reads the image of a page.
///
/// # Errors
/// [`FlatError`].
pub fn page(file: &[u8]) -> Result<Flat, FlatError> {
    let large = edge(PictureSize::Large);
    decode::decode(file, large - 2 * (large / MARGIN)).map(Flat::Page)
}

impl Flat {
    /// Its picture.
    pub fn draw(&self, size: PictureSize) -> Picture {
        let size_px = edge(size);
        match self {
            Self::Image(raster) => centred(&fitted(raster, size_px), size_px),
            Self::Page(raster) => on_paper(&fitted(raster, size_px - 2 * (size_px / MARGIN)), size_px),
            Self::Text { text, is_code } => on_paper(&text::draw(text, *is_code, size_px), size_px),
        }
    }
}

/// Width and height of a picture, in pixels.
fn edge(size: PictureSize) -> u32 {
    match size {
        PictureSize::Small => 256,
        PictureSize::Large => 1024,
    }
}

/// The size of an image of this size in a square. Small images are enlarged, but not to more than their pixels tell.
fn fitting(width: u32, height: u32, edge: u32) -> (u32, u32) {
    let longest = width.max(height).max(1);
    let target = edge.min(longest.saturating_mul(ENLARGED_MAX));
    let side = |length: u32| {
        let side = u64::from(length) * u64::from(target) / u64::from(longest);
        u32::try_from(side).unwrap_or(edge).clamp(1, edge)
    };
    (side(width), side(height))
}

fn fitted(raster: &Raster, edge: u32) -> Raster {
    let size = (raster.width, raster.height());
    let target = fitting(size.0, size.1, edge);
    if size == target {
        return raster.clone();
    }
    let rows = usize::try_from(raster.width).unwrap_or(1).max(1);
    scaled(raster.pixels.chunks_exact(rows).map(<[[u8; 4]]>::to_vec), size, target)
}

/// An image in the middle of a transparent square.
fn centred(raster: &Raster, size_px: u32) -> Picture {
    let mut pixels = paper::transparent(size_px);
    paper::place(&mut pixels, size_px, raster, paper::corner(raster, size_px));
    Picture { size_px: u16::try_from(size_px).unwrap_or(u16::MAX), pixels }
}
