//! The one way in which an object is written as JSON: sorted keys, indented, a newline at the end, so that equal
//! objects are equal bytes and `git diff` shows what changed.

use domain::object::Object;
use domain::{Error, Result};

/// The canonical bytes of an object.
///
/// # Errors
/// `INTERNAL_ERROR` where the object has no JSON form, which none should.
pub fn canonical(object: &Object) -> Result<Vec<u8>> {
    let mut value = serde_json::to_value(object).map_err(Error::internal)?;
    // A file says nothing of properties that there are none of.
    if object.data.is_empty()
        && let Some(fields) = value.as_object_mut()
    {
        fields.remove("data");
    }
    // A map keeps the order of insertion once any crate of the build turns `preserve_order` on.
    value.sort_all_objects();
    let mut bytes = serde_json::to_vec_pretty(&value).map_err(Error::internal)?;
    bytes.push(b'\n');
    Ok(bytes)
}
