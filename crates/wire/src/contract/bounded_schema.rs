//! Bounds on the work that a schema makes of an input. A validator looks for every broken rule, however large the input is:
//! so the elements of a list are looked at only if the list keeps its length, and only while the input has credit.

use std::cell::Cell;

use jsonschema::{Keyword, ValidationError};
use serde_json::{Value, json};

/// The keyword of elements that are looked at while there is credit.
pub(super) const HAS_CREDIT: &str = "x-hasCredit";
/// The credit of an input: 500 elements that are objects, which take some 10 ms, or 20,000 texts.
const CREDIT: u32 = 20_000;
/// The price of an element that is an object or a list.
const COMPOSITE_PRICE: u32 = 40;

thread_local! {
    /// The credit that is left of the input that this thread validates.
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// The keyword [`HAS_CREDIT`].
pub(super) struct HasCredit;

/// Gives the next input of this thread its credit.
pub(super) fn renew_credit() {
    LEFT.set(CREDIT);
}

impl<'i> Keyword<'i> for HasCredit {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) {
            Ok(())
        } else {
            Err(ValidationError::custom("the input has no credit left"))
        }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        let price = if value.is_object() || value.is_array() { COMPOSITE_PRICE } else { 1 };
        let left = LEFT.get().checked_sub(price);
        LEFT.set(left.unwrap_or_default());
        left.is_some()
    }
}

/// Bounds a schema and everything below it.
pub(super) fn bound(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    for (keyword, value) in fields.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(bound);
            }
            ("items" | "additionalProperties", element) if element.is_object() => {
                bound(element);
                *element = json!({ "if": { HAS_CREDIT: true }, "then": element.take() });
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.iter_mut().for_each(bound),
            _ => {}
        }
    }
    // Counted first: a list that is too long has one broken rule.
    if let Some(most) = fields.get("maxItems").cloned()
        && let Some(elements) = fields.remove("items")
    {
        let counted = json!({ "if": { "maxItems": most }, "then": { "items": elements } });
        if let Some(parts) = fields.entry("allOf").or_insert_with(|| json!([])).as_array_mut() {
            parts.push(counted);
        }
    }
}
