//! The operations of both planes: one table, from which the methods of [`Client`] come.
//!
//! A test compares the table with the OpenAPI documents. Operations of the data plane take grants and streams, so that
//! their methods are written out in [`crate::Session`]; the table has their addresses.

use api::branches::{BranchResponse, CreateBranchRequest, ListBranchesResponse};
use api::commits::{CommitResponse, CreateCommitRequest, ListCommitsResponse};
use api::downloads::CreateDownloadGrantResponse;
use api::files::{LookUpFilesRequest, LookUpFilesResponse};
use api::me::GetMeResponse;
use api::models::ListModelsResponse;
use api::objects::{
    BatchObjectsRequest, BatchObjectsResponse, CreateObjectRequest, DeleteObjectResponse,
    ListObjectsResponse, ObjectResponse, UpdateObjectRequest,
};
use api::projects::{CreateProjectRequest, CreateProjectResponse, ListProjectsResponse, ProjectResponse};
use api::sessions::{
    CloseSessionResponse, CreateSessionRequest, CreateSessionResponse, GetSessionResponse,
    ListSessionsResponse, ListUploadsResponse, RenewGrantResponse,
};
use domain::id::{ObjectId, ProjectId, SessionId};
use domain::object::{Tree, UncommittedChanges};
use domain::project::{BranchName, ProjectRef};

use crate::call::Call;
use crate::connection::Client;
use crate::operation::{Effect, Operation, Plane};

/// Declares the operations: id, method, verb, path, the parameters of the path, the body, the answer.
macro_rules! operations {
    (
        control {$(
            $(#[$doc:meta])+
            $id:literal $effect:ident $name:ident $verb:ident $path:literal
            [$($parameter:ident: $type:ty),*] $(body $body:ty)? => $answer:ty;
        )+}
        data {$( $data_id:literal $data_effect:ident $data_verb:ident $data_path:literal; )+}
    ) => {
        /// All operations that this crate has.
        pub const OPERATIONS: &[Operation] = &[
            $(Operation {
                id: $id,
                plane: Plane::Control,
                verb: stringify!($verb),
                path: $path,
                effect: Effect::$effect,
            },)+
            $(Operation {
                id: $data_id,
                plane: Plane::Data,
                verb: stringify!($data_verb),
                path: $data_path,
                effect: Effect::$data_effect,
            },)+
        ];

        /// The operations of the control plane.
        impl Client {$(
            $(#[$doc])+
            pub fn $name(&self, $($parameter: &$type,)* $(body: &$body)?) -> Call<$answer> {
                const OPERATION: &Operation = &Operation {
                    id: $id,
                    plane: Plane::Control,
                    verb: stringify!($verb),
                    path: $path,
                    effect: Effect::$effect,
                };
                Call::new(self, OPERATION, &[$($parameter),*])$(.json::<$body>(body))?
            }
        )+}
    };
}

operations! {
    control {
        /// Reads the caller's account.
        "getMe" Repeatable get_me GET "/api/v2/me" [] => GetMeResponse;
        /// Lists the models that can answer prompts.
        "listModels" Repeatable list_models GET "/api/v2/models" [] => ListModelsResponse;
        /// Lists the caller's projects, newest first. Filters: `api::projects::ListProjectsQuery`.
        "listProjects" Repeatable list_projects GET "/api/v2/projects" [] => ListProjectsResponse;
        /// Creates a project.
        "createProject" Creates create_project POST "/api/v2/projects" [] body CreateProjectRequest => CreateProjectResponse;
        /// Reads a project.
        "getProject" Repeatable get_project GET "/api/v2/projects/{projectId}" [project: ProjectRef] => ProjectResponse;
        /// Reads a branch's tree at once. For large trees, [`Client::tree_nodes`] yields one node after the other.
        "getTree" Repeatable get_tree GET "/api/v2/projects/{projectId}/tree" [project: ProjectRef] => Tree;
        /// Lists a branch's objects with their data. Filters: `api::objects::ListObjectsQuery`.
        "listObjects" Repeatable list_objects GET "/api/v2/projects/{projectId}/objects" [project: ProjectRef] => ListObjectsResponse;
        /// Creates an object.
        "createObject" Creates create_object POST "/api/v2/projects/{projectId}/objects" [project: ProjectRef] body CreateObjectRequest => ObjectResponse;
        /// Edits many objects at once.
        "batchObjects" Creates batch_objects POST "/api/v2/projects/{projectId}/objects/batch" [project: ProjectRef] body BatchObjectsRequest => BatchObjectsResponse;
        /// Reads an object.
        "getObject" Repeatable get_object GET "/api/v2/projects/{projectId}/objects/{objectId}" [project: ProjectRef, object: ObjectId] => ObjectResponse;
        /// Changes or moves an object.
        "updateObject" Changes update_object PATCH "/api/v2/projects/{projectId}/objects/{objectId}" [project: ProjectRef, object: ObjectId] body UpdateObjectRequest => ObjectResponse;
        /// Deletes an object with everything below it.
        "deleteObject" Repeatable delete_object DELETE "/api/v2/projects/{projectId}/objects/{objectId}" [project: ProjectRef, object: ObjectId] => DeleteObjectResponse;
        /// Finds out which files a project has already.
        "lookUpFiles" Repeatable look_up_files POST "/api/v2/projects/{projectId}/files/lookup" [project: ProjectRef] body LookUpFilesRequest => LookUpFilesResponse;
        /// Issues a grant to download a project's files. [`crate::Downloads`] renews it.
        "createDownloadGrant" Repeatable create_download_grant POST "/api/v2/projects/{projectId}/download-grants" [project: ProjectRef] => CreateDownloadGrantResponse;
        /// Lists a project's branches.
        "listBranches" Repeatable list_branches GET "/api/v2/projects/{projectId}/branches" [project: ProjectId] => ListBranchesResponse;
        /// Creates a branch.
        "createBranch" Creates create_branch POST "/api/v2/projects/{projectId}/branches" [project: ProjectId] body CreateBranchRequest => BranchResponse;
        /// Reads a branch.
        "getBranch" Repeatable get_branch GET "/api/v2/projects/{projectId}/branches/{branch}" [project: ProjectId, branch: BranchName] => BranchResponse;
        /// Reads a branch's uncommitted changes.
        "getChanges" Repeatable get_changes GET "/api/v2/projects/{projectId}/branches/{branch}/changes" [project: ProjectId, branch: BranchName] => UncommittedChanges;
        /// Reads a branch's history, newest first.
        "listCommits" Repeatable list_commits GET "/api/v2/projects/{projectId}/branches/{branch}/commits" [project: ProjectId, branch: BranchName] => ListCommitsResponse;
        /// Commits a branch's changes.
        "createCommit" Creates create_commit POST "/api/v2/projects/{projectId}/branches/{branch}/commits" [project: ProjectId, branch: BranchName] body CreateCommitRequest => CommitResponse;
        /// Lists a project's open sessions.
        "listSessions" Repeatable list_sessions GET "/api/v2/projects/{projectId}/sessions" [project: ProjectRef] => ListSessionsResponse;
        /// Opens a session. [`crate::Session::open`] also keeps its grant valid.
        "createSession" Creates create_session POST "/api/v2/projects/{projectId}/sessions" [project: ProjectRef] body CreateSessionRequest => CreateSessionResponse;
        /// Reads a session.
        "getSession" Repeatable get_session GET "/api/v2/projects/{projectId}/sessions/{sessionId}" [project: ProjectId, session: SessionId] => GetSessionResponse;
        /// Closes a session, which ends its grants.
        "closeSession" Repeatable close_session DELETE "/api/v2/projects/{projectId}/sessions/{sessionId}" [project: ProjectId, session: SessionId] => CloseSessionResponse;
        /// Mints another grant of a session.
        "renewGrant" Repeatable renew_grant POST "/api/v2/projects/{projectId}/sessions/{sessionId}/grant" [project: ProjectId, session: SessionId] => RenewGrantResponse;
        /// Lists a session's uploads in pieces.
        "listUploads" Repeatable list_uploads GET "/api/v2/projects/{projectId}/sessions/{sessionId}/uploads" [project: ProjectId, session: SessionId] => ListUploadsResponse;
        /// Follows a session's events. [`crate::Session::events`] reconnects.
        "streamEvents" Repeatable stream_events GET "/api/v2/projects/{projectId}/sessions/{sessionId}/events" [project: ProjectId, session: SessionId] => ();
    }
    data {
        "uploadFile" Creates POST "/api/v1/file/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}";
        "downloadFile" Repeatable GET "/api/v1/file/download/{ownerId}/{userId}/{projectId}/{connectionId}/{fileName}";
        "createResumableUpload" Creates POST "/api/v1/file/resumable/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}";
        "getResumableUpload" Repeatable GET "/api/v1/file/resumable/{projectId}/{uploadId}";
        "appendResumableUpload" Repeatable PATCH "/api/v1/file/resumable/{projectId}/{uploadId}";
        "deleteResumableUpload" Repeatable DELETE "/api/v1/file/resumable/{projectId}/{uploadId}";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::OPERATIONS;
    use crate::operation::Plane;

    #[test]
    fn operations_have_one_place_each() {
        let ids: BTreeSet<_> =
            OPERATIONS.iter().map(|operation| (operation.id, operation.plane == Plane::Data)).collect();
        let places: BTreeSet<_> =
            OPERATIONS.iter().map(|operation| (operation.verb, operation.path)).collect();
        assert_eq!((ids.len(), places.len()), (OPERATIONS.len(), OPERATIONS.len()));
    }

    #[test]
    fn only_posts_create() {
        for operation in OPERATIONS {
            assert!(!operation.takes_key() || operation.verb == "POST", "{}", operation.id);
        }
    }
}
