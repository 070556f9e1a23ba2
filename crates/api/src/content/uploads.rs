//! Uploads and downloads of the data plane.

pub mod resumable;

use domain::content::object::{CommitHash, Sha256Hash};
use domain::content::project::ProjectRef;
use domain::content::upload::{ObjectMap, UploadedObject};
use domain::error::Refusal;
use domain::id::{ObjectId, OwnerId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Header, Raw};
use crate::{operations, tags};

/// Headers that a download reads.
pub(crate) const READ_CONDITIONS: [Header; 6] = [
    ("If-Match", "The `ETag` that the client expects; 412 for another state."),
    ("If-Unmodified-Since", "The time of the state that the client expects; 412 for a newer one."),
    ("If-None-Match", "A state that the client has; 304 if it is the current one."),
    ("If-Modified-Since", "The time of the state that the client has; 304 if it is the current one."),
    ("Range", "The wanted bytes, for example `bytes=0-1023`."),
    ("If-Range", "The `ETag` for which the range is meant; of another state the whole file is sent."),
];
/// Headers of a file.
pub(crate) const OF_FILE: [Header; 4] = [
    ("Last-Modified", "When the project got these bytes for the first time."),
    ("Accept-Ranges", "`bytes`: parts of the file can be read."),
    ("Content-Range", "The sent bytes and the file's size, with 206."),
    ("Content-Disposition", "The name under which to save the file."),
];

operations! {
    tag: tags::DATA_FILES;

    /// Stores a file of up to 2 GiB and adds its objects to the tree below `parentId`: the parts of a STEP file, the
    /// pages of a PDF, a code object, or one reference. The name of the file is kept as `file.name`, also where its
    /// object has another. Send `multipart/form-data` with one part named `file`; other forms are `INVALID_UPLOAD`.
    /// Everything joins the tree in one transaction, and nothing before the whole body has arrived. A file that can't
    /// be converted is stored as a reference that says why. A branch holds a limited number of bytes, and so does an
    /// owner: `LIMIT_REACHED`. A connection that does not begin with `headless-` is `INVALID_CONNECTION_ID`. The
    /// session's event `objects.changed` follows.
    UploadFile = Post "/api/v1/file/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}" {
        summary: "Upload a file and attach it to the tree",
        path: UploadPlace,
        body: Raw,
        answer: ObjectMap,
        effect: Creates,
    }

    /// Stores up to 1,000 files in one request, of 256 MiB in all, and adds their objects to the tree below `parentId`.
    /// Send `multipart/form-data` whose parts are all named `file`. The `filename` of a part is the path of its file,
    /// with `/` between names: `Drawings/2024/a.pdf`. Folders are found by their names, or made. Each file is an upload
    /// of its own, as by `uploadFile`: the answer has its first object and the number of all, or the error for which it
    /// alone was refused, in the order of the body. A path with `..`, an empty name, a backslash or a name of Git's own
    /// (`.git`) is `INVALID_UPLOAD`, and so is the path of an earlier file. With an `Idempotency-Key` a repeat adds
    /// each file once; with `skipExisting=true` no such request adds a file again that is there with its name and
    /// content. Where the body is cut short or no form, files that were complete stay, and `details.files` of the error
    /// lists them. A larger body is `PAYLOAD_TOO_LARGE`: send large files by `uploadFile` or in pieces. A connection
    /// that does not begin with `headless-` is `INVALID_CONNECTION_ID`; a file may be refused with `LIMIT_REACHED`. The
    /// session's event `objects.changed` follows for each file, and for folders that are made.
    UploadFiles = Post "/api/v1/file/bulk/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}" {
        summary: "Upload several files with their folders",
        path: UploadPlace,
        query: UploadFilesQuery,
        body: Raw,
        answer: UploadedFiles,
        effect: Creates,
    }

    /// Replaces the file of an object by a new version, and answers the file's objects. Send it as for `uploadFile`.
    /// The object keeps its id, name, parent and your own data; media type and extension follow the new file, and so
    /// does a type that you didn't choose. What was converted from the old file is replaced, too: objects that both
    /// versions have keep their ids, others are added or deleted. Parts of a design are known by the names and
    /// placements of their occurrences, then by geometry and product. Objects that you put below them stay. `replaced`
    /// says what has changed, and how many objects only their order told apart; the same bytes again change nothing,
    /// and `unchanged` is true then. `If-Match` takes the entity tag of the object or the SHA-256 of its file: another
    /// state is `PRECONDITION_FAILED`, with the current two. An object without a file, and the image of a page, are
    /// `FILE_NOT_REPLACEABLE`. Other forms than one part named `file` are `INVALID_UPLOAD`, more bytes than the owner
    /// may have `LIMIT_REACHED`, and a connection that does not begin with `headless-` is `INVALID_CONNECTION_ID`. The
    /// change is uncommitted, like every upload. The session's event `objects.changed` follows.
    ReplaceFile = Put "/api/v1/file/replace/{ownerId}/{userId}/{projectId}/{connectionId}/{objectId}" {
        summary: "Replace an object's file by a new version",
        path: ReplacementPath,
        body: Raw,
        answer: ObjectMap,
        effect: Creates,
        also: conditional(),
    }

    /// Unpacks a ZIP, a tar or a gzipped tar below `parentId`, and adds its files to the tree with their folders, empty
    /// ones included. Send `multipart/form-data` with one part named `file`, of up to 2 GiB. It may have 10,000 files
    /// and folders and 2 GiB unpacked, and unpack to 200 times its size beyond 64 MiB: else `PAYLOAD_TOO_LARGE`. The
    /// answer is that of `uploadFiles`. Links, devices, encrypted or damaged entries, and entries whose path is not
    /// accepted, are left out, each with its error. Another file, a damaged archive, and one whose entries overlap are
    /// `INVALID_UPLOAD`; what was complete by then stays, and `details.files` lists it. With an `Idempotency-Key` a
    /// repeat adds each file once. A connection that does not begin with `headless-` is `INVALID_CONNECTION_ID`; a file
    /// may be refused with `LIMIT_REACHED`. The session's event `objects.changed` follows for each file, and for
    /// folders that are made; `upload.changed` tells of a slow archive.
    UploadArchive = Post "/api/v1/file/archive/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}" {
        summary: "Unpack an archive into the tree",
        path: UploadPlace,
        body: Raw,
        answer: UploadedFiles,
        effect: Creates,
    }

    /// Answers the bytes of a stored file. Its name is the object's `id` and `extension`, which has its dot; any other
    /// name is 404, the bare id of a file with an extension, too. With `commit` it answers those of an earlier version,
    /// which `listObjectVersions` of the control plane names; any commit of the project will do. Ranges and conditions
    /// are honoured; a range beyond the end is `RANGE_NOT_SATISFIABLE`. A connection that does not begin with
    /// `headless-` is `INVALID_CONNECTION_ID`.
    DownloadFile = Get "/api/v1/file/download/{ownerId}/{userId}/{projectId}/{connectionId}/{fileName}" {
        summary: "Download a stored file",
        path: DownloadPath,
        query: DownloadFileQuery,
        answer: Raw,
        effect: Reads,
        also: reads(&READ_CONDITIONS), answers(&OF_FILE),
    }

    /// Answers the bytes of a file that a commit points to, by their hash. Git LFS uses it, with the address that the
    /// control plane answers. A range beyond the end is `RANGE_NOT_SATISFIABLE`.
    DownloadLfsFile = Get "/api/v1/file/lfs/{projectId}/{sha256}" {
        summary: "Download a file that a commit points to",
        path: LfsPath,
        answer: Raw,
        effect: Reads,
        also: reads(&READ_CONDITIONS), answers(&OF_FILE),
    }
}

/// The result of each file of a request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedFiles {
    /// The files in the order of the request.
    pub files: Vec<UploadedFile>,
    /// Number of an archive's entries that the sender's system has left there (`__MACOSX`, `.DS_Store`, `Thumbs.db`,
    /// `desktop.ini`). They are not added. Absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_count: Option<u64>,
}

/// The result of one file: the object that owns it, or the error for which it was refused. Its size doesn't depend on the
/// file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedFile {
    /// The file's path as it was sent, cut to 1,024 characters.
    pub path: String,
    /// The object that owns the file. The tree below it has the others. Absent from a refused file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<UploadedObject>,
    /// Number of objects that were made of the file, `root` included. Absent from a refused file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_count: Option<u64>,
    /// The reason of a refusal. Absent from an uploaded file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}

/// The choice for a file that its folder has already.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadFilesQuery {
    /// True: a file is not added where a request with this parameter has added one of the same name and content before, as
    /// long as that is in the folder and unchanged. The answer has the object that is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_existing: Option<bool>,
}

/// The version of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DownloadFileQuery {
    /// The file as this commit of the project has it. Without it, as the branch has it, with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DownloadPath {
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The acting user. Ignored: the grant names the user.
    #[schemars(length(min = 1))]
    pub user_id: String,
    /// The project of the grant, with a branch: that of the grant's session, or any.
    pub project_id: ProjectRef,
    /// The grant's connection.
    #[schemars(regex(pattern = "^headless-"))]
    pub connection_id: String,
    /// The object's id, followed by the extension of its file.
    pub file_name: String,
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplacementPath {
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The acting user. Ignored: the grant names the user.
    #[schemars(length(min = 1))]
    pub user_id: String,
    /// The project that the session opened, with its branch.
    pub project_id: ProjectRef,
    /// The connection through which the change is applied.
    #[schemars(regex(pattern = "^headless-"))]
    pub connection_id: String,
    /// The object that owns the file.
    pub object_id: ObjectId,
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LfsPath {
    /// The project of the grant.
    pub project_id: ProjectRef,
    /// The file's hash.
    pub sha256: Sha256Hash,
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadPlace {
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The acting user. Ignored: the grant names the user.
    #[schemars(length(min = 1))]
    pub user_id: String,
    /// The project that the session opened, with its branch.
    pub project_id: ProjectRef,
    /// The connection through which the upload is applied.
    #[schemars(regex(pattern = "^headless-"))]
    pub connection_id: String,
    /// The parent object of the file.
    pub parent_id: ObjectId,
}
