//! Costs of model calls: tokens, prices and credits, computed exactly.

pub mod report;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Decimal places of an amount of credits.
const DECIMALS: usize = 6;
/// Number of tokens that a price covers.
const TOKENS_PRICED: i128 = 1_000_000;

/// An amount of credits in millionths. Sums are exact, unlike those of floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MicroCredits(pub i64);

/// The tokens of one call, each counted once: `prompt` excludes cached tokens, `completion` excludes reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Uncached prompt tokens.
    pub prompt: i64,
    /// Completion tokens.
    pub completion: i64,
    /// Reasoning tokens.
    pub reasoning: i64,
    /// Prompt tokens written to the cache.
    pub cache_write: i64,
    /// Prompt tokens that the model's provider read from its cache.
    pub cache_read: i64,
}

/// Prices of a million tokens by kind, in credits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Prices {
    /// Uncached prompt tokens.
    #[schemars(with = "f64")]
    pub prompt: MicroCredits,
    /// Completion and reasoning tokens.
    #[schemars(with = "f64")]
    pub completion: MicroCredits,
    /// Prompt tokens written to the cache.
    #[schemars(with = "f64")]
    pub cache_write: MicroCredits,
    /// Prompt tokens that the model's provider read from its cache.
    #[schemars(with = "f64")]
    pub cache_read: MicroCredits,
}

impl Prices {
    /// The cost of a call, rounded up to a millionth.
    pub fn of(&self, tokens: &TokenCounts) -> MicroCredits {
        let kinds = [
            (tokens.prompt, self.prompt),
            (tokens.completion, self.completion),
            (tokens.reasoning, self.completion),
            (tokens.cache_write, self.cache_write),
            (tokens.cache_read, self.cache_read),
        ];
        let sum: i128 = kinds.iter().map(|(count, price)| i128::from(*count) * i128::from(price.0)).sum();
        let rounded_up = (sum + TOKENS_PRICED - 1) / TOKENS_PRICED;
        MicroCredits(i64::try_from(rounded_up).unwrap_or(i64::MAX))
    }
}

impl FromStr for MicroCredits {
    type Err = InvalidCredits;

    fn from_str(text: &str) -> Result<Self, InvalidCredits> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || fraction.len() > DECIMALS {
            return Err(InvalidCredits);
        }
        format!("{whole}{fraction:0<DECIMALS$}").parse().map(Self).map_err(|_| InvalidCredits)
    }
}

impl fmt::Display for MicroCredits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl Serialize for MicroCredits {
    /// Writes a number of credits. A float has six exact decimal places up to a billion credits.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: f64 = self.to_string().parse().map_err(serde::ser::Error::custom)?;
        serializer.serialize_f64(number)
    }
}

impl<'de> Deserialize<'de> for MicroCredits {
    /// Reads a number or its text. The decimal digits count, not the nearest float.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => text,
            // As `to_string` of the number would not, that of a float never writes an exponent.
            serde_json::Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
                Some(float) => float.to_string(),
                None => number.to_string(),
            },
            _ => return Err(serde::de::Error::custom(InvalidCredits)),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The text is not an amount of credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an amount of credits of at most six decimal places")]
pub struct InvalidCredits;

#[cfg(test)]
mod tests {
    use super::{MicroCredits, Prices, TokenCounts};

    #[test]
    fn amounts_round_trip_exactly() {
        for (text, shown) in [("0", "0.000000"), ("1.5", "1.500000"), ("0.000001", "0.000001")] {
            assert_eq!(text.parse::<MicroCredits>().unwrap().to_string(), shown);
        }
        for refused in ["", ".", "1.", ".5", "-1", "+1", "1e3", "0.0000001", "99999999999999", "1.+1"] {
            assert!(refused.parse::<MicroCredits>().is_err(), "{refused}");
        }
        for (json, micro) in
            [("0.1", 100_000), ("0.000001", 1), ("1e-6", 1), ("12e1", 120_000_000), ("7", 7_000_000)]
        {
            let credits: MicroCredits = serde_json::from_str(json).unwrap();
            assert_eq!(credits, MicroCredits(micro), "{json}");
            let written = serde_json::to_string(&credits).unwrap();
            assert_eq!(serde_json::from_str::<MicroCredits>(&written).unwrap(), credits, "{written}");
        }
        for refused in ["0.0000001", "1e-7", "-0.5", "1e30", "true"] {
            assert!(serde_json::from_str::<MicroCredits>(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn the_cost_of_a_call_is_rounded_up_once() {
        let price = |text: &str| text.parse().unwrap();
        let prices = Prices {
            prompt: price("3"),
            completion: price("15"),
            cache_write: price("3.75"),
            cache_read: price("0.3"),
        };
        let tokens =
            TokenCounts { prompt: 100, completion: 10, reasoning: 10, cache_write: 8, cache_read: 1 };
        // 300 + 150 + 150 + 30 + 0.3 millionths.
        assert_eq!(prices.of(&tokens), MicroCredits(631));
        assert_eq!(Prices::default().of(&tokens), MicroCredits(0));
    }
}
