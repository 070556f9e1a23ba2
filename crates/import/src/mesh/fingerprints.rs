//! Fingerprints of meshes: equal ones are the same shape, different ones prove nothing.
//!
//! A placement may stretch or mirror a mesh, as one cube does for plates of all sizes. Such uses are other parts, so
//! the stretch belongs to the fingerprint of a part, and turns and moves don't.

use glam::{DAffine3, DMat3};
use sha2::{Digest, Sha256};

/// Bytes of a hash that are written, as hexadecimal digits.
const WRITTEN: usize = 8;
/// Deviation from a rigid motion that the numbers of 32 bits in files make.
const RIGID: f64 = 1e-4;

/// A hash of the corners and faces of a mesh.
pub(super) type MeshHash = [u8; 32];

/// Hashes the numbers of a mesh.
#[derive(Default)]
pub(super) struct MeshHasher(Sha256);

impl MeshHasher {
    /// Adds a count or an index.
    pub(super) fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    /// Adds a point. The two zeros are one.
    pub(super) fn point(&mut self, point: [f32; 3]) {
        point.iter().for_each(|value| self.0.update((value + 0.0).to_le_bytes()));
    }

    pub(super) fn finish(self) -> MeshHash {
        self.0.finalize().into()
    }
}

/// The fingerprint of a part: its mesh, stretched as `placement` does it. That leads from the coordinates of the mesh
/// to those of the file; `ratio` is the file's unit of length in that of the mesh.
pub(super) fn of_part(mesh: &MeshHash, placement: &DAffine3, ratio: f64) -> String {
    let mut all = Sha256::new().chain_update(mesh);
    if let Some(stretch) = stretch(placement.matrix3 * ratio) {
        all.update(stretch);
    }
    all.finalize().iter().take(WRITTEN).map(|byte| format!("{byte:02x}")).collect()
}

/// The lengths and angles of stretched axes, rounded, and if they are mirrored; `None` for a rigid motion.
fn stretch(axes: DMat3) -> Option<String> {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = axes;
    let products = [x.dot(x), y.dot(y), z.dot(z), x.dot(y), y.dot(z), z.dot(x)];
    let rigid = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let is_mirrored = axes.determinant() < 0.0;
    if !is_mirrored && products.iter().zip(rigid).all(|(product, rigid)| (product - rigid).abs() < RIGID) {
        return None;
    }
    let largest = products.iter().fold(0.0_f64, |largest, product| largest.max(product.abs()));
    // Rounded to the largest, so that no noise beside it counts.
    let rounded = products.map(|product| (product / largest * 1e4).round() + 0.0);
    Some(format!("{is_mirrored} {largest:.3e} {rounded:?}"))
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DVec3};

    use super::of_part;

    #[test]
    fn turns_and_moves_keep_a_fingerprint_and_stretches_change_it() {
        let part = |placement: DAffine3| of_part(&[7; 32], &placement, 1.0);
        let plain = part(DAffine3::IDENTITY);
        let moved = DAffine3::from_translation(DVec3::X * 5.0) * DAffine3::from_rotation_y(0.3);
        assert_eq!(part(moved), plain);
        assert_eq!(part(moved * DAffine3::from_scale(DVec3::splat(1.000_001))), plain);
        let scaled = |x: f64, y: f64, z: f64| part(DAffine3::from_scale(DVec3::new(x, y, z)));
        let long = scaled(2.0, 1.0, 1.0);
        assert_eq!(part(moved * DAffine3::from_scale(DVec3::new(2.0, 1.0, 1.0))), long);
        let different =
            [plain, long, scaled(-1.0, 1.0, 1.0), scaled(2.0, 2.0, 2.0), scaled(0.001, 0.001, 0.001)];
        for (place, one) in different.iter().enumerate() {
            assert!(!different[place + 1..].contains(one), "{place}");
        }
        // A thousand millimetres of a mesh are a metre of the file.
        let metre = DAffine3::from_scale(DVec3::splat(0.001));
        assert_eq!(of_part(&[7; 32], &metre, 1000.0), different[0]);
    }
}
