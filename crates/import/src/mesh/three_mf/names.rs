//! Names of objects that slicers keep beside the model.

use std::collections::HashMap;
use std::io::{Read, Seek};

use super::package::{ThreeMfPackage, XmlTag, attributes, text};
use crate::mesh::text::number;

/// Parts with the settings of objects: of PrusaSlicer, and of Bambu Studio and OrcaSlicer.
const SETTINGS: [&str; 2] = ["Metadata/Slic3r_PE_model.config", "Metadata/model_settings.config"];

/// The names of objects in the part with the build, by their ids. Settings that can't be read name nothing.
pub(super) fn read<R: Read + Seek>(package: &mut ThreeMfPackage<R>) -> HashMap<u32, String> {
    let mut names = HashMap::new();
    for path in SETTINGS {
        // The object whose name is not found yet.
        let mut object: Option<u32> = None;
        let read = package.read(path, |tag| {
            let XmlTag::Open(element) = tag else { return Ok(()) };
            match element.local_name().as_ref() {
                b"object" => {
                    let [id] = attributes(element, [b"id"]);
                    object = id.and_then(|id| number(&id));
                }
                // Names after these are those of pieces of the object.
                b"volume" | b"part" => object = None,
                b"metadata" if text(element, b"key").as_deref() == Some("name") => {
                    names.extend(object.take().zip(text(element, b"value")));
                }
                _ => {}
            }
            Ok(())
        });
        drop(read);
    }
    names
}
