//! Smaller and larger images: by Catmull and Rom's cubic, in linear light, with alpha multiplied in. Rows come one by one,
//! so a large image is never held a second time.

use super::Raster;

/// Half of the width of the cubic, in pixels of the coarser grid.
const SUPPORT: f32 = 2.0;

/// The samples of a source that a target's pixel is made of: the first one, and their weights.
struct Taps {
    first: u32,
    weights: Vec<f32>,
}

/// Scales an image, whose rows have `width` pixels.
pub(super) fn scaled(
    rows: impl Iterator<Item = Vec<[u8; 4]>>,
    (width, height): (u32, u32),
    (to_width, to_height): (u32, u32),
) -> Raster {
    let (columns, lines) = (taps(width, to_width), taps(height, to_height));
    let linear: Vec<f32> = (0..=u8::MAX).map(|byte| decoded(f32::from(byte) / 255.0)).collect();
    let length = |pixels: u32| usize::try_from(pixels).unwrap_or(0);
    let mut sums = vec![[0.0_f32; 4]; length(to_width) * length(to_height)];
    let mut row_begins = 0_usize;
    for (y, row) in (0_u32..).zip(rows) {
        let row: Vec<[f32; 4]> = row.into_iter().map(|pixel| light(pixel, &linear)).collect();
        let narrow: Vec<[f32; 4]> = columns.iter().map(|taps| sum(&row, taps)).collect();
        // Lines begin in the order of the source.
        let is_over = |taps: &Taps| length(taps.first) + taps.weights.len() <= length(y);
        while lines.get(row_begins).is_some_and(is_over) {
            row_begins += 1;
        }
        let targets = sums.chunks_exact_mut(length(to_width).max(1));
        for (taps, target) in lines.iter().zip(targets).skip(row_begins) {
            let Some(place) = y.checked_sub(taps.first) else { break };
            let Some(weight) = taps.weights.get(length(place)) else { continue };
            for (sum, pixel) in target.iter_mut().zip(&narrow) {
                add(sum, pixel, *weight);
            }
        }
    }
    Raster { width: to_width, pixels: sums.into_iter().map(pixel).collect() }
}

/// The taps of each pixel of a line that is scaled.
fn taps(from: u32, to: u32) -> Vec<Taps> {
    let scale = number(from) / number(to.max(1));
    let coarse = scale.max(1.0);
    let reach = SUPPORT * coarse;
    (0..to)
        .map(|place| {
            let middle = (number(place) + 0.5) * scale;
            let first = whole((middle - reach).max(0.0));
            let end = whole((middle + reach).ceil()).min(from);
            let weigh = |at: u32| cubic((number(at) + 0.5 - middle) / coarse);
            let mut weights: Vec<f32> = (first..end).map(weigh).collect();
            let all: f32 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= all);
            Taps { first, weights }
        })
        .collect()
}

/// Catmull and Rom's cubic.
fn cubic(at: f32) -> f32 {
    let at = at.abs();
    if at < 1.0 {
        (1.5 * at - 2.5) * at * at + 1.0
    } else if at < 2.0 {
        ((-0.5 * at + 2.5) * at - 4.0) * at + 2.0
    } else {
        0.0
    }
}

fn sum(row: &[[f32; 4]], taps: &Taps) -> [f32; 4] {
    let mut sum = [0.0; 4];
    let own = row.iter().skip(usize::try_from(taps.first).unwrap_or(usize::MAX));
    for (pixel, weight) in own.zip(&taps.weights) {
        add(&mut sum, pixel, *weight);
    }
    sum
}

fn add(sum: &mut [f32; 4], pixel: &[f32; 4], weight: f32) {
    for (sum, part) in sum.iter_mut().zip(pixel) {
        *sum += part * weight;
    }
}

/// Linear light, with alpha multiplied in.
fn light([red, green, blue, alpha]: [u8; 4], linear: &[f32]) -> [f32; 4] {
    let share = f32::from(alpha) / 255.0;
    let part = |byte: u8| linear.get(usize::from(byte)).copied().unwrap_or(0.0) * share;
    [part(red), part(green), part(blue), share]
}

/// The pixel of a sum, which the cubic may have taken beyond black and white.
fn pixel([red, green, blue, alpha]: [f32; 4]) -> [u8; 4] {
    if alpha <= 0.0 {
        return [0; 4];
    }
    let part = |light: f32| byte(encoded((light / alpha).clamp(0.0, 1.0)));
    [part(red), part(green), part(blue), byte(alpha.min(1.0))]
}

fn decoded(share: f32) -> f32 {
    if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

fn encoded(light: f32) -> f32 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

#[expect(
    clippy::as_conversions,
    reason = "lengths in pixels are far below where this type loses whole numbers"
)]
fn number(whole: u32) -> f32 {
    whole as f32
}

#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
fn whole(number: f32) -> u32 {
    number as u32
}

#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
fn byte(share: f32) -> u8 {
    (share * 255.0 + 0.5) as u8
}
