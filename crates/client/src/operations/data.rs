//! The addresses of the data plane's operations.

use crate::operation::{Effect, Operation, Plane};

/// Declares operations of the data plane: id, effect, verb, path.
macro_rules! data_operations {
    ($($id:literal $effect:ident $verb:ident $path:literal;)+) => {
        /// The operations of files.
        pub(super) const OPERATIONS: &[Operation] = &[$(
            Operation {
                id: $id,
                plane: Plane::Data,
                verb: stringify!($verb),
                path: $path,
                query: "",
                body: "",
                answer: "",
                effect: Effect::$effect,
            },
        )+];
    };
}

data_operations! {
    "uploadFile" Creates
        POST "/api/v1/file/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}";
    "uploadFiles" Creates
        POST "/api/v1/file/bulk/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}";
    "replaceFile" Creates
        PUT "/api/v1/file/replace/{ownerId}/{userId}/{projectId}/{connectionId}/{objectId}";
    "downloadFile" Repeatable
        GET "/api/v1/file/download/{ownerId}/{userId}/{projectId}/{connectionId}/{fileName}";
    "createResumableUpload" Creates
        POST "/api/v1/file/resumable/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}";
    "getResumableUpload" Repeatable GET "/api/v1/file/resumable/{projectId}/{uploadId}";
    "appendResumableUpload" Repeatable PATCH "/api/v1/file/resumable/{projectId}/{uploadId}";
    "deleteResumableUpload" Repeatable DELETE "/api/v1/file/resumable/{projectId}/{uploadId}";
}
