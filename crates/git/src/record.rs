//! The canonical JSON of an object: sorted keys, indented, with a final newline.
//!
//! Equal objects are equal bytes, and `git diff` shows changed fields.

use domain::content::object::Object;
use domain::{Error, Result};

/// The canonical bytes of an object.
///
/// # Errors
/// `INTERNAL_ERROR` if the object can't be written as JSON.
pub fn canonical(object: &Object) -> Result<Vec<u8>> {
    let mut value = serde_json::to_value(object).map_err(Error::internal)?;
    // Empty properties are omitted.
    if object.data.is_empty()
        && let Some(fields) = value.as_object_mut()
    {
        fields.remove("data");
    }
    // serde_json's map keeps the order of insertion if any crate of the build enables `preserve_order`.
    value.sort_all_objects();
    let mut bytes = serde_json::to_vec_pretty(&value).map_err(Error::internal)?;
    bytes.push(b'\n');
    Ok(bytes)
}
