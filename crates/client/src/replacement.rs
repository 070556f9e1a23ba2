//! Replacement of an object's file by a new version. The object keeps its id.

use domain::content::object::Sha256Hash;
use domain::content::upload::ObjectMap;
use domain::id::ObjectId;
use reqwest::Method;

use crate::body::Sink;
use crate::error::RequestResult;
use crate::file_form::FileUpload;
use crate::session::{FormTarget, Session};

/// An object whose file is replaced, if it still is the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacedObject {
    /// The object.
    pub id: ObjectId,
    /// SHA-256 of the file that is replaced.
    pub sha256: Sha256Hash,
}

impl Session {
    /// Replaces the file of an object, and answers the objects of the new file. The bytes are streamed in constant memory.
    ///
    /// # Errors
    /// Those of every request; 412 if the object has another file by now; `File`, `FileChanged`, `Damaged`. Nothing is
    /// replaced then, except with `Damaged`.
    pub async fn replace<S: Sink>(
        &self,
        object: ReplacedObject,
        file: &FileUpload,
        sink: &S,
    ) -> RequestResult<ObjectMap> {
        let url = self.object_url(&self.urls().replace_url, object.id)?;
        let if_match = Some(format!("\"{}\"", object.sha256));
        self.send_form(&FormTarget { method: Method::PUT, url, if_match }, file, sink).await
    }
}
