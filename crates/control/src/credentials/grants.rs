//! The grants of sessions, executions, downloads and attachments: signed here, presented to the data plane.

use api::content::uploads::resumable::CreateResumableUpload;
use api::content::uploads::{DownloadFile, ReplaceFile, UploadArchive, UploadFile, UploadFiles};
use api::operation::{Declaration, Operation};
use api::work::sessions::{DataPlane, FileUrls};
use auth::actor::{Actor, ActorGrant, AutomationOnly, CardRead, GrantedSession, ProjectRead, Purpose};
use auth::grant::{GrantSigner, GrantTerms, GrantVerifier};
use domain::Result;
use domain::content::project::{BranchName, ProjectRef};
use domain::id::{OwnerId, ProjectId, UserId};
use domain::people::permission::{Permission, Permissions};
use domain::time::Timestamp;
use domain::work::execution::EvaluationRunRecord;
use domain::work::session::{ConnectionId, SessionRecord};
use serde_json::json;
use store::Call;
use store::work::executions::work::CodeExecution;
use url::Url;

/// Mints the grants of sessions.
pub struct Grants {
    /// The deployment's signing key.
    pub signer: GrantSigner,
    /// Verifies what it signed, for the operations that take grants.
    pub verifier: GrantVerifier,
    /// Public URL of the data plane; the same for all machines behind it.
    pub data_url: Url,
}

impl Grants {
    /// A fresh grant for a session: it reaches the session's project alone, and its ceiling is the caller's.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint<P>(&self, call: &Call<P>, session: &SessionRecord) -> Result<DataPlane> {
        let connection = ConnectionId::of_session(session.id);
        let purpose = Purpose::Session(GrantedSession {
            branch: session.branch.clone(),
            session: session.id,
            connection: connection.clone(),
        });
        let terms = terms(&call.actor, call.actor.ceiling, session.project, purpose);
        self.data_plane(&terms, connection, call.now)
    }

    /// The terms on which an execution reaches the data plane for `actor`: files, and nothing else.
    pub fn terms_of_execution(&self, actor: &Actor, execution: &CodeExecution) -> GrantTerms {
        let on_files: Permissions = [Permission::ProjectRead, Permission::ProjectWrite].into_iter().collect();
        let purpose = Purpose::Automation(GrantedSession {
            branch: execution.lease.branch.clone(),
            session: execution.lease.session,
            connection: ConnectionId::of_execution(execution.id),
        });
        terms(actor, actor.ceiling.intersection(on_files), execution.lease.project, purpose)
    }

    /// A grant for an evaluation run's sandbox. It has no more rights than the grant of the execution that asks for it
    /// (docs/api.md, section 3), which stays valid.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint_for_evaluation_run(
        &self,
        call: &Call<AutomationOnly>,
        run: &EvaluationRunRecord,
    ) -> Result<DataPlane> {
        let connection = ConnectionId::of_evaluation_run(run.id);
        let purpose = Purpose::Evaluation(GrantedSession {
            branch: run.branch.clone(),
            session: run.session,
            connection: connection.clone(),
        });
        let terms = terms(&call.actor, call.actor.ceiling, run.project, purpose);
        self.data_plane(&terms, connection, call.now)
    }

    /// A fresh grant to read the files of a project that the caller may read, and nothing else.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint_for_downloads(&self, call: &Call<ProjectRead>, project: ProjectId) -> Result<DataPlane> {
        let only_reads: Permissions = [Permission::ProjectRead].into_iter().collect();
        let permissions = call.actor.ceiling.intersection(only_reads);
        let terms = terms(&call.actor, permissions, project, Purpose::Download);
        self.data_plane(&terms, ConnectionId::of_downloads(), call.now)
    }

    /// A fresh grant for the attachments of a project's cards: it has no other rights, and none that the caller lacks.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint_for_attachments(&self, call: &Call<CardRead>, project: ProjectId) -> Result<DataPlane> {
        let on_cards: Permissions = [Permission::CardRead, Permission::CardWrite].into_iter().collect();
        let permissions = call.actor.ceiling.intersection(on_cards);
        let terms = terms(&call.actor, permissions, project, Purpose::Attachments);
        self.data_plane(&terms, ConnectionId::of_attachments(), call.now)
    }

    /// How to reach the data plane on these terms.
    fn data_plane(&self, terms: &GrantTerms, connection: ConnectionId, now: Timestamp) -> Result<DataPlane> {
        let minted = self.signer.mint(terms, now)?;
        Ok(DataPlane {
            url: self.data_plane_url(""),
            token: minted.grant.reveal().into(),
            connection_id: connection,
            expires_at: minted.expires_at,
        })
    }

    /// The URLs of files on a branch, through a connection of `user`.
    pub fn file_urls(
        &self,
        owner: OwnerId,
        user: UserId,
        (project, branch): (ProjectId, &BranchName),
        connection: &ConnectionId,
    ) -> FileUrls {
        // The last parameter stays a placeholder, which the client fills.
        let place = json!({
            "ownerId": owner,
            "userId": user,
            "projectId": ProjectRef { project, branch: Some(branch.clone()) },
            "connectionId": connection,
        });
        let url = |operation: Declaration| self.data_plane_url(&operation.path_with(&place));
        FileUrls {
            upload_url: url(UploadFile::DECLARATION),
            bulk_url: url(UploadFiles::DECLARATION),
            archive_url: url(UploadArchive::DECLARATION),
            resumable_url: url(CreateResumableUpload::DECLARATION),
            replace_url: url(ReplaceFile::DECLARATION),
            download_url: url(DownloadFile::DECLARATION),
        }
    }

    /// The URL of an operation on objects of a branch, with placeholders for all but the project.
    pub fn object_url(&self, operation: Declaration, project: ProjectId, branch: &BranchName) -> String {
        let place = json!({ "projectId": ProjectRef { project, branch: Some(branch.clone()) } });
        self.data_plane_url(&operation.path_with(&place))
    }

    /// The URL of an operation on attachments, with placeholders for all but the project.
    pub fn attachment_url(&self, operation: Declaration, project: ProjectId) -> String {
        self.data_plane_url(&operation.path_with(&json!({ "projectId": project })))
    }

    /// The URL of a path of the data plane, which begins with a slash.
    pub fn data_plane_url(&self, path: &str) -> String {
        format!("{}{path}", self.data_url.as_str().trim_end_matches('/'))
    }
}

/// A grant for `purpose` to the actor, bound to the actor's own key.
fn terms(actor: &Actor, permissions: Permissions, project: ProjectId, purpose: Purpose) -> GrantTerms {
    GrantTerms { user: actor.user, permissions, bound_to: ActorGrant { key: actor.key(), project, purpose } }
}
