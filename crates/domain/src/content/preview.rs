//! Previews: what there is to see of a file, and the files that are made of it to show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::{ASSEMBLY_TYPE, CODE_TYPE, FileRef, PAGE_TYPE, PART_TYPE, Sha256Hash};

/// Extensions of files of triangles, with their dots.
const MESHES: [&str; 6] = [".stl", ".obj", ".gltf", ".glb", ".3mf", ".ply"];
/// Media types of images that are drawn.
const IMAGES: [&str; 7] =
    ["image/png", "image/apng", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"];
/// Media types of texts beside `text/…`, by their ends.
const TEXTS: [&str; 8] = ["json", "xml", "javascript", "x-sh", "toml", "yaml", "sql", "x-tex"];

/// The way in which a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewKind {
    /// As a shape in space, with pictures of it and of its parts.
    Shape,
    /// As a picture of the first page of a PDF.
    Document,
    /// As a picture of a page whose image a conversion made.
    Page,
    /// As a smaller picture of an image.
    Image,
    /// As a picture of the first lines of a text.
    Text,
}

impl PreviewKind {
    /// The way in which a file is shown that an object of this type owns; `None` for files that are never read to show
    /// them.
    pub fn of(object_type: &str, file: &FileRef) -> Option<Self> {
        let media_type = file.mime_type.as_str();
        let extension = file.suffix().to_ascii_lowercase();
        let is_design = object_type == ASSEMBLY_TYPE || object_type == PART_TYPE;
        if is_design || MESHES.contains(&extension.as_str()) {
            return Some(Self::Shape);
        }
        let is_text = media_type.starts_with("text/")
            || media_type.starts_with("application/") && TEXTS.iter().any(|end| media_type.ends_with(end));
        match object_type {
            _ if file.size == 0 => None,
            PAGE_TYPE if IMAGES.contains(&media_type) => Some(Self::Page),
            _ if media_type == "application/pdf" => Some(Self::Document),
            _ if IMAGES.contains(&media_type) => Some(Self::Image),
            _ if object_type == CODE_TYPE || is_text => Some(Self::Text),
            _ => None,
        }
    }

    /// True if it is made after an upload. Texts are drawn faster than they are read, and repositories have thousands of
    /// them, so they are drawn when somebody looks.
    pub fn is_made_after_uploads(self) -> bool {
        self != Self::Text
    }
}

/// A file that is made of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DerivedFormat {
    /// The shape as GLB: glTF 2.0 in one file, in metres, y upwards. Nodes have the numbers of their objects as
    /// `extras.object`.
    Glb,
    /// The shape as binary STL, in the file's own unit.
    Stl,
    /// A picture of 256 by 256 pixels, as PNG.
    SmallPicture,
    /// A picture of 1,024 by 1,024 pixels, as PNG.
    LargePicture,
    /// The objects that the file's conversion makes, by number, as JSON.
    Outline,
    /// The measures of these objects, by number, as JSON.
    Measures,
}

/// The facts that a preview tells of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreviewShape {
    /// The file's own unit, as a symbol (`mm`). Absent where the file gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Measures of all that it shows, in the file's coordinates.
    #[serde(default)]
    pub measures: PreviewMeasures,
    /// The faces of all distinct parts. Absent until they are made, and for files of triangles alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faces: Option<PreviewFaces>,
    /// Number of triangles of all distinct parts.
    pub triangles: u64,
}

/// Measures of a shape. Those that may be off by more than 1 % are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewMeasures {
    /// The smallest box around it.
    #[serde(rename = "box", default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<PreviewBox>,
    /// Area of its surface, in the square of the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// Volume, in the cube of the unit. Only of closed shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// Centre of the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewBox {
    /// The corner with the least coordinates.
    pub min: [f64; 3],
    /// The opposite corner.
    pub max: [f64; 3],
}

/// Faces of a file. With fewer shown than there are, the preview is approximate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewFaces {
    /// Those that the preview shows. Of the others it shows the edges.
    pub shown: u64,
    /// All of the file.
    pub all: u64,
}

/// The state of a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewStatus {
    /// It is made.
    Ready,
    /// It is being made. The edges of a design may be there before its faces.
    Making,
    /// There is nothing to see in the file.
    None,
    /// It can't be made, or not as a whole; `reason` says why.
    Failed,
}

/// A preview as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// Facts about the shape, once something can be seen. Absent for what is flat.
    pub shape: Option<PreviewShape>,
    /// True if there are pictures of the whole file.
    pub has_picture: bool,
    /// Why it shows nothing, or not all.
    pub failure: Option<String>,
    /// False while it is being made.
    pub is_finished: bool,
    /// True if it was looked at in the last hour.
    pub is_used: bool,
}

/// A file that was made of another one, in the object store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedFile {
    /// Number of the object that it shows, of the file's conversion: 0 for the whole file.
    pub part: u32,
    /// Its format.
    pub format: DerivedFormat,
    /// Its key in the object store.
    pub blob_key: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Hash of its bytes.
    pub sha256: Sha256Hash,
}

impl Preview {
    /// Its state.
    pub fn status(&self) -> PreviewStatus {
        match (self.is_finished, self.is_seen(), &self.failure) {
            (false, _, _) => PreviewStatus::Making,
            (true, _, Some(_)) => PreviewStatus::Failed,
            (true, true, None) => PreviewStatus::Ready,
            (true, false, None) => PreviewStatus::None,
        }
    }

    /// True if something can be seen.
    pub fn is_seen(&self) -> bool {
        self.shape.is_some() || self.has_picture
    }
}

impl DerivedFormat {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Glb, Self::Stl, Self::SmallPicture, Self::LargePicture, Self::Outline, Self::Measures];

    /// Its name, as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Stl => "stl",
            Self::SmallPicture => "small-picture",
            Self::LargePicture => "large-picture",
            Self::Outline => "outline",
            Self::Measures => "measures",
        }
    }

    /// The format of this name; `None` if there is no such format.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Glb => "model/gltf-binary",
            Self::Stl => "model/stl",
            Self::SmallPicture | Self::LargePicture => "image/png",
            Self::Outline | Self::Measures => "application/json",
        }
    }

    /// A name with the extension of such files.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Glb => "shape.glb",
            Self::Stl => "shape.stl",
            Self::SmallPicture | Self::LargePicture => "picture.png",
            Self::Outline => "outline.json",
            Self::Measures => "measures.json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PreviewKind;
    use crate::content::object::{Extension, FileRef, Sha256Hash};

    #[test]
    fn the_kind_of_a_preview_is_told_by_object_and_file() {
        let kind = |object_type: &str, name: &str, media_type: &str, size: u64| {
            let file = FileRef {
                sha256: Sha256Hash([0; 32]),
                size,
                mime_type: media_type.to_owned(),
                extension: Extension::of_file_name(name),
                name: None,
            };
            PreviewKind::of(object_type, &file)
        };
        for (object_type, name, media_type, expected) in [
            ("Part", "a.step", "model/step", Some(PreviewKind::Shape)),
            ("File", "a.STL", "model/stl", Some(PreviewKind::Shape)),
            ("File", "a.step", "model/step", None),
            ("Document", "a.pdf", "application/pdf", Some(PreviewKind::Document)),
            ("Page", "page.png", "image/png", Some(PreviewKind::Page)),
            ("File", "a.png", "image/png", Some(PreviewKind::Image)),
            ("File", "a.svg", "image/svg+xml", None),
            ("Code", "a.rs", "text/x-rust", Some(PreviewKind::Text)),
            ("File", "a.txt", "text/plain", Some(PreviewKind::Text)),
            ("File", "a.json", "application/json", Some(PreviewKind::Text)),
            ("File", "a.zip", "application/zip", None),
        ] {
            assert_eq!(kind(object_type, name, media_type, 1), expected, "{name}");
        }
        assert_eq!(kind("File", "a.txt", "text/plain", 0), None);
    }
}
