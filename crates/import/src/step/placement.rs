//! Placements of parts in their assemblies.

use super::record::{Parameter, Record};

/// An affine map: the upper three rows of its matrix, with columns for three directions and the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix([[f64; 4]; 3]);

type Vector = [f64; 3];

impl Matrix {
    /// The map of a placement or a transformation operator. `find` gives an instance by its name.
    pub(super) fn of_item<'a>(find: &impl Fn(u64) -> Option<Record<'a>>, id: u64) -> Option<Self> {
        let record = find(id)?;
        if let Some(placement) = record.entity(&[b"AXIS2_PLACEMENT_3D"]) {
            // In a complex instance, other parts have the origin and the name.
            let (origin, axis) = match record.entity(&[b"PLACEMENT"]) {
                Some(above) => (above.reference(0), 0),
                None => (placement.reference(1), 2),
            };
            let origin = vector(find, origin?)?;
            let direction = |place| placement.reference(place).and_then(|id| vector(find, id));
            return Self::from_axes(origin, direction(axis), direction(axis + 1));
        }
        let operator = record.entity(&[b"CARTESIAN_TRANSFORMATION_OPERATOR_3D"])?;
        // The number of leading names varies, so attributes are counted from the end.
        let reference = |place| operator.nth_last(place).and_then(Parameter::reference);
        let direction = |place| reference(place).and_then(|id| vector(find, id));
        let origin = vector(find, reference(2)?)?;
        let scale = operator.nth_last(1).and_then(Parameter::number).unwrap_or(1.0);
        let axes = Self::from_axes(origin, direction(0), direction(4))?;
        // An opposite second axis mirrors.
        let mirrored = direction(3).is_some_and(|second| dot(second, axes.column(1)) < 0.0);
        Some(axes.scaled(scale, if mirrored { -1.0 } else { 1.0 }))
    }

    /// The map from the placement `from` to the placement `to`. `ratio` is the first's unit of length in the second's.
    pub(super) fn between(from: Self, to: Self, ratio: f64) -> Option<Self> {
        to.scaled_by(ratio)?.times(from.inverse()?).finite()
    }

    /// The same map for coordinates in another unit of length. `ratio` is that unit in the map's.
    pub(super) fn scaled_by(self, ratio: f64) -> Option<Self> {
        let scaled = Matrix([[ratio, 0.0, 0.0, 0.0], [0.0, ratio, 0.0, 0.0], [0.0, 0.0, ratio, 0.0]]);
        self.times(scaled).finite()
    }

    /// The four rows of the matrix, which maps a column vector of the part to one of the assembly.
    pub(super) fn rows(self) -> [[f64; 4]; 4] {
        let [first, second, third] = self.0.map(|row| row.map(tidy));
        [first, second, third, [0.0, 0.0, 0.0, 1.0]]
    }

    /// Right-handed orthogonal axes from a z-axis and an approximate x-axis (`build_axes` of ISO 10303-42); `None` if these
    /// don't determine any.
    fn from_axes(origin: Vector, axis: Option<Vector>, near: Option<Vector>) -> Option<Self> {
        let z = normalized(axis.unwrap_or([0.0, 0.0, 1.0]))?;
        let apart = |near: Vector| normalized(minus(near, times(z, dot(near, z))));
        let x = near.and_then(apart).or_else(|| apart([1.0, 0.0, 0.0])).or_else(|| apart([0.0, 1.0, 0.0]))?;
        let y = cross(z, x);
        let ([xx, xy, xz], [yx, yy, yz], [zx, zy, zz], [ox, oy, oz]) = (x, y, z, origin);
        Some(Self([[xx, yx, zx, ox], [xy, yy, zy, oy], [xz, yz, zz, oz]]))
    }

    fn scaled(self, scale: f64, second: f64) -> Self {
        Self(self.0.map(|[x, y, z, origin]| [x * scale, y * scale * second, z * scale, origin]))
    }

    fn column(&self, place: usize) -> Vector {
        self.0.map(|row| row.get(place).copied().unwrap_or(0.0))
    }

    fn times(self, other: Self) -> Self {
        let columns = [0, 1, 2, 3].map(|place| other.column(place));
        let [x, y, z, origin] = columns;
        Self(self.0.map(|[a, b, c, d]| {
            let row = [a, b, c];
            [dot(row, x), dot(row, y), dot(row, z), dot(row, origin) + d]
        }))
    }

    fn inverse(self) -> Option<Self> {
        let [x, y, z] = [0, 1, 2].map(|place| self.column(place));
        let determinant = dot(x, cross(y, z));
        if determinant.abs() < f64::MIN_POSITIVE {
            return None;
        }
        let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|row| times(row, 1.0 / determinant));
        let origin = self.column(3);
        Self(rows.map(|row| {
            let [a, b, c] = row;
            [a, b, c, -dot(row, origin)]
        }))
        .finite()
    }

    fn finite(self) -> Option<Self> {
        self.0.iter().flatten().all(|value| value.is_finite()).then_some(self)
    }
}

/// The coordinates of a point, or the ratios of a direction.
fn vector<'a>(find: &impl Fn(u64) -> Option<Record<'a>>, id: u64) -> Option<Vector> {
    let record = find(id)?;
    let named = record.entity(&[b"CARTESIAN_POINT", b"DIRECTION"])?;
    let Parameter::List(list) = named.nth_last(0)? else { return None };
    match list.as_slice() {
        [x, y, z] => Some([x.number()?, y.number()?, z.number()?]),
        _ => None,
    }
}

fn dot([a, b, c]: Vector, [x, y, z]: Vector) -> f64 {
    a * x + b * y + c * z
}

fn cross([a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn minus([a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [a - x, b - y, c - z]
}

fn times(vector: Vector, factor: f64) -> Vector {
    vector.map(|value| value * factor)
}

/// The direction with length 1; `None` for almost zero or infinite length.
fn normalized(vector: Vector) -> Option<Vector> {
    let length = dot(vector, vector).sqrt();
    (length > 1e-9 && length.is_finite()).then(|| times(vector, 1.0 / length))
}

/// Rounds values close to zero to an unsigned zero.
fn tidy(value: f64) -> f64 {
    if value.abs() < 1e-12 { 0.0 } else { value }
}
