//! Pictures of scenes: isometric views from the front, the right and above, on a transparent ground.
//!
//! A picture is made in five steps, by one thread. The work has limits that no file can move.
//!
//! 1. The bounds of the content say where each mesh is in the picture (`view`). The largest are drawn first. Boxes
//!    stand in for meshes that are as small as a pixel, and for those that are too many.
//! 2. Triangles are cut into rows of samples, 16 or 4 to a pixel (`triangle`). A sample keeps the depth, the normal and
//!    the paint of its nearest face (`canvas`, `palette`). A transparent face has only some samples of each pixel, so
//!    that faces need no order.
//! 3. Edges mark the samples where no face hides them (`paint`), and a line of one pixel is drawn around all faces.
//! 4. Light falls on the samples that are left: a key light, a fill light, and light from all sides (`light`). It falls
//!    on the side that the viewer sees. Edges darken light faces, and lighten dark ones.
//! 5. A pixel has the mean light of its samples, encoded as sRGB, and their share as its alpha. Edges without a face
//!    behind them have a colour that is seen on white and on black.
//!
//! No library does this: `tiny-skia` has no depth, `euc` has had no release for years, and `retrofire` has its own
//! vectors and pipeline. Their part would be the rows of triangles, which are short.

mod canvas;
mod light;
mod number;
mod paint;
mod palette;
mod triangle;
mod view;

#[cfg(test)]
mod tests;

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use self::canvas::Canvas;
use crate::scene::Scene;

/// Extent in pixels below which a mesh is drawn as its box.
const BOX_BELOW: f32 = 2.0;
/// Extent in pixels below which a mesh is drawn without its edges, which would hide its faces.
const EDGES_FROM: f32 = 16.0;
/// Triangles and segments that are drawn before all further meshes are boxes.
const DETAILS_MAX: usize = 4_000_000;
/// Size in pixels up to which edges are one pixel wide. They are wider in larger pictures, but grow less than those.
const THIN: f32 = 256.0;

/// The sizes of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureSize {
    /// 256 × 256 pixels.
    Small,
    /// 1,024 × 1,024 pixels.
    Large,
}

/// A square picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its width and its height, in pixels.
    pub size_px: u16,
    /// Rows from the top, each from the left: red, green and blue in sRGB, and alpha, which isn't multiplied into them.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Encodes it as PNG.
    ///
    /// # Errors
    /// Failures of writing into memory, which no picture causes.
    pub fn png(&self) -> Result<Vec<u8>, EncodingError> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, u32::from(self.size_px), u32::from(self.size_px));
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        // A sixth of the default's time, for a fifth more bytes.
        encoder.set_deflate_compression(DeflateCompression::Level(2));
        encoder.set_filter(Filter::Up);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(file)
    }
}

/// Draws a scene, or only one of its nodes and all below it, where they stand in the scene. `None` if nothing is to be
/// seen, or there is no such node.
pub fn draw(scene: &Scene, node: Option<usize>, size: PictureSize) -> Option<Picture> {
    match size {
        PictureSize::Small => draw_sampled(scene, node, Canvas::new(256, 4)),
        PictureSize::Large => draw_sampled(scene, node, Canvas::new(1024, 2)),
    }
}

/// Draws on an empty canvas.
fn draw_sampled(scene: &Scene, node: Option<usize>, mut canvas: Canvas) -> Option<Picture> {
    let pixel = f32::from(canvas.grid);
    let (mut details, mut with_edges) = (0_usize, Vec::new());
    for placed in view::place(scene, node, canvas.side()) {
        if placed.extent < BOX_BELOW * pixel || details > DETAILS_MAX {
            paint::stand_in(&mut canvas, &placed);
            continue;
        }
        paint::faces(&mut canvas, &placed);
        let (triangles, segments) = (placed.mesh.triangles(), placed.mesh.edges.segments.len());
        details = details.saturating_add(triangles).saturating_add(segments);
        if placed.extent >= EDGES_FROM * pixel || triangles == 0 {
            with_edges.push(placed);
        }
    }
    let width = (f32::from(canvas.size) / THIN).sqrt().max(1.0) * pixel;
    for placed in with_edges {
        paint::edges(&mut canvas, &placed, width);
    }
    canvas.outline();
    let (size_px, pixels) = (canvas.size, canvas.pixels());
    pixels.iter().any(|[.., alpha]| *alpha > 0).then_some(Picture { size_px, pixels })
}
