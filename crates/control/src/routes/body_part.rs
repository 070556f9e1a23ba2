//! Parts of a body that are read one by one, so that failures name their place.

use domain::{Error, Result, Rule};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An object within a body, whose fields are removed as they are read.
pub struct BodyPart {
    /// Its place, as in `operations[3]`.
    pub place: String,
    fields: Map<String, Value>,
}

impl BodyPart {
    /// The element `position` of the body's list `list`.
    pub fn of_list(list: &str, position: usize, fields: Map<String, Value>) -> Self {
        Self { place: format!("{list}[{position}]"), fields }
    }

    /// The object in an optional field.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it is no object.
    pub fn part(&mut self, field: &str) -> Result<Option<Self>> {
        let Some(value) = self.fields.remove(field) else { return Ok(None) };
        let place = format!("{}.{field}", self.place);
        let fields = wire::parse_part(&place, value)?;
        Ok(Some(Self { place, fields }))
    }

    /// Reads a required field.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at the field.
    pub fn take<T: DeserializeOwned>(&mut self, field: &str) -> Result<T> {
        let place = format!("{}.{field}", self.place);
        match self.fields.remove(field) {
            Some(value) => wire::parse_part(&place, value),
            None => Err(Error::broken(place, Rule::Required)),
        }
    }

    /// Refuses further fields.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at the first one.
    pub fn end(self) -> Result<()> {
        match self.fields.keys().next() {
            Some(field) => Err(Error::broken(format!("{}.{field}", self.place), Rule::Unknown)),
            None => Ok(()),
        }
    }

    /// Reads the remaining fields.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at the field.
    pub fn rest<T: DeserializeOwned>(self) -> Result<T> {
        wire::parse_part(&self.place, self.fields)
    }
}
