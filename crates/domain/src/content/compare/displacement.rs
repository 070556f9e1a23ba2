//! The displacement of an object in its assembly, from its placements in two states.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Rounding errors of a placement: of directions, and of lengths in the unit of the file.
const ROUNDING: f64 = 1e-6;
/// Rounding errors of lengths as a share of them. Files far from their origin have fewer digits behind the point.
const RELATIVE_ROUNDING: f64 = 1e-9;
/// Steps of 1 in the numbers of a displacement.
const STEPS: f64 = 1e6;
/// Largest error of an axis that counts as rigid.
const RIGID: f64 = 1e-5;

type PlacementVector = [f64; 3];

/// The way of an object that stands elsewhere in its assembly, rounded to 10⁻⁶.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Displacement {
    /// Shift along X, Y and Z of its assembly.
    pub shift: [f64; 3],
    /// Length of the shift.
    pub distance: f64,
    /// Unit of both, by its name in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Its turn, from 0 to 180.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_degrees: Option<f64>,
}

/// The difference of an object's placements in two states.
#[derive(Clone, Debug, PartialEq)]
pub enum PlacementChange {
    /// The same place, but for rounding errors.
    Rounding,
    /// Another place; without a displacement if one of the placements is absent or unreadable.
    Moved(Option<Displacement>),
}

/// The rows of a placement: from a part's coordinates to those of its assembly.
struct PlacementMatrix {
    rows: [PlacementVector; 3],
    origin: PlacementVector,
}

impl PlacementChange {
    /// Compares the placements in the data of two states. A file that was written in another unit is the same place.
    pub fn between(base: &Map<String, Value>, head: &Map<String, Value>) -> Self {
        let (Some(before), Some(after)) = (PlacementMatrix::read(base), PlacementMatrix::read(head)) else {
            return if base.get("placement") == head.get("placement") {
                Self::Rounding
            } else {
                Self::Moved(None)
            };
        };
        let before = before.in_unit(ratio_of_units(base, head));
        if before.is_near(&after) {
            return Self::Rounding;
        }
        Self::Moved(before.displacement_to(&after, unit_of(head)))
    }
}

impl PlacementMatrix {
    fn read(data: &Map<String, Value>) -> Option<Self> {
        let [x, y, z, ..] = data.get("placement")?.as_array()?.as_slice() else { return None };
        let [(x, a), (y, b), (z, c)] = [row(x)?, row(y)?, row(z)?];
        Some(Self { rows: [x, y, z], origin: [a, b, c] })
    }

    /// The same placement with lengths in another unit, of which `ratio` are in the present one.
    fn in_unit(self, ratio: f64) -> Self {
        Self { origin: self.origin.map(|length| length * ratio), ..self }
    }

    fn is_near(&self, other: &Self) -> bool {
        let mut directions = self.rows.iter().flatten().zip(other.rows.iter().flatten());
        let mut lengths = self.origin.iter().zip(&other.origin);
        directions.all(|(one, other)| (one - other).abs() <= ROUNDING)
            && lengths.all(|(one, other)| {
                let size = one.abs().max(other.abs());
                (one - other).abs() <= ROUNDING.max(RELATIVE_ROUNDING * size)
            })
    }

    /// The way to another placement; `None` for lengths beyond all measure.
    fn displacement_to(&self, other: &Self, unit: Option<&str>) -> Option<Displacement> {
        let ([a, b, c], [x, y, z]) = (self.origin, other.origin);
        let shift = [x - a, y - b, z - c].map(tidy);
        let distance = tidy(shift.into_iter().fold(0.0, f64::hypot));
        // The placement of a part with another unit than its assembly has a scale.
        let has_scale = (other.scale() - 1.0).abs() > RIGID;
        distance.is_finite().then(|| Displacement {
            shift,
            distance,
            unit: unit.filter(|_| !has_scale).map(str::to_owned),
            turn_degrees: self.turn_to(other).map(tidy),
        })
    }

    /// The angle between two placements in degrees; `None` if they differ by more than a rotation.
    fn turn_to(&self, other: &Self) -> Option<f64> {
        let scale = self.scale();
        let is_mirrored = (self.determinant() > 0.0) != (other.determinant() > 0.0);
        let is_rigid = self.is_rigid() && other.is_rigid();
        if is_mirrored || !is_rigid || (scale - other.scale()).abs() > RIGID * scale {
            return None;
        }
        // The rotation that leads from one to the other has these rows.
        let [x, y, z] = other.rows.map(|row| self.rows.map(|before| dot(row, before) / (scale * scale)));
        let ([xx, xy, xz], [yx, yy, yz], [zx, zy, zz]) = (x, y, z);
        let axis = [zy - yz, xz - zx, yx - xy];
        Some(dot(axis, axis).sqrt().atan2(xx + yy + zz - 1.0).to_degrees())
    }

    /// True if its axes are perpendicular to each other and of one length.
    fn is_rigid(&self) -> bool {
        let (scale, [x, y, z]) = (self.scale(), self.rows);
        let square = scale * scale;
        let is_square = |row: PlacementVector| (dot(row, row) / square - 1.0).abs() <= RIGID;
        let are_apart =
            |one: PlacementVector, other: PlacementVector| dot(one, other).abs() <= RIGID * square;
        scale > 0.0
            && [x, y, z].map(is_square) == [true; 3]
            && are_apart(x, y)
            && are_apart(y, z)
            && are_apart(z, x)
    }

    fn scale(&self) -> f64 {
        self.determinant().abs().cbrt()
    }

    fn determinant(&self) -> f64 {
        let [x, [a, b, c], [d, e, f]] = self.rows;
        dot(x, [b * f - c * e, c * d - a * f, a * e - b * d])
    }
}

/// A direction's coordinate of all axes, and that of the origin.
fn row(value: &Value) -> Option<(PlacementVector, f64)> {
    let [x, y, z, origin] = value.as_array()?.as_slice() else { return None };
    Some(([x.as_f64()?, y.as_f64()?, z.as_f64()?], origin.as_f64()?))
}

/// The base's unit of length in the head's; 1 if one of them is unknown.
fn ratio_of_units(base: &Map<String, Value>, head: &Map<String, Value>) -> f64 {
    let metres = |data: &Map<String, Value>| data.get("units")?.get("length")?.get("metres")?.as_f64();
    match (metres(base), metres(head)) {
        (Some(base), Some(head)) if base > 0.0 && head > 0.0 => base / head,
        _ => 1.0,
    }
}

fn unit_of(data: &Map<String, Value>) -> Option<&str> {
    data.get("units")?.get("length")?.get("name")?.as_str()
}

fn dot([a, b, c]: PlacementVector, [x, y, z]: PlacementVector) -> f64 {
    a * x + b * y + c * z
}

/// A number without the last digits of a computation, and with one zero.
fn tidy(value: f64) -> f64 {
    let steps = (value * STEPS).round();
    if steps.is_finite() { steps / STEPS + 0.0 } else { value }
}
