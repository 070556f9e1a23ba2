//! What a file becomes, as data that one process can send to another, which need not trust it.

use domain::object::{ASSEMBLY_TYPE, CODE_TYPE, FILE_TYPE, ObjectKind, PART_TYPE};
use domain::text::Name;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Most objects that one file may become.
pub const OBJECTS_MAX: usize = 100_001;

/// What a file becomes: its media type, and the objects to be created. The first object owns the file; it alone
/// hangs where the file is attached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Unchecked", deny_unknown_fields)]
pub struct Conversion {
    media_type: String,
    objects: Vec<Draft>,
}

/// An object that is yet to get an id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// Name.
    pub name: Name,
    /// What it came from.
    pub kind: ObjectKind,
    /// The draft that it hangs under, as its place in the list, which is before its own; absent of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Its properties.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

/// Why a file was kept as it is, or in part; stable, as clients branch on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FailureCode {
    /// It is named as a STEP file and is none.
    #[error("the file does not begin as ISO 10303-21 says")]
    NotStep,
    /// It ends before its end.
    #[error("the file ends before END-ISO-10303-21")]
    StepTruncated,
    /// It has no product that has a shape or is part of an assembly.
    #[error("the file has no product structure")]
    NoProductStructure,
    /// A product is part of itself.
    #[error("a product of the file is part of itself")]
    CyclicProductStructure,
    /// There are more products, or more is said about them, than is read.
    #[error("the product structure is larger than is read")]
    ProductStructureTooLarge,
    /// Assemblies lie in each other deeper than is read.
    #[error("the product structure is deeper than is read")]
    ProductStructureTooDeep,
    /// The tree has more occurrences than are made objects, so that each product was made one.
    #[error("the assembly has too many occurrences; each product is shown once")]
    TooManyOccurrences,
    /// It is source of a known language, and too long.
    #[error("the source is longer than is read")]
    SourceTooLarge,
}

/// A conversion that was not made here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Unchecked {
    media_type: String,
    objects: Vec<Draft>,
}

/// What is wrong with a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidConversion {
    /// It has no object, or more than [`OBJECTS_MAX`].
    #[error("must have from 1 to {OBJECTS_MAX} objects")]
    Count,
    /// The first object has a parent, or another has none that is before it.
    #[error("every object but the first must hang under one before it")]
    Parent,
    /// The media type is not one.
    #[error("must have a media type")]
    MediaType,
}

impl Conversion {
    /// A conversion whose parts fit together.
    ///
    /// # Errors
    /// [`InvalidConversion`] says what doesn't.
    pub fn new(media_type: String, objects: Vec<Draft>) -> Result<Self, InvalidConversion> {
        if objects.is_empty() || objects.len() > OBJECTS_MAX {
            return Err(InvalidConversion::Count);
        }
        let fits = |(place, draft): (usize, &Draft)| match draft.parent {
            None => place == 0,
            Some(parent) => parent < place,
        };
        if !objects.iter().enumerate().all(fits) {
            return Err(InvalidConversion::Parent);
        }
        let token = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
        };
        match media_type.split_once('/') {
            Some((kind, subtype)) if token(kind) && token(subtype) => Ok(Self { media_type, objects }),
            _ => Err(InvalidConversion::MediaType),
        }
    }

    /// One object that owns a file.
    pub(crate) fn single(media_type: &str, draft: Draft) -> Self {
        Self { media_type: media_type.to_owned(), objects: vec![draft] }
    }

    /// A file that was kept as it is, and why.
    pub(crate) fn failed(media_type: &str, name: Name, code: FailureCode) -> Self {
        let mut draft = Draft::reference(name);
        draft.tell("failed", code);
        Self::single(media_type, draft)
    }

    /// Media type of the file.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The objects, never none, parents before children; the first owns the file.
    pub fn objects(&self) -> &[Draft] {
        &self.objects
    }

    /// Media type and objects.
    pub fn into_parts(self) -> (String, Vec<Draft>) {
        (self.media_type, self.objects)
    }
}

impl TryFrom<Unchecked> for Conversion {
    type Error = InvalidConversion;

    fn try_from(unchecked: Unchecked) -> Result<Self, InvalidConversion> {
        Self::new(unchecked.media_type, unchecked.objects)
    }
}

impl Draft {
    /// A file as it is.
    pub(crate) fn reference(name: Name) -> Self {
        Self { name, kind: ObjectKind::Reference, parent: None, data: Map::new() }
    }

    /// Type of the object.
    pub fn object_type(&self) -> &'static str {
        match self.kind {
            ObjectKind::Reference => FILE_TYPE,
            ObjectKind::Geometry => PART_TYPE,
            ObjectKind::Assembly => ASSEMBLY_TYPE,
            ObjectKind::Code => CODE_TYPE,
        }
    }

    /// Says how far the conversion got, and why no further.
    pub(crate) fn tell(&mut self, status: &str, code: FailureCode) {
        let outcome = json!({ "status": status, "code": code, "message": code.to_string() });
        self.data.insert("conversion".to_owned(), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversion, OBJECTS_MAX};
    use serde_json::{Value, json};

    fn read(objects: &Value) -> Result<Conversion, String> {
        serde_json::from_value(json!({ "mediaType": "model/step", "objects": objects }))
            .map_err(|error| error.to_string())
    }

    fn draft(parent: Option<usize>) -> Value {
        match parent {
            Some(parent) => json!({ "name": "a", "kind": "geometry", "parent": parent }),
            None => json!({ "name": "a", "kind": "assembly" }),
        }
    }

    #[test]
    fn a_conversion_reads_what_it_writes() {
        let conversion = read(&json!([draft(None), draft(Some(0)), draft(Some(1))])).unwrap();
        let written = serde_json::to_string(&conversion).unwrap();
        assert_eq!(serde_json::from_str::<Conversion>(&written).unwrap(), conversion);
    }

    #[test]
    fn a_conversion_that_does_not_fit_together_is_refused() {
        let too_many: Vec<Value> = (0..=OBJECTS_MAX).map(|place| draft(place.checked_sub(1))).collect();
        for bad in [
            json!([]),
            json!([draft(Some(0))]),
            json!([draft(None), draft(None)]),
            json!([draft(None), draft(Some(1))]),
            json!([draft(None), draft(Some(2)), draft(Some(0))]),
            json!([{ "name": " ", "kind": "code" }]),
            json!([{ "name": "a", "kind": "code", "file": {} }]),
            json!(too_many),
        ] {
            assert!(read(&bad).is_err());
        }
        for media_type in ["", "text", "text/", "text/plain; charset=x", "a/b\r\nc"] {
            let conversion = json!({ "mediaType": media_type, "objects": [draft(None)] });
            assert!(serde_json::from_value::<Conversion>(conversion).is_err(), "{media_type}");
        }
    }
}
