//! Previews of files: facts, pictures, and files in other formats.

use domain::content::object::{CommitHash, Sha256Hash};
use domain::content::preview::{PreviewBox, PreviewFaces, PreviewMeasures, PreviewStatus};
use domain::content::project::ProjectRef;
use domain::id::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Header, Raw};
use crate::{operations, tags};

/// Headers with which a client asks for what it doesn't have.
pub(crate) const CONDITIONS: [Header; 1] =
    [("If-None-Match", "A state that the client has; 304 if it is the current one.")];

operations! {
    tag: tags::PREVIEWS;

    /// Answers what there is to see of the file that an object owns, or of which it is a part: the shape of a STEP file
    /// or one of triangles (STL, OBJ, glTF, 3MF, PLY); of PDFs, images, text and code there are only pictures. The
    /// first question begins to make it. While it is being made `status` is `making`: ask again after a second, or wait
    /// for the event `preview.finished`.
    ReadPreview = Get "/api/v1/projects/{projectId}/objects/{objectId}/preview" {
        summary: "Read a preview of an object's file",
        path: PreviewPath,
        query: ReadPreviewQuery,
        answer: PreviewResponse,
        effect: Reads,
    }

    /// Answers a picture of an object's file, or of one part of it, as PNG with a transparent background. With `sha256`
    /// the answer may be kept for ever. While the file is being drawn it is `UNAVAILABLE` with `Retry-After`; without
    /// anything to see it is `NOT_FOUND`.
    ReadThumbnail = Get "/api/v1/projects/{projectId}/objects/{objectId}/thumbnail" {
        summary: "Read a picture of an object",
        path: PreviewPath,
        query: ReadThumbnailQuery,
        answer: Raw,
        effect: Reads,
        also: reads(&CONDITIONS),
    }

    /// Answers the shape of an object's file, or of one part of it, in another format: `glb` is glTF 2.0 in one file, in
    /// metres with y upwards, where `extras.object` of a node is its place in `shape.objects` of the preview; `stl` is
    /// binary STL in the file's own unit. While the file is being drawn it is `UNAVAILABLE` with `Retry-After`; without
    /// anything to see it is `NOT_FOUND`.
    ReadDerivedFile = Get "/api/v1/projects/{projectId}/objects/{objectId}/derived/{format}" {
        summary: "Read a shape in another format",
        path: DerivedFilePath,
        query: ReadDerivedFileQuery,
        answer: Raw,
        effect: Reads,
        also: reads(&CONDITIONS),
    }
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewPath {
    /// The project of the grant, with a branch: that of the grant's session, or any.
    pub project_id: ProjectRef,
    /// The object.
    pub object_id: ObjectId,
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DerivedFilePath {
    /// The project of the grant, with a branch: that of the grant's session, or any.
    pub project_id: ProjectRef,
    /// The object.
    pub object_id: ObjectId,
    /// The format.
    pub format: ModelFormat,
}

/// A format of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelFormat {
    /// glTF 2.0 in one file.
    Glb,
    /// Binary STL.
    Stl,
}

/// The version of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadPreviewQuery {
    /// The object as this commit of the project has it. Without it, as the branch has it, with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
}

/// The version of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadDerivedFileQuery {
    /// The object as this commit of the project has it. Without it, as the branch has it, with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
    /// The file's hash, if the client knows it: the answer may then be kept for ever. Of another file it is `NOT_FOUND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256Hash>,
}

/// The size of the picture, and the version of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadThumbnailQuery {
    /// Width and height in pixels: 256 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<ThumbnailSize>,
    /// The object as this commit of the project has it. Without it, as the branch has it, with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
    /// The file's hash, if the client knows it: the answer may then be kept for ever. Of another file it is `NOT_FOUND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256Hash>,
}

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ThumbnailSize {
    /// For lists.
    #[serde(rename = "256")]
    Small,
    /// For pages.
    #[serde(rename = "1024")]
    Large,
}

/// The things to see of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResponse {
    /// The file's hash. Absent without a file, and for one of a kind that isn't shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256Hash>,
    /// The state of the preview.
    pub status: PreviewStatus,
    /// Why nothing is shown, or not all: a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The shape, once it can be seen. Absent for what is flat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShownShape>,
}

/// A shape that can be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownShape {
    /// Size of its GLB file in bytes. It changes when faces are added to edges.
    pub size_bytes: u64,
    /// The objects of the file by their numbers, the one that owns it first; null for one that is not in this tree any
    /// more.
    pub objects: Vec<Option<ObjectId>>,
    /// The unit of lengths: the file's own, as a symbol (`mm`). Absent where the file gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The smallest box around it, in the file's coordinates.
    #[serde(rename = "box", default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<PreviewBox>,
    /// Area of its surface, in the square of `unit`. Absent if it may be off by more than 1 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// Volume, in the cube of `unit`. Absent unless all parts are closed, and if it may be off by more than 1 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// Centre of the volume, in the file's coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
    /// Measures of the part that the object is, along its own axes and in `unit`. Absent for the whole file, and until
    /// faces are made. A box is that of a part without parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PreviewMeasures>,
    /// The faces of all distinct parts. Absent until they are made, and for files of triangles that are shown as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faces: Option<PreviewFaces>,
    /// Number of triangles of all distinct parts.
    pub triangles: u64,
}
