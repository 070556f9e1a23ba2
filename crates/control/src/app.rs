//! What every handler of the control plane has at hand.

use std::sync::Arc;
use std::time::Duration;

use agent::tools::Executor;
use auth::actor::{Actor, AutomationOnly, GrantedSession, PresentedGrant, ProjectRead, Purpose};
use auth::grant::{Grant, GrantSigner, GrantTerms, GrantVerifier};
use auth::permission::{Permission, Permissions};
use domain::Result;
use domain::execution::EvaluationRunRecord;
use domain::id::ProjectId;
use domain::page::CursorKey;
use domain::session::{ConnectionId, SessionRecord};
use domain::time::Timestamp;
use link::Link;
use schemars::JsonSchema;
use serde::Serialize;
use store::executions::work::Assignment;
use store::{Call, Store};
use url::Url;

use crate::authenticator::Issuers;
use crate::events::Events;
use crate::executions::Executions;
use crate::packs::Packs;
use crate::runs::Runs;

/// The state of a control process; cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The truth.
    pub store: Store,
    /// Coordination with other processes.
    pub link: Link,
    /// The runs that this process works on.
    pub runs: Runs,
    /// The executions that this process works on.
    pub executions: Executions,
    /// Follows the events of sessions.
    pub events: Events,
    /// How often it is checked that who follows them may.
    pub event_check: Duration,
    /// Packs that were sent.
    pub packs: Packs,
    /// Makes and reads cursors.
    pub cursors: CursorKey,
    /// Whose browser tokens are accepted.
    pub issuers: Arc<Issuers>,
    /// Mints grants.
    pub grants: Arc<Grants>,
    /// Lists and invokes tools.
    pub tools: Executor<Self>,
    /// The origins of pages that may speak MCP: the plane's own, and those that are allowed beside it.
    pub origins: Arc<[Url]>,
    /// Most projects of an owner, unless its own record says otherwise.
    pub project_limit: u32,
    /// Most bytes of a batch of edits.
    pub batch_body_bytes: u64,
}

/// Mints the grants of sessions.
pub struct Grants {
    /// The deployment's signing key.
    pub signer: GrantSigner,
    /// Verifies what it signed, for the operations that take grants.
    pub verifier: GrantVerifier,
    /// Public URL of the data plane; it never names a machine (specification, "Authentication", 7).
    pub data_url: Url,
}

/// How to reach the data plane for a session (specification, "Authentication", 5).
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
        let terms = GrantTerms {
            user: call.actor.user,
            permissions: call.actor.ceiling,
            bound_to: PresentedGrant {
                key: call.actor.key(),
                project: session.project,
                purpose: Purpose::Session(GrantedSession {
                    branch: session.branch.clone(),
                    session: session.id,
                    connection: connection.clone(),
                }),
            },
        };
        self.data_plane(&terms, connection, call.now)
    }

    /// On which terms an execution reaches the data plane for `acting`: it works on files, and nothing else.
    pub fn terms_of_execution(&self, acting: &Actor, of: &Assignment) -> GrantTerms {
        let on_files: Permissions = [Permission::ProjectRead, Permission::ProjectWrite].into_iter().collect();
        GrantTerms {
            user: acting.user,
            permissions: acting.ceiling.intersection(on_files),
            bound_to: PresentedGrant {
                key: acting.key(),
                project: of.project,
                purpose: Purpose::Automation(GrantedSession {
                    branch: of.branch.clone(),
                    session: of.work.session,
                    connection: ConnectionId::of_execution(of.work.execution),
                }),
            },
        }
    }

    /// A fresh grant for an evaluation run's sandbox, with no more than the grant of the execution that asks for it, which
    /// stays as it is (specification, "Authentication", 8).
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint_for_evaluation_run(
        &self,
        call: &Call<AutomationOnly>,
        run: &EvaluationRunRecord,
    ) -> Result<DataPlane> {
        let connection = ConnectionId::of_evaluation_run(run.id);
        let terms = GrantTerms {
            user: call.actor.user,
            permissions: call.actor.ceiling,
            bound_to: PresentedGrant {
                key: call.actor.key(),
                project: run.project,
                purpose: Purpose::Evaluation(GrantedSession {
                    branch: run.branch.clone(),
                    session: run.session,
                    connection: connection.clone(),
                }),
            },
        };
        self.data_plane(&terms, connection, call.now)
    }

    /// A fresh grant for the files of a clone of one project, which the caller may read: it reads, and nothing else.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where signing fails.
    pub fn mint_for_clone(&self, call: &Call<ProjectRead>, project: ProjectId) -> Result<Grant> {
        let only_reads: Permissions = [Permission::ProjectRead].into_iter().collect();
        let terms = GrantTerms {
            user: call.actor.user,
            permissions: call.actor.ceiling.intersection(only_reads),
            bound_to: PresentedGrant { key: call.actor.key(), project, purpose: Purpose::Clone },
        };
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
