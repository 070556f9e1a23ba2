//! The objects of a branch, and their files.

use api::changes::{DiscardChangesQuery, DiscardChangesResponse};
use api::downloads::CreateDownloadGrantResponse;
use api::files::{LookUpFilesRequest, LookUpFilesResponse};
use api::objects::{
    BatchObjectsRequest, BatchObjectsResponse, CreateObjectRequest, DeleteObjectResponse, GetObjectQuery,
    ListObjectVersionsResponse, ListObjectsQuery, ListObjectsResponse, ObjectResponse, UpdateObjectRequest,
};
use api::page::PageQuery;
use api::projects::GetTreeQuery;
use domain::id::{ObjectId, ProjectId};
use domain::object::{Tree, UncommittedChanges};
use domain::project::{BranchName, ProjectRef};

operations! {
    /// Reads a branch's tree at once. For large trees, [`Client::tree_nodes`] yields one node after the other.
    get_tree "getTree" Repeatable GET "/api/v2/projects/{projectId}/tree"
        (project: ProjectRef) query GetTreeQuery => Tree;
    /// Lists a branch's objects.
    list_objects "listObjects" Repeatable GET "/api/v2/projects/{projectId}/objects"
        (project: ProjectRef) query ListObjectsQuery => ListObjectsResponse;
    /// Creates an object.
    create_object "createObject" Creates POST "/api/v2/projects/{projectId}/objects"
        (project: ProjectRef) body CreateObjectRequest => ObjectResponse;
    /// Edits many objects at once.
    batch_objects "batchObjects" Creates POST "/api/v2/projects/{projectId}/objects/batch"
        (project: ProjectRef) body BatchObjectsRequest => BatchObjectsResponse;
    /// Reads an object.
    get_object "getObject" Repeatable GET "/api/v2/projects/{projectId}/objects/{objectId}"
        (project: ProjectRef, object: ObjectId) query GetObjectQuery => ObjectResponse;
    /// Changes or moves an object.
    update_object "updateObject" Changes PATCH "/api/v2/projects/{projectId}/objects/{objectId}"
        (project: ProjectRef, object: ObjectId) body UpdateObjectRequest => ObjectResponse;
    /// Deletes an object with everything below it.
    delete_object "deleteObject" Repeatable DELETE "/api/v2/projects/{projectId}/objects/{objectId}"
        (project: ProjectRef, object: ObjectId) => DeleteObjectResponse;
    /// Lists the versions of an object's file.
    list_object_versions "listObjectVersions" Repeatable GET "/api/v2/projects/{projectId}/objects/{objectId}/versions"
        (project: ProjectRef, object: ObjectId) query PageQuery => ListObjectVersionsResponse;
    /// Finds out which files a project has already.
    look_up_files "lookUpFiles" Repeatable POST "/api/v2/projects/{projectId}/files/lookup"
        (project: ProjectRef) body LookUpFilesRequest => LookUpFilesResponse;
    /// Issues a grant to download a project's files. [`crate::Downloads`] renews it.
    create_download_grant "createDownloadGrant" Repeatable POST "/api/v2/projects/{projectId}/download-grants"
        (project: ProjectRef) => CreateDownloadGrantResponse;
    /// Reads a branch's uncommitted changes.
    get_changes "getChanges" Repeatable GET "/api/v2/projects/{projectId}/branches/{branch}/changes"
        (project: ProjectId, branch: BranchName) => UncommittedChanges;
    /// Discards uncommitted changes.
    discard_changes "discardChanges" Repeatable DELETE "/api/v2/projects/{projectId}/branches/{branch}/changes"
        (project: ProjectId, branch: BranchName) query DiscardChangesQuery => DiscardChangesResponse;
}
