//! The package of a 3MF: a ZIP of XML, which is unpacked within one limit for all parts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufReader, Read, Seek};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use crate::mesh::{MeshError, UNPACKED_MAX_BYTES};

/// The part that names the one with the build, and the type of the relation.
const RELATIONS: &str = "_rels/.rels";
const MODEL_TYPE: &str = "/3dmodel";
/// The part with the build, if no relation says otherwise.
const USUAL_ROOT: &str = "3D/3dmodel.model";

/// A package.
pub(super) struct ThreeMfPackage<R> {
    archive: ZipArchive<R>,
    /// The entries by their normalized paths.
    places: HashMap<String, usize>,
    /// Bytes that may still be unpacked.
    left: u64,
}

/// A tag of XML, by its name without a prefix. An empty element is opened and closed.
pub(super) enum XmlTag<'a> {
    Open(&'a BytesStart<'a>),
    Close(&'a [u8]),
}

impl<R: Read + Seek> ThreeMfPackage<R> {
    pub(super) fn open(file: R) -> Result<Self, MeshError> {
        let archive = ZipArchive::new(file).map_err(|_| MeshError::Damaged("it is not a ZIP"))?;
        let names = archive.file_names_raw().map(|name| normalized(&String::from_utf8_lossy(name)));
        let places = names.zip(0..).collect();
        Ok(Self { archive, places, left: UNPACKED_MAX_BYTES })
    }

    /// The path of the part with the build.
    pub(super) fn root(&mut self) -> Result<String, MeshError> {
        let mut root = None;
        self.read(RELATIONS, |tag| {
            if let XmlTag::Open(element) = tag
                && element.local_name().as_ref() == b"Relationship"
                && text(element, b"Type").is_some_and(|kind| kind.ends_with(MODEL_TYPE))
            {
                root = text(element, b"Target");
            }
            Ok(())
        })?;
        Ok(normalized(&root.unwrap_or_else(|| USUAL_ROOT.to_owned())))
    }

    /// Passes the tags of a part to `take`. Returns false if there is no such part.
    pub(super) fn read(
        &mut self,
        path: &str,
        mut take: impl FnMut(XmlTag<'_>) -> Result<(), MeshError>,
    ) -> Result<bool, MeshError> {
        let Some(place) = self.places.get(&normalized(path)) else { return Ok(false) };
        // Also a ZIP that lies is unpacked no further.
        if self.archive.by_index_data(*place).is_ok_and(|entry| entry.size() > self.left) {
            return Err(MeshError::TooLarge);
        }
        let file = self.archive.by_index(*place).map_err(|_| MeshError::Damaged("its ZIP is broken"))?;
        let mut limited = file.take(self.left);
        let read = read_tags(&mut limited, &mut take);
        self.left = limited.limit();
        if self.left == 0 { Err(MeshError::TooLarge) } else { read.map(|()| true) }
    }
}

/// A path as it is compared: without the slash of the root, and in small letters.
pub(super) fn normalized(path: &str) -> String {
    path.trim_start_matches('/').to_ascii_lowercase()
}

fn read_tags(
    from: impl Read,
    take: &mut impl FnMut(XmlTag<'_>) -> Result<(), MeshError>,
) -> Result<(), MeshError> {
    let mut reader = Reader::from_reader(BufReader::new(from));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        match event.map_err(|_| MeshError::Damaged("its XML is broken, or its ZIP"))? {
            Event::Start(element) => take(XmlTag::Open(&element))?,
            Event::Empty(element) => {
                take(XmlTag::Open(&element))?;
                take(XmlTag::Close(element.local_name().as_ref()))?;
            }
            Event::End(element) => take(XmlTag::Close(element.local_name().as_ref()))?,
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// The values of attributes, by their names without prefixes, as they are written.
pub(super) fn attributes<'a, const N: usize>(
    element: &'a BytesStart<'_>,
    names: [&[u8]; N],
) -> [Option<Cow<'a, [u8]>>; N] {
    let mut values = [const { None }; N];
    for attribute in element.attributes().with_checks(false).flatten() {
        let name = attribute.key.local_name();
        if let Some((value, _)) = values.iter_mut().zip(names).find(|(_, known)| *known == name.as_ref()) {
            *value = Some(attribute.value);
        }
    }
    values
}

/// The text of an attribute, by its name without a prefix.
pub(super) fn text(element: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let mut attributes = element.attributes();
    let attribute = attributes
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}
