//! The result of a conversion, as data that a process can receive from an untrusted one.

use domain::content::object::{
    ASSEMBLY_TYPE, CODE_TYPE, CONVERSION, DOCUMENT_TYPE, FILE_TYPE, ObjectKind, PAGE_TYPE, PART_TYPE,
};
use domain::text::Name;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Bytes at the beginning of a file that decide its kind.
pub const HEAD_BYTES: u64 = 64 * 1024;

/// Most objects of a conversion.
pub const OBJECTS_MAX: usize = 100_001;

/// Media type of the images that conversions make.
pub const IMAGE_MEDIA_TYPE: &str = "image/png";

/// The result of a conversion: the file's media type and the objects to create.
///
/// The first object owns the file and is the root of the others. Others may own an image in the conversion's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "UncheckedConversion", deny_unknown_fields)]
pub struct Conversion {
    media_type: String,
    objects: Vec<DraftObject>,
}

/// An object without an id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DraftObject {
    /// Name.
    pub name: Name,
    /// Type.
    #[serde(rename = "type")]
    pub object_type: DraftType,
    /// Index of the parent, which precedes it in the list; `None` for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Its image, of [`IMAGE_MEDIA_TYPE`]; never for the first, which owns the converted file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageSpan>,
    /// Properties.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

/// The type of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DraftType {
    /// An unconverted file.
    File,
    /// A document with pages.
    Document,
    /// A page of a document.
    Page,
    /// An instance in a design with parts.
    Assembly,
    /// An instance in a design without parts.
    Part,
    /// Source code.
    Code,
}

/// The position of an image in a conversion's output, which consists of all images without gaps, in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageSpan {
    /// Offset in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub size: u64,
}

/// The reason for an incomplete or missing conversion. Stable: clients branch on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConversionFailureCode {
    /// The name is that of a STEP file, but the content is not.
    #[error("the file does not begin as ISO 10303-21 says")]
    NotStep,
    /// The STEP file lacks its end marker.
    #[error("the file is incomplete: it ends before END-ISO-10303-21")]
    StepTruncated,
    /// The STEP file in a packed one is too large to be held in memory.
    #[error("the packed file is too large to be read; upload it unpacked")]
    PackedTooLarge,
    /// No product has a shape or is part of an assembly.
    #[error("the file has no product structure")]
    NoProductStructure,
    /// A product is part of itself.
    #[error("a product of the file is part of itself")]
    CyclicProductStructure,
    /// The product structure exceeds the limits.
    #[error("the product structure exceeds the size limit")]
    ProductStructureTooLarge,
    /// Assemblies are nested too deep.
    #[error("the product structure has too many levels")]
    ProductStructureTooDeep,
    /// The tree has too many occurrences or too much text, so that each product became one object.
    #[error("the assembly has too many occurrences; each product is shown once")]
    TooManyOccurrences,
    /// The parts of a mesh file can't be read.
    #[error("the parts of the file can't be read, because it is damaged")]
    MeshDamaged,
    /// The places of a mesh file's parts are in another file.
    #[error("the places of the parts are in another file; upload one file that contains all")]
    MeshExternal,
    /// The PDF is too large.
    #[error("the PDF exceeds the size limit")]
    PdfTooLarge,
    /// The PDF is unreadable.
    #[error("the PDF is damaged and can't be read")]
    PdfDamaged,
    /// The PDF needs a password.
    #[error("the PDF needs a password; upload a copy without one")]
    PdfEncrypted,
    /// The encryption of the PDF is unknown.
    #[error("the PDF is encrypted by an unknown method; upload an unencrypted copy")]
    PdfEncryptionUnknown,
    /// The PDF is packed by an unknown method.
    #[error("the PDF is packed by a method that is not known here; save a copy for older programs")]
    PdfFilterUnknown,
    /// The PDF has no page.
    #[error("the PDF has no page")]
    PdfWithoutPages,
    /// The PDF has too many pages; the first ones became objects.
    #[error("the PDF has too many pages; only the first ones are shown")]
    TooManyPages,
    /// The PDF lacks its end marker.
    #[error("the PDF is incomplete: it ends before %%EOF")]
    PdfTruncated,
    /// Some pages have no image.
    #[error("some pages have no image; see the reason at each page")]
    PagesWithoutImage,
    /// Pages lack letters, pictures, notes or fields.
    #[error("some pages are incomplete; see the reason at each page")]
    PagesIncomplete,
    /// Letters of a page are unknown: its fonts are neither in the file nor here.
    #[error("letters of the page are missing or wrong, because the file does not contain their fonts")]
    PageLettersUnknown,
    /// A part of the page is packed by an unknown method.
    #[error("parts of the page are missing, because they are packed by a method that is not known here")]
    PageFilterUnknown,
    /// A picture of the page can't be read.
    #[error("a picture of the page is missing, because it can't be read")]
    PagePictureDamaged,
    /// A font of the page can't be read.
    #[error("letters of the page are missing or wrong, because a font in the file can't be read")]
    PageFontDamaged,
    /// The appearance of a note or field can't be read.
    #[error("a note or field of the page is missing, because its appearance can't be read")]
    PageNoteDamaged,
    /// Notes or fields of the page have no appearance.
    #[error("the page has notes or fields without an appearance; they are listed, and not all are drawn")]
    PageNotesUndrawn,
    /// A page can't be rendered.
    #[error("the page can't be rendered")]
    PageDamaged,
    /// Rendering of the page timed out.
    #[error("rendering the page timed out")]
    PageTooSlow,
    /// The images of earlier pages use up the limit.
    #[error("the images of earlier pages used up the size limit")]
    PageImagesTooLarge,
    /// The source code is too long.
    #[error("the source is longer than is read")]
    SourceTooLarge,
    /// The conversion timed out.
    #[error("converting the file took too long")]
    ConversionTimedOut,
    /// The conversion exceeded its memory limit.
    #[error("converting the file took too much memory")]
    ConversionOutOfMemory,
    /// The result exceeds its size limit.
    #[error("the result of the conversion exceeds the size limit")]
    ConversionTooLarge,
    /// The conversion crashed.
    #[error("converting the file failed")]
    ConversionCrashed,
    /// Conversions are unavailable in this deployment.
    #[error("files can't be converted at present; upload the file again later")]
    ConversionUnavailable,
    /// Other conversions came first.
    #[error("other conversions come first; the file is converted later")]
    ConversionBusy,
}

/// An unchecked conversion of another process.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedConversion {
    media_type: String,
    objects: Vec<DraftObject>,
}

/// The defect of an invalid conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidConversion {
    /// No object, or more than [`OBJECTS_MAX`].
    #[error("must have from 1 to {OBJECTS_MAX} objects")]
    Count,
    /// The first object has a parent, or another lacks a preceding one.
    #[error("every object except the first must have a parent before it")]
    Parent,
    /// The first object has an image, or images overlap or leave gaps.
    #[error("images must follow one another without gaps, and the first object must have none")]
    Image,
    /// The media type is invalid.
    #[error("must have a media type")]
    MediaType,
    /// A property has a NUL, which PostgreSQL can't store.
    #[error("must not contain NUL")]
    Nul,
}

impl Conversion {
    /// Checks the parts of a conversion.
    ///
    /// # Errors
    /// [`InvalidConversion`].
    pub fn new(media_type: String, objects: Vec<DraftObject>) -> Result<Self, InvalidConversion> {
        if objects.is_empty() || objects.len() > OBJECTS_MAX {
            return Err(InvalidConversion::Count);
        }
        let fits = |(place, draft): (usize, &DraftObject)| match draft.parent {
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

    /// A conversion to a single object.
    pub(crate) fn single(media_type: &str, draft: DraftObject) -> Self {
        Self { media_type: media_type.to_owned(), objects: vec![draft] }
    }

    /// An unconverted file with the reason, which says if it is converted later.
    pub(crate) fn failed(media_type: &str, name: Name, code: ConversionFailureCode) -> Self {
        let mut draft = DraftObject::new(name, DraftType::File);
        let is_later = code == ConversionFailureCode::ConversionBusy;
        draft.set_outcome(if is_later { "pending" } else { "failed" }, code);
        Self::single(media_type, draft)
    }

    /// Media type of the file.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The objects, at least one, parents before children; the first owns the file.
    pub fn objects(&self) -> &[DraftObject] {
        &self.objects
    }

    /// Length of the output with the images, in bytes. A receiver compares it with the bytes that it got.
    pub fn output_size(&self) -> u64 {
        images_size(&self.objects).unwrap_or(0)
    }

    /// Media type and objects.
    pub fn into_parts(self) -> (String, Vec<DraftObject>) {
        (self.media_type, self.objects)
    }
}

impl TryFrom<UncheckedConversion> for Conversion {
    type Error = InvalidConversion;

    fn try_from(unchecked: UncheckedConversion) -> Result<Self, InvalidConversion> {
        Self::new(unchecked.media_type, unchecked.objects)
    }
}

/// The length of all images; `None` if they overlap or leave gaps.
fn images_size(objects: &[DraftObject]) -> Option<u64> {
    let mut spans: Vec<ImageSpan> = objects.iter().filter_map(|draft| draft.image).collect();
    spans.sort_unstable_by_key(|span| span.offset);
    spans.iter().try_fold(0_u64, |end, span| {
        if span.offset == end && span.size > 0 { end.checked_add(span.size) } else { None }
    })
}

/// True if a text in a value has a NUL. The JSON parser's limit bounds the recursion.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl DraftType {
    /// The type of the object.
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

    /// The kind of the object.
    pub fn kind(self) -> ObjectKind {
        match self {
            Self::File | Self::Document | Self::Page => ObjectKind::Reference,
            Self::Assembly => ObjectKind::Assembly,
            Self::Part => ObjectKind::Geometry,
            Self::Code => ObjectKind::Code,
        }
    }
}

impl DraftObject {
    /// A draft without parent and properties.
    pub(crate) fn new(name: Name, object_type: DraftType) -> Self {
        Self { name, object_type, parent: None, image: None, data: Map::new() }
    }

    /// Records the progress of the conversion and the reason for its end.
    pub(crate) fn set_outcome(&mut self, status: &str, code: ConversionFailureCode) {
        let outcome = json!({ "status": status, "code": code, "message": code.to_string() });
        self.data.insert(CONVERSION.to_owned(), outcome);
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
    fn a_conversion_round_trips_as_json() {
        let conversion = read(&json!([draft(None), draft(Some(0)), draft(Some(1))])).unwrap();
        let written = serde_json::to_string(&conversion).unwrap();
        assert_eq!(serde_json::from_str::<Conversion>(&written).unwrap(), conversion);
    }

    #[test]
    fn images_have_no_gaps_and_any_order() {
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
    fn inconsistent_conversions_are_refused() {
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
