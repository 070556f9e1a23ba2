//! B-spline basis functions ("The NURBS Book", algorithms A2.1 to A2.3).

/// The knots of one coordinate, in ascending order, and the degree.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    pub(super) degree: usize,
    /// Their number is that of control points, the degree and one.
    pub(super) knots: Vec<f64>,
}

/// The functions that aren't zero at a parameter, and their derivatives.
pub(super) struct BasisValues {
    /// Index of the control point of the first.
    pub(super) first: usize,
    pub(super) values: Vec<f64>,
    pub(super) slopes: Vec<f64>,
}

impl Basis {
    /// The parameters between which the functions sum up to 1.
    pub(super) fn range(&self) -> [f64; 2] {
        let end = self.knots.len().saturating_sub(self.degree + 1);
        [self.knot(self.degree), self.knot(end)]
    }

    /// The different knots of the range.
    pub(super) fn breaks(&self) -> Vec<f64> {
        let end = self.knots.len().saturating_sub(self.degree);
        let mut breaks = self.knots.get(self.degree..end).unwrap_or_default().to_vec();
        breaks.dedup();
        breaks
    }

    /// The functions at a parameter.
    pub(super) fn at(&self, parameter: f64) -> BasisValues {
        let degree = self.degree;
        let count = self.knots.len().saturating_sub(degree + 1);
        let inner = self.knots.get(degree..count).unwrap_or_default();
        let span = degree + inner.partition_point(|knot| *knot <= parameter).saturating_sub(1);
        let mut values = vec![1.0];
        let mut below = Vec::new();
        for level in 1..=degree {
            below.clone_from(&values);
            let mut saved = 0.0;
            for (place, value) in values.iter_mut().enumerate() {
                let (high, low) = (self.knot(span + place + 1), self.knot(span + 1 + place - level));
                let share = if high > low { *value / (high - low) } else { 0.0 };
                *value = saved + (high - parameter) * share;
                saved = (parameter - low) * share;
            }
            values.push(saved);
        }
        let share = |place: usize| {
            let (high, low) = (self.knot(span + place + 1), self.knot(span + 1 + place - degree));
            below.get(place).filter(|_| high > low).map_or(0.0, |value| value / (high - low))
        };
        let times = u32::try_from(degree).map_or(0.0, f64::from);
        let slopes = (0..=degree).map(|place| {
            let before = place.checked_sub(1).map_or(0.0, share);
            times * (before - share(place))
        });
        BasisValues { first: span - degree, slopes: slopes.collect(), values }
    }

    fn knot(&self, place: usize) -> f64 {
        self.knots.get(place).copied().unwrap_or(0.0)
    }
}
