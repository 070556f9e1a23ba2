//! Points that faces of a file refer to by their numbers.

use glam::Vec3;

use super::POINTS_MAX;

/// The points of a file, or of an object.
#[derive(Debug, Default)]
pub struct Points {
    /// Infinite ones stand for points that can't be read.
    kept: Vec<Vec3>,
    count: usize,
}

impl Points {
    /// Adds a point; `None` for one that can't be read, which has a number as well.
    pub fn push(&mut self, point: Option<Vec3>) {
        self.count = self.count.saturating_add(1);
        if self.kept.len() < POINTS_MAX {
            self.kept.push(point.unwrap_or(Vec3::INFINITY));
        }
    }

    /// The number of the next point, from 0.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The point with a number.
    pub fn get(&self, number: u32) -> Option<Vec3> {
        let point = self.kept.get(usize::try_from(number).ok()?)?;
        point.is_finite().then_some(*point)
    }
}
