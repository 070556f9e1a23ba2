//! Objects of the tree.

use domain::content::edit::{ObjectChanges, ObjectType};
use domain::content::object::Object;
use domain::content::object_text::ObjectMatch;
use domain::content::project::ProjectRef;
use domain::content::version::ObjectVersion;
use domain::id::ObjectId;
use domain::page::{LimitText, PageMeta};
use domain::patch::Patch;
use domain::text::Name;
use domain::{Result, patch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

operations! {
    tag: tags::OBJECTS;

    /// Lists the objects of a branch, with filters for parent and type, and a search in names, pages, code and
    /// properties. For the whole structure without data, read the tree. A page of a search can be short: go on while
    /// `hasMore` is true.
    ListObjects = Get "/api/v2/projects/{projectId}/objects" {
        summary: "List a branch's objects",
        path: ProjectPath,
        query: ListObjectsQuery,
        answer: ListObjectsResponse,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Adds an object as an uncommitted change; a branch that holds too many is `BRANCH_CONFLICT`. Its parent is the
    /// project's root unless the request names another. Reserved packages can't be added twice: `RESERVED_OBJECT`.
    /// Causes the event `objects.changed`.
    CreateObject = Post "/api/v2/projects/{projectId}/objects" {
        summary: "Create an object",
        path: ProjectPath,
        body: Json<CreateObjectRequest>,
        answer: ObjectResponse,
        effect: Creates,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Applies up to 10,000 creations, changes and deletions, all of them or none. `#` and its `ref` name an object
    /// that an earlier one creates. A stale `ifMatch` is `PRECONDITION_FAILED`, a reserved package `RESERVED_OBJECT`,
    /// more uncommitted changes than a branch holds `BRANCH_CONFLICT`.
    BatchObjects = Post "/api/v2/projects/{projectId}/objects/batch" {
        summary: "Edit many objects at once",
        path: ProjectPath,
        body: Json<BatchObjectsRequest>,
        answer: BatchObjectsResponse,
        effect: Creates,
        tool: Toolbox("project"),
        also: deletes(),
    }

    /// Answers an object with its data, as the branch has it now. If it is a part of a design whose file only names the
    /// file that holds it, `external` has that name and the objects that own such a file.
    GetObject = Get "/api/v2/projects/{projectId}/objects/{objectId}" {
        summary: "Read an object",
        path: ObjectPath,
        query: GetObjectQuery,
        answer: ObjectResponse,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Renames, retypes or moves an object, or merges its data (RFC 7396: `null` removes a property). Everything below
    /// it moves along. Reserved packages can't be changed so: `RESERVED_OBJECT`. A branch with too many uncommitted
    /// changes is `BRANCH_CONFLICT`. Causes the event `objects.changed`.
    UpdateObject = Patch "/api/v2/projects/{projectId}/objects/{objectId}" {
        summary: "Change or move an object",
        path: ObjectPath,
        body: Json<UpdateObjectRequest>,
        answer: ObjectResponse,
        effect: Changes,
        tool: Toolbox("project"),
        also: everyday(), conditional(),
    }

    /// Lists the versions of the file that an object owns on a branch, newest first: the uncommitted one, then each
    /// commit on the branch's own line that brought another file. `downloadUrl` takes a grant of the project
    /// (`createDownloadGrant`). A page can be short or empty: go on while `hasMore` is true.
    ListObjectVersions = Get "/api/v2/projects/{projectId}/objects/{objectId}/versions" {
        summary: "List the versions of an object's file",
        path: ObjectPath,
        query: PageQuery,
        answer: ListObjectVersionsResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Deletes an object with everything below it, as an uncommitted change. Reserved packages stay: `RESERVED_OBJECT`.
    /// Causes the event `objects.changed`.
    DeleteObject = Delete "/api/v2/projects/{projectId}/objects/{objectId}" {
        summary: "Delete an object with everything below it",
        path: ObjectPath,
        answer: DeleteObjectResponse,
        effect: Idempotent,
        tool: Toolbox("project"),
        also: everyday(), conditional(),
    }
}

/// One object.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ObjectResponse {
    /// The object.
    pub object: Object,
    /// The other file that holds it, if it is a part of a design whose file only names it. Absent from answers to
    /// changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalFile>,
}

/// A file that a design names as that of one of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalFile {
    /// Its name.
    pub name: String,
    /// The objects of the branch that own a file of this name, in any case of letters; at most 20. Empty if it is
    /// missing.
    pub object_ids: Vec<ObjectId>,
}

/// The state to read.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetObjectQuery {
    /// As the last commit has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub committed: Option<bool>,
}

/// The operations, applied in their order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchObjectsRequest {
    /// The operations, at most 10,000.
    #[schemars(length(min = 1, max = 10_000))]
    pub operations: Vec<ObjectOperation>,
}

/// One operation. Instead of an id, it accepts `#` with the `ref` of an object that an earlier operation creates.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ObjectOperation {
    /// Creates an object.
    Create {
        /// Name by which later operations refer to the object.
        #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
        /// Name.
        name: Name,
        /// Type. Defaults to `Object`.
        #[serde(rename = "type", default)]
        object_type: ObjectType,
        /// The parent object. Defaults to the project's own id, the root.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// Properties, in any form.
        #[serde(default)]
        data: Map<String, Value>,
    },
    /// Changes or moves an object.
    Update {
        /// The object.
        id: String,
        /// Name.
        #[serde(default, skip_serializing_if = "Patch::is_absent")]
        #[schemars(extend("x-notCleared" = true))]
        name: Patch<Name>,
        /// Type.
        #[serde(rename = "type", default, skip_serializing_if = "Patch::is_absent")]
        #[schemars(extend("x-notCleared" = true))]
        object_type: Patch<ObjectType>,
        /// The new parent object.
        #[serde(default, skip_serializing_if = "Patch::is_absent")]
        #[schemars(extend("x-notCleared" = true))]
        parent: Patch<String>,
        /// Merge patch of the properties (RFC 7396).
        #[serde(default, skip_serializing_if = "Patch::is_absent")]
        data: Patch<Map<String, Value>>,
        /// The expected `ETag` of the object.
        #[serde(skip_serializing_if = "Option::is_none")]
        if_match: Option<String>,
    },
    /// Deletes an object with everything below it.
    Delete {
        /// The object.
        id: String,
        /// The expected `ETag` of the object.
        #[serde(skip_serializing_if = "Option::is_none")]
        if_match: Option<String>,
    },
}

impl ObjectOperation {
    /// The reference of the object that it creates.
    pub fn reference(&self) -> Option<String> {
        match self {
            Self::Create { reference, .. } => reference.clone(),
            Self::Update { .. } | Self::Delete { .. } => None,
        }
    }
}

/// The results of the operations.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BatchObjectsResponse {
    /// The objects of the operations, in their order.
    pub results: Vec<OperationResult>,
    /// Number of created objects.
    pub created: usize,
    /// Number of changes to objects.
    pub updated: usize,
    /// Number of deleted objects, including those below others.
    pub deleted: usize,
}

/// The object of an operation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperationResult {
    /// The object.
    pub id: ObjectId,
    /// Its reference in the batch.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// An object to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateObjectRequest {
    /// Name.
    pub name: Name,
    /// Type. Defaults to `Object`.
    #[serde(rename = "type", default)]
    pub object_type: ObjectType,
    /// The parent object. Defaults to the project's own id, the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<ObjectId>,
    /// Properties, in any form.
    #[serde(default)]
    pub data: Map<String, Value>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteObjectResponse {
    /// Always true.
    pub deleted: bool,
    /// The object.
    pub object_id: ObjectId,
    /// Number of deleted objects: it and everything below it.
    pub deleted_count: usize,
}

/// Which objects.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListObjectsQuery {
    /// Only objects of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub object_type: Option<String>,
    /// Only direct children of this object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<ObjectId>,
    /// Only objects with this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only objects at this path of names from the root, as in `/Model/Shaft`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only objects whose name or, after those, whose text holds each word; `"…"` is a phrase.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of objects, oldest first. A search lists those with the name first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListObjectsResponse {
    /// The objects.
    pub objects: Vec<Object>,
    /// Where the words of `q` are in objects that were found by their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<ObjectMatch>,
    /// The page.
    pub meta: PageMeta,
}

/// The changes; at least one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateObjectRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Type.
    #[serde(rename = "type", default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub object_type: Patch<ObjectType>,
    /// The new parent object; everything below moves along. The project's own id is the root.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub parent: Patch<ObjectId>,
    /// Merge patch of the properties (RFC 7396): `null` removes a property, or all of them as the whole value.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub data: Patch<Map<String, Value>>,
}

impl UpdateObjectRequest {
    /// The changes that the request describes.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at a field that can't be cleared, and at the body if it changes nothing.
    pub fn validate(self) -> Result<ObjectChanges> {
        patch::not_empty(ObjectChanges {
            name: self.name.not_cleared("name")?,
            object_type: self.object_type.not_cleared("type")?,
            parent: self.parent.not_cleared("parent")?,
            data: self.data,
        })
    }
}

/// A page of versions, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListObjectVersionsResponse {
    /// The versions.
    pub versions: Vec<ListedObjectVersion>,
    /// The page.
    pub meta: PageMeta,
}

/// A version with its address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedObjectVersion {
    /// The version.
    #[serde(flatten)]
    pub version: ObjectVersion,
    /// Downloads the version with a grant of the project.
    pub download_url: String,
}

/// The path of an operation on one object.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The object.
    pub object_id: ObjectId,
}
