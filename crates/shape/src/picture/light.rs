//! Light on faces, and the encodings of colours.
//!
//! Directions are those of samples: x to the right, y down, and z away from the viewer.

use glam::Vec3A;

use super::number::{byte, whole};
use crate::scene::Colour;

/// Colour of faces that have none in their file.
pub(super) const NEUTRAL: Vec3A = Vec3A::new(0.47, 0.51, 0.57);
/// The least of a colour: no form shows on black.
const DARKEST: Vec3A = Vec3A::splat(0.03);

/// Direction to the key light, above on the left, of length 1.
const KEY: Vec3A = Vec3A::new(-0.45, -0.60, -0.66);
const KEY_LIGHT: Vec3A = Vec3A::new(0.61, 0.60, 0.57);
/// Direction to the fill light, on the right.
const FILL: Vec3A = Vec3A::new(0.64, 0.12, -0.76);
const FILL_LIGHT: Vec3A = Vec3A::new(0.12, 0.13, 0.15);
/// Light from all sides.
const AMBIENT: Vec3A = Vec3A::new(0.245, 0.25, 0.26);
/// How much more of it comes from above, and less from below.
const SKY: f32 = 0.06;
/// Halfway between the key light and the viewer: faces of this direction reflect it.
const GLOSS: Vec3A = Vec3A::new(-0.247, -0.329, -0.911);
const GLOSS_LIGHT: f32 = 0.12;
/// The exponent of the gloss, as a power of two.
const GLOSS_SQUARES: usize = 5;

/// A direction towards the viewer, to two thirds of a degree: the half of an octahedron, laid out as a square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedNormal([u8; 2]);

impl PackedNormal {
    /// Packs a direction of any length. One away from the viewer becomes the nearest that isn't.
    #[inline]
    pub(super) fn new(direction: Vec3A) -> Self {
        let (x, y, z) = (direction.x, direction.y, direction.z.min(0.0));
        let length = (x.abs() + y.abs() - z) * 2.0;
        Self([x + y, x - y].map(|place| byte(place / length + 0.5)))
    }

    /// The direction, of length 1.
    pub(super) fn direction(self) -> Vec3A {
        let [sum, difference] = self.0.map(|place| f32::from(place) / 255.0 - 0.5);
        let (x, y) = (sum + difference, sum - difference);
        Vec3A::new(x, y, x.abs() + y.abs() - 1.0).normalize()
    }
}

/// Light of a face with this normal of length 1.
pub(super) fn lit(colour: Vec3A, normal: Vec3A) -> Vec3A {
    let lambert = KEY_LIGHT * normal.dot(KEY).max(0.0) + FILL_LIGHT * normal.dot(FILL).max(0.0);
    let gloss = (0..GLOSS_SQUARES).fold(normal.dot(GLOSS).max(0.0), |gloss, _| gloss * gloss);
    colour * (AMBIENT - SKY * normal.y + lambert) + GLOSS_LIGHT * gloss
}

/// The colour as a picture shows it.
pub(super) fn rgb(colour: Colour) -> Vec3A {
    Vec3A::from_array(colour.rgb).max(DARKEST).min(Vec3A::ONE)
}

/// From linear light to sRGB, by looking it up.
pub(super) struct SrgbTable(Vec<u8>);

impl SrgbTable {
    /// Steps from black to white: enough for the darkest, which are the finest.
    const STEPS: u16 = 4095;

    /// Computes the table.
    pub(super) fn new() -> Self {
        let encode = |step: u16| {
            let value = f32::from(step) / f32::from(Self::STEPS);
            byte(if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 })
        };
        Self((0..=Self::STEPS).map(encode).collect())
    }

    /// Encodes a colour. Light above 1 is white.
    pub(super) fn encode(&self, light: Vec3A) -> [u8; 3] {
        let steps = light.min(Vec3A::ONE) * f32::from(Self::STEPS) + 0.5;
        steps.to_array().map(|step| self.0.get(usize::from(whole(step))).copied().unwrap_or(u8::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::{PackedNormal, SrgbTable, Vec3A};
    use crate::scene::Colour;

    #[test]
    fn every_srgb_value_survives_linear_light() {
        let table = SrgbTable::new();
        for value in 0..=u8::MAX {
            let colour = Colour::from_srgb([f32::from(value) / 255.0; 3], 1.0);
            assert_eq!(table.encode(Vec3A::from_array(colour.rgb)), [value; 3]);
        }
        assert_eq!(table.encode(Vec3A::new(-1.0, 2.0, f32::INFINITY)), [0, 255, 255]);
    }

    #[test]
    fn packed_normals_are_right_to_two_thirds_of_a_degree() {
        for step in 0..2000_u16 {
            // A spiral over the half that faces the viewer.
            let (turn, height) = (f32::from(step) * 2.4, f32::from(step) / 2000.0);
            let (sin, cos) = turn.sin_cos();
            let radius = (1.0 - height * height).sqrt();
            let normal = Vec3A::new(radius * cos, radius * sin, -height);
            let unpacked = PackedNormal::new(normal * 3.0).direction();
            assert!(unpacked.is_normalized() && unpacked.angle_between(normal) < 0.67_f32.to_radians());
        }
        let from_behind = PackedNormal::new(Vec3A::new(0.6, 0.0, 0.8)).direction();
        assert!(from_behind.z <= 0.0 && from_behind.x > 0.99);
    }
}
