//! The operations of the data plane: files, with grants.

use crate::content::{previews, uploads};
use crate::operation::{Declaration, Effect, Method, PlaneDeclaration};
use crate::planning::cards::{attached_files, attachment_uploads};
use crate::tags;

/// The data plane.
pub const PLANE: PlaneDeclaration = PlaneDeclaration {
    title: "Atelier data plane",
    introduction: INTRODUCTION,
    document: &DOCUMENT,
    tags: &[
        &tags::DOCUMENT,
        &tags::DATA_FILES,
        &tags::UPLOADS_IN_PIECES,
        &tags::PREVIEWS,
        &tags::ATTACHMENTS,
    ],
    operations: &[
        &[&DOCUMENT],
        uploads::OPERATIONS,
        uploads::resumable::OPERATIONS,
        previews::OPERATIONS,
        attached_files::OPERATIONS,
        attachment_uploads::OPERATIONS,
    ],
};

/// Only generators of clients read it, so no call of it has a type.
const DOCUMENT: Declaration =
    Declaration::new("getOpenapi", &tags::DOCUMENT, Method::Get, "/api/v1/openapi.json", Effect::Reads).described(
        "Read this document",
        "Answers the OpenAPI 3.1 document of the data plane. It needs no credential. Keep its `ETag`, and ask with \
         `If-None-Match` whether it has changed.",
    );

const INTRODUCTION: &str = "Files to and from a session's branch. Send the grant of the session as \
    `Authorization: Bearer …`; the control plane\n\
    answers it with the address when a session is opened, and renews it. A grant lives for 15 minutes. \
    `projectId` is\n\
    `{projectId}--{branch}`, `userId` is not read, and `connectionId` is the one of the session.";
