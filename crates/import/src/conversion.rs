//! What a file becomes, as data that one process can send to another, which need not trust it.

use domain::object::{ASSEMBLY_TYPE, CODE_TYPE, DOCUMENT_TYPE, FILE_TYPE, ObjectKind, PAGE_TYPE, PART_TYPE};
use domain::text::Name;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Most objects that one file may become.
pub const OBJECTS_MAX: usize = 100_001;

/// Media type of every image that a conversion makes.
pub const IMAGE_MEDIA_TYPE: &str = "image/png";

/// What a file becomes: its media type, and the objects to be created. The first object owns the file; it alone
/// hangs where the file is attached. Others may own an image, whose bytes the conversion wrote to its output.
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
    /// What it is.
    #[serde(rename = "type")]
    pub object_type: DraftType,
    /// The draft that it hangs under, as its place in the list, which is before its own; absent of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The image that it owns, a file of [`IMAGE_MEDIA_TYPE`]; never of the first, which owns the converted file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageSpan>,
    /// Its properties.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

/// The type of an object that is yet to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DraftType {
    /// A file as it is.
    File,
    /// A document with pages.
    Document,
    /// A page of a document.
    Page,
    /// An instance in a design that has parts.
    Assembly,
    /// An instance in a design that has none.
    Part,
    /// Source.
    Code,
}

/// Where in the output of a conversion an image lies. The images of a conversion lie one after the other, in any order,
/// and are all that the output holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageSpan {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length, in bytes.
    pub size: u64,
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
    /// The tree has more occurrences than are made objects, or too much is said of them all, so that each product was made
    /// one.
    #[error("the assembly has too many occurrences; each product is shown once")]
    TooManyOccurrences,
    /// It is a PDF that is larger than is read.
    #[error("the PDF is larger than is read")]
    PdfTooLarge,
    /// It is a PDF that can't be read at all.
    #[error("the PDF is damaged beyond reading")]
    PdfDamaged,
    /// It opens with a password alone.
    #[error("the PDF opens with a password alone")]
    PdfEncrypted,
    /// It is encrypted in a way that is not known.
    #[error("the PDF is encrypted in a way that is not read")]
    PdfEncryptionUnknown,
    /// It has no page.
    #[error("the PDF has no page")]
    PdfWithoutPages,
    /// It has more pages than are made objects.
    #[error("the PDF has too many pages; the first are shown")]
    TooManyPages,
    /// It ends before its end.
    #[error("the PDF ends before %%EOF")]
    PdfTruncated,
    /// Some pages have no image.
    #[error("some pages have no image; each says why")]
    PagesWithoutImage,
    /// A page can't be rendered.
    #[error("the page can't be rendered")]
    PageDamaged,
    /// Time ran out before the page was rendered.
    #[error("there was no time left to render the page")]
    PageTooSlow,
    /// The images of the pages before it take all the room that there is.
    #[error("there was no room left for the page's image")]
    PageImagesTooLarge,
    /// It is source of a known language, and too long.
    #[error("the source is longer than is read")]
    SourceTooLarge,
    /// Its conversion took longer than one may.
    #[error("converting the file took too long")]
    ConversionTimedOut,
    /// Its conversion took more memory than one may.
    #[error("converting the file took too much memory")]
    ConversionOutOfMemory,
    /// What it was converted to is larger than may be.
    #[error("the file was converted to more than is kept")]
    ConversionTooLarge,
    /// Its conversion failed.
    #[error("converting the file failed")]
    ConversionCrashed,
    /// Nothing is converted here at present.
    #[error("files can't be converted at present")]
    ConversionUnavailable,
    /// Too many files were to be converted at the time.
    #[error("too many files were to be converted at the time")]
    ConversionBusy,
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
    /// The first object has an image, or the images leave gaps or lie over each other.
    #[error("images must lie one after the other, and not be the first object's")]
    Image,
    /// The media type is not one.
    #[error("must have a media type")]
    MediaType,
    /// A property holds the character NUL, which the database has no text for.
    #[error("must hold no NUL")]
    Nul,
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
        if objects.first().is_some_and(|owner| owner.image.is_some()) || images_size(&objects).is_none() {
            return Err(InvalidConversion::Image);
        }
        if objects
            .iter()
            .any(|draft| draft.data.iter().any(|(name, value)| name.contains('\0') || has_nul(value)))
        {
            return Err(InvalidConversion::Nul);
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
        let mut draft = Draft::new(name, DraftType::File);
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

    /// Length of the output that holds the images, in bytes. Whoever takes a conversion from another process compares it
    /// with what that has written.
    pub fn output_size(&self) -> u64 {
        images_size(&self.objects).unwrap_or(0)
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

/// The length of what holds all images; `None` where they leave gaps or lie over each other.
fn images_size(objects: &[Draft]) -> Option<u64> {
    let mut spans: Vec<ImageSpan> = objects.iter().filter_map(|draft| draft.image).collect();
    spans.sort_unstable_by_key(|span| span.offset);
    spans.iter().try_fold(0_u64, |end, span| {
        if span.offset == end && span.size > 0 { end.checked_add(span.size) } else { None }
    })
}

/// Whether a text in a value has a NUL. What was read from JSON is nested no deeper than its reader goes.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl DraftType {
    /// As objects have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => FILE_TYPE,
            Self::Document => DOCUMENT_TYPE,
            Self::Page => PAGE_TYPE,
            Self::Assembly => ASSEMBLY_TYPE,
            Self::Part => PART_TYPE,
            Self::Code => CODE_TYPE,
        }
    }

    /// What the object came from.
    pub fn kind(self) -> ObjectKind {
        match self {
            Self::File | Self::Document | Self::Page => ObjectKind::Reference,
            Self::Assembly => ObjectKind::Assembly,
            Self::Part => ObjectKind::Geometry,
            Self::Code => ObjectKind::Code,
        }
    }
}

impl Draft {
    /// An object without a parent and without properties.
    pub(crate) fn new(name: Name, object_type: DraftType) -> Self {
        Self { name, object_type, parent: None, image: None, data: Map::new() }
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
            Some(parent) => json!({ "name": "a", "type": "Part", "parent": parent }),
            None => json!({ "name": "a", "type": "Assembly" }),
        }
    }

    #[test]
    fn a_conversion_reads_what_it_writes() {
        let conversion = read(&json!([draft(None), draft(Some(0)), draft(Some(1))])).unwrap();
        let written = serde_json::to_string(&conversion).unwrap();
        assert_eq!(serde_json::from_str::<Conversion>(&written).unwrap(), conversion);
    }

    #[test]
    fn images_lie_one_after_the_other_in_any_order() {
        let pages = |spans: &[(u64, u64)]| {
            let page = |&(offset, size)| json!({ "name": "a", "type": "Page", "parent": 0, "image": { "offset": offset, "size": size } });
            let objects: Vec<Value> = [draft(None)].into_iter().chain(spans.iter().map(page)).collect();
            read(&json!(objects)).map(|conversion| conversion.output_size())
        };
        assert_eq!(pages(&[]).unwrap(), 0);
        assert_eq!(pages(&[(5, 2), (0, 5)]).unwrap(), 7);
        for bad in [
            &[(1, 2)][..],
            &[(0, 0)],
            &[(0, 2), (1, 1)],
            &[(0, 2), (3, 1)],
            &[(0, 2), (0, 2)],
            &[(0, u64::MAX), (u64::MAX, 1)],
        ] {
            assert!(pages(bad).is_err(), "{bad:?}");
        }
        assert!(
            read(&json!([{ "name": "a", "type": "Page", "image": { "offset": 0, "size": 1 } }])).is_err()
        );
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
            json!([{ "name": " ", "type": "Code" }]),
            json!([{ "name": "a", "type": "Code", "file": {} }]),
            json!([{ "name": "a", "type": "Code", "data": { "text": "a\0" } }]),
            json!([{ "name": "a", "type": "Code", "data": { "deep": [{ "a\0": 1 }] } }]),
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
