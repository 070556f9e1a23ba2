//! Size and picture of a page.

use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use serde_json::{Value, json};

use super::flaws::Flaws;
use super::fonts::Fonts;
use super::limits::{PIXELS_MAX, SIDE_MAX};
use crate::settings::RESOLUTIONS_DPI;

/// Points in an inch.
const POINTS: f64 = 72.0;

/// The properties of a page: its number, its label, and its displayed size in points.
pub(super) fn properties(page: &Page<'_>, number: usize, label: Option<String>) -> Value {
    let (width, height) = size(page);
    let rounded = |points: f64| (points * 1000.0).round() / 1000.0;
    let mut properties = json!({ "number": number, "width": rounded(width), "height": rounded(height) });
    if let (Some(label), Some(fields)) = (label, properties.as_object_mut()) {
        fields.insert("label".to_owned(), Value::String(label));
    }
    properties
}

/// Renders a page on white, in the largest size within resolution and limits, and tells `flaws`; `None` if its size is invalid.
pub(super) fn render<'a>(
    page: &'a Page<'a>,
    cache: &RenderCache<'a>,
    fonts: Fonts,
    resolution_dpi: u16,
    flaws: &Flaws,
) -> Option<Pixmap> {
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    let scale = scale(
        width,
        height,
        f64::from(resolution_dpi.clamp(*RESOLUTIONS_DPI.start(), *RESOLUTIONS_DPI.end())) * user_unit(page),
    )?;
    let mut context = RenderContext::new(pixels(width * scale), pixels(height * scale));
    let transform = Affine::scale(scale) * page.initial_transform(true).to_kurbo();
    let settings = (fonts.settings(flaws.sink()), RenderSettings::default());
    render_into(page, cache, &settings.0, &settings.1, &mut context, transform);
    context.flush();
    let mut pixmap = Pixmap::new(context.width(), context.height());
    let target =
        RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    context.render_with(&mut pixmap, &mut Resources::default(), target);
    Some(pixmap)
}

/// The longer side of a page as it is displayed, in points.
pub(super) fn longest_side(page: &Page<'_>) -> f64 {
    let (width, height) = size(page);
    width.max(height)
}

/// Displayed width and height of a page, in points.
fn size(page: &Page<'_>) -> (f64, f64) {
    let (width, height) = page.render_dimensions();
    (f64::from(width) * user_unit(page), f64::from(height) * user_unit(page))
}

/// Points per unit of the page: 1, except on very large pages.
fn user_unit(page: &Page<'_>) -> f64 {
    let unit = page.raw().get::<f32>("UserUnit").map(f64::from);
    unit.filter(|unit| unit.is_finite() && *unit > 0.0).unwrap_or(1.0)
}

/// Pixels per unit of a page of this size.
fn scale(width: f64, height: f64, resolution_dpi: f64) -> Option<f64> {
    let side = f64::from(SIDE_MAX);
    let area = (f64::from(PIXELS_MAX) / (width * height)).sqrt();
    let scale = (resolution_dpi / POINTS).min(side / width).min(side / height).min(area);
    (scale.is_finite() && scale > 0.0).then_some(scale)
}

/// Rounds a length up to whole pixels, at least one.
#[expect(clippy::as_conversions, reason = "clamped to what the type holds")]
fn pixels(length: f64) -> u16 {
    // Tolerates rounding errors in a whole number of pixels.
    (length - 1e-3).ceil().clamp(1.0, f64::from(SIDE_MAX)) as u16
}
