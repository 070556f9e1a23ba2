//! The grants of sessions, executions and clones: signed here, presented to the data plane.

use auth::actor::{Actor, ActorGrant, AutomationOnly, GrantedSession, ProjectRead, Purpose};
use auth::grant::{Grant, GrantSigner, GrantTerms, GrantVerifier};
use auth::permission::{Permission, Permissions};
use domain::Result;
use domain::execution::EvaluationRunRecord;
use domain::id::ProjectId;
use domain::session::{ConnectionId, SessionRecord};
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::Call;
use store::executions::work::CodeExecution;
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

/// Access to the data plane for a session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataPlane {
    /// Where.
    pub url: String,
    /// The grant, shown here alone.
    pub token: String,
    /// The session's connection.
    pub connection_id: ConnectionId,
    /// When the grant expires.
    pub expires_at: Timestamp,
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

    /// A fresh grant for the files of a clone of one project, which the caller may read: it reads, and nothing else.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint_for_clone(&self, call: &Call<ProjectRead>, project: ProjectId) -> Result<Grant> {
        let only_reads: Permissions = [Permission::ProjectRead].into_iter().collect();
        let permissions = call.actor.ceiling.intersection(only_reads);
        let terms = terms(&call.actor, permissions, project, Purpose::Clone);
        Ok(self.signer.mint(&terms, call.now)?.grant)
    }

    /// How to reach the data plane on these terms.
    fn data_plane(&self, terms: &GrantTerms, connection: ConnectionId, now: Timestamp) -> Result<DataPlane> {
        let minted = self.signer.mint(terms, now)?;
        Ok(DataPlane {
            url: self.data_plane_url(""),
            token: minted.grant.reveal().to_owned(),
            connection_id: connection,
            expires_at: minted.expires_at,
        })
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
