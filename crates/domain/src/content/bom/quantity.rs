//! Quantities of a bill of materials: most count pieces, others measure, for example metres of a wire.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// Largest quantity that a usage in a design may have.
const USAGE_MAX: f64 = 1e9;
/// Whole numbers below this are exact: 2^53.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

/// A quantity, zero or more; whole in JSON where it is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Quantity(f64);

impl Quantity {
    /// One piece.
    pub const ONE: Self = Self(1.0);
    /// Nothing yet.
    pub const ZERO: Self = Self(0.0);

    /// The quantity of a usage; `None` for a number that no usage has: zero, a negative one, or more than 10^9.
    pub fn of_usage(value: f64) -> Option<Self> {
        (value > 0.0 && value <= USAGE_MAX).then_some(Self(value))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The number, if it is whole and exact.
    pub fn whole(self) -> Option<u64> {
        #[expect(clippy::as_conversions, reason = "a whole number below 2^53")]
        (self.0.fract() == 0.0 && (0.0..EXACT_BELOW).contains(&self.0)).then_some(self.0 as u64)
    }

    /// The sum with another one, at most the largest number.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self((self.0 + other.0).min(f64::MAX))
    }

    /// This quantity of something that is needed `other` times, at most the largest number.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self((self.0 * other.0).min(f64::MAX))
    }

    /// Bits by which equal quantities are equal.
    pub(super) fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// The quantity with these bits.
    pub(super) fn from_bits(bits: u64) -> Self {
        Self(f64::from_bits(bits))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => whole.fmt(f),
            None => self.0.fmt(f),
        }
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_u64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[test]
    fn whole_quantities_are_whole_in_json() {
        for (value, json) in [(3.0, "3"), (2.5, "2.5"), (1e9, "1000000000")] {
            assert_eq!(serde_json::to_string(&Quantity::of_usage(value).unwrap()).unwrap(), json);
        }
        assert_eq!(serde_json::from_str::<Quantity>("3").unwrap(), Quantity::of_usage(3.0).unwrap());
    }

    #[test]
    fn no_usage_has_nothing_less_than_nothing_or_more_than_a_number() {
        for value in [0.0, -1.0, 2e9, f64::NAN, f64::INFINITY] {
            assert_eq!(Quantity::of_usage(value), None, "{value}");
        }
        let mut most = Quantity::of_usage(1e9).unwrap();
        for _ in 0..256 {
            most = most.times(Quantity::of_usage(1e9).unwrap());
        }
        assert_eq!(most.plus(most).get(), f64::MAX);
    }
}
