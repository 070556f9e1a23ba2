//! Previews: what there is to see of a file, and the files that are made of it to show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::Sha256Hash;

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
}

/// The facts that a preview tells of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreviewShape {
    /// The file's own unit, as a symbol (`mm`). Absent where the file gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The smallest box around it, in the file's coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<PreviewBox>,
    /// The faces of all distinct parts. Absent until they are made, and for files of triangles alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faces: Option<PreviewFaces>,
    /// Number of triangles of all distinct parts.
    pub triangles: u64,
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
    /// The file has no shape.
    None,
    /// It can't be made, or not as a whole; `reason` says why.
    Failed,
}

/// A preview as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// Facts about the shape, once something can be seen.
    pub shape: Option<PreviewShape>,
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
        match (self.is_finished, &self.shape, &self.failure) {
            (false, _, _) => PreviewStatus::Making,
            (true, _, Some(_)) => PreviewStatus::Failed,
            (true, Some(_), None) => PreviewStatus::Ready,
            (true, None, None) => PreviewStatus::None,
        }
    }
}

impl DerivedFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Glb, Self::Stl, Self::SmallPicture, Self::LargePicture, Self::Outline];

    /// Its name, as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Stl => "stl",
            Self::SmallPicture => "small-picture",
            Self::LargePicture => "large-picture",
            Self::Outline => "outline",
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
            Self::Outline => "application/json",
        }
    }

    /// A name with the extension of such files.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Glb => "shape.glb",
            Self::Stl => "shape.stl",
            Self::SmallPicture | Self::LargePicture => "picture.png",
            Self::Outline => "outline.json",
        }
    }
}
