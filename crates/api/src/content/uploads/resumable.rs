//! Uploads in pieces, by the protocol of tus 1.0.

use domain::content::project::ProjectRef;
use domain::content::upload::{ObjectMap, ResumableUpload};
use domain::id::UploadId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::uploads::UploadPlace;
use crate::operation::{Header, Raw};
use crate::{operations, tags};

/// Headers of tus.
pub(crate) const TUS_RESUMABLE: Header = ("Tus-Resumable", "The version of tus: `1.0.0`.");
pub(crate) const LENGTH: Header = ("Upload-Length", "Size of the whole file, in bytes.");
pub(crate) const DEFER_LENGTH: Header =
    ("Upload-Defer-Length", "`1` where the size follows with a later piece.");
pub(crate) const OFFSET: Header =
    ("Upload-Offset", "Number of bytes that have arrived; a piece begins there.");
pub(crate) const METADATA: Header =
    ("Upload-Metadata", "Names with values in Base64; `filename` is the file's name.");
pub(crate) const CONCAT: Header =
    ("Upload-Concat", "`partial` for a part, or `final;` and the addresses of the parts to join.");
pub(crate) const CHECKSUM: Header =
    ("Upload-Checksum", "`sha1` or `sha256`, and the hash of the piece in Base64.");
pub(crate) const CRC64NVME: Header = (
    "Upload-Crc64nvme",
    "CRC-64/NVME of the bytes that have arrived, as 16 hexadecimal digits, to compare with the sender's own.",
);
pub(crate) const EXPIRES: Header = ("Upload-Expires", "When the unfinished upload is discarded.");
pub(crate) const LOCATION: Header = ("Location", "The address of the upload.");
pub(crate) const INTEROP_VERSION: Header = (
    "Upload-Draft-Interop-Version",
    "`6` in the place of `Tus-Resumable`, for the IETF's draft of resumable uploads.",
);
pub(crate) const COMPLETE: Header =
    ("Upload-Complete", "By the draft: `?1` with the last piece of the file, else `?0`.");
pub(crate) const OVERRIDE: Header = ("X-HTTP-Method-Override", "`PATCH` or `DELETE`.");
/// Headers that describe the service.
pub(crate) const OPTIONS: [Header; 5] = [
    TUS_RESUMABLE,
    ("Tus-Version", "The versions of tus that the service speaks."),
    ("Tus-Extension", "The extensions of tus that the service speaks."),
    ("Tus-Checksum-Algorithm", "The algorithms for `Upload-Checksum`."),
    ("Tus-Max-Size", "Size of the largest file, in bytes."),
];

operations! {
    tag: tags::UPLOADS_IN_PIECES;

    /// Answers in headers which version and extensions of tus the service speaks. It needs no credential.
    DescribeResumableUploads = Options "/api/v1/file/resumable/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}" {
        summary: "Read the options of resumable uploads",
        path: UploadPlace,
        answer: Raw,
        effect: Reads,
        also: answers(&OPTIONS),
    }

    /// Begins an upload, and answers its address in `Location`. The first piece can come along. With `Upload-Concat` it
    /// becomes a part, or joins parts. An upload expires 24 hours after its last piece. Another version of tus is
    /// `PRECONDITION_FAILED`, a wrong checksum `CHECKSUM_MISMATCH`. An owner has a limited number of bytes:
    /// `LIMIT_REACHED`.
    ///
    /// To replace an object's file as `replaceFile` does, name the object as `parentId`, and again as `replaces` in
    /// `Upload-Metadata`, beside `filename`; `ifMatch` there takes what `If-Match` would. An object whose file can't be
    /// replaced is `FILE_NOT_REPLACEABLE`.
    CreateResumableUpload = Post "/api/v1/file/resumable/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}" {
        summary: "Begin an upload in pieces",
        path: UploadPlace,
        body: Raw,
        answer: ResumableUploadResponse,
        effect: Creates,
        also:
            reads(&[ TUS_RESUMABLE, INTEROP_VERSION, COMPLETE, LENGTH, DEFER_LENGTH, METADATA, CONCAT, CHECKSUM]),
            answers(&[TUS_RESUMABLE, LOCATION, OFFSET, EXPIRES]),
    }

    /// Answers in headers which version and extensions of tus the service speaks. It needs no credential.
    DescribeResumableUpload = Options "/api/v1/file/resumable/{projectId}/{uploadId}" {
        summary: "Read the options of a resumable upload",
        path: UploadPath,
        answer: Raw,
        effect: Reads,
        also: answers(&OPTIONS),
    }

    /// Answers how many bytes have arrived, in `Upload-Offset`, with their CRC-64/NVME in `Upload-Crc64nvme`, and the
    /// objects of a complete upload. Clients ask it before they go on, and compare the checksum with their own.
    GetResumableUpload = Get "/api/v1/file/resumable/{projectId}/{uploadId}" {
        summary: "Read the progress of an upload in pieces, and its objects",
        path: UploadPath,
        answer: ResumableUploadResponse,
        effect: Reads,
        also: answers(&[TUS_RESUMABLE, OFFSET, CRC64NVME, LENGTH, DEFER_LENGTH, METADATA, CONCAT, EXPIRES]),
    }

    /// Adds the next piece at `Upload-Offset`. Another offset than the upload's is `UPLOAD_OFFSET_MISMATCH`, a second
    /// piece at the same time `UPLOAD_IN_PROGRESS`, bytes that don't match `Upload-Checksum` are `CHECKSUM_MISMATCH`
    /// and are not kept. Another version of tus is `PRECONDITION_FAILED`. The last piece adds the objects to the tree,
    /// and the session's event `objects.changed` follows. If they replace a file, the object may have changed
    /// meanwhile: `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`.
    AppendResumableUpload = Patch "/api/v1/file/resumable/{projectId}/{uploadId}" {
        summary: "Upload the next piece",
        path: UploadPath,
        body: Raw,
        answer: Raw,
        effect: Idempotent,
        also:
            reads(&[TUS_RESUMABLE, INTEROP_VERSION, COMPLETE, OFFSET, LENGTH, CHECKSUM]),
            answers(&[TUS_RESUMABLE, OFFSET, EXPIRES]),
    }

    /// Cancels an upload and discards its bytes. One that is complete stays. Another version of tus is
    /// `PRECONDITION_FAILED`; a piece that arrives at this moment is `UPLOAD_IN_PROGRESS`.
    DeleteResumableUpload = Delete "/api/v1/file/resumable/{projectId}/{uploadId}" {
        summary: "Cancel an upload in pieces",
        path: UploadPath,
        answer: Raw,
        effect: Idempotent,
        also: reads(&[TUS_RESUMABLE, INTEROP_VERSION]), answers(&[TUS_RESUMABLE]),
    }

    /// Does what `PATCH` or `DELETE` would do, for clients behind proxies without these methods. It fails as they do:
    /// `UPLOAD_OFFSET_MISMATCH`, `UPLOAD_IN_PROGRESS`, `CHECKSUM_MISMATCH`, `PRECONDITION_FAILED`.
    OverrideResumableUpload = Post "/api/v1/file/resumable/{projectId}/{uploadId}" {
        summary: "PATCH or DELETE by `X-HTTP-Method-Override`, for clients without these methods",
        path: UploadPath,
        body: Raw,
        answer: Raw,
        effect: Changes,
        also: reads(&[OVERRIDE, TUS_RESUMABLE, OFFSET, LENGTH, CHECKSUM]), answers(&[TUS_RESUMABLE, OFFSET, EXPIRES]),
    }
}

/// The state of an upload, with the object map of a finished one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumableUploadResponse {
    /// The upload.
    pub upload: ResumableUpload,
    /// The object map of a finished upload.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub map: Option<ObjectMap>,
}

/// The path of an upload.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadPath {
    /// The project that the session opened.
    pub project_id: ProjectRef,
    /// The upload.
    pub upload_id: UploadId,
}
