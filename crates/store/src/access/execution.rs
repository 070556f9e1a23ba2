//! Access to an execution of a Code object, through its session or by its own grant.

use auth::actor::{Actor, ActorCredential, AutomationOnly, GrantedSession, Purpose, Requirement};
use database::prelude::*;
use database::schema::executions;
use domain::content::project::ProjectRef;
use domain::id::ExecutionId;
use domain::work::execution::ExecutionRecord;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::execution::ExecutionRow;
use crate::access::session::{Session, SessionRef};
use crate::access::{Parent, Target};

/// An execution as a request names it: within its session.
#[derive(Clone, Debug)]
pub struct ExecutionRef {
    /// The session.
    pub session: SessionRef,
    /// The execution.
    pub execution: ExecutionId,
}

/// An execution in a session of a project on which the caller may do `P`.
#[derive(Debug)]
pub struct Execution<P> {
    /// The execution's record.
    pub record: ExecutionRecord,
    /// The execution's session, which may be closed.
    pub session: Session<P>,
}

impl<P: Requirement> Target<P> for ExecutionRef {
    type Witness = Execution<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Execution<P>> {
        let session = self.session.resolve(connection, call).await?;
        let row: Option<ExecutionRow> = executions::table
            .find(self.execution.0)
            .filter(executions::session_id.eq(session.record.id.0))
            .select(ExecutionRow::as_select())
            .first(connection)
            .await
            .optional()?;
        Ok(Execution { record: row.ok_or_else(Error::not_found)?.record()?, session })
    }
}

/// The running execution whose grant the caller presents, on a project that the request names.
#[derive(Clone, Debug)]
pub struct OwnExecutionRef {
    /// The project.
    pub project: ProjectRef,
}

/// The running execution whose grant was presented. It can't end before the transaction does.
#[derive(Debug)]
pub struct OwnExecution {
    /// The session that the grant is bound to.
    pub granted: GrantedSession,
    /// The execution.
    pub id: ExecutionId,
    /// The project.
    pub project: Project<AutomationOnly>,
}

impl Target<AutomationOnly> for OwnExecutionRef {
    type Witness = OwnExecution;

    async fn resolve(&self, connection: &Connection, call: &Call<AutomationOnly>) -> Result<OwnExecution> {
        let project = self.project.resolve(connection, call).await?;
        let granted = granted(&call.actor)?;
        // A request that names a branch names the session's.
        if self.project.branch.as_ref().is_some_and(|branch| *branch != granted.branch) {
            return Err(Error::not_found());
        }
        let id = granted.connection.execution().ok_or_else(Error::unauthenticated)?;
        let running: Option<Uuid> = executions::table
            .find(id.0)
            .filter(executions::session_id.eq(granted.session.0).and(executions::state.eq("running")))
            .select(executions::id)
            .for_share()
            .first(connection)
            .await
            .optional()?;
        running.ok_or_else(Error::unauthenticated)?;
        Ok(OwnExecution { granted: granted.clone(), id, project })
    }
}

impl Parent<AutomationOnly> for OwnExecutionRef {
    fn id(&self, call: &Call<AutomationOnly>) -> Result<Uuid> {
        granted(&call.actor)?.connection.execution().map(|id| id.0).ok_or_else(Error::unauthenticated)
    }
}

fn granted(actor: &Actor) -> Result<&GrantedSession> {
    match &actor.credential {
        ActorCredential::Grant(grant) => match &grant.purpose {
            Purpose::Automation(granted) => Ok(granted),
            _ => Err(Error::internal("the grant does not belong to an execution")),
        },
        ActorCredential::ApiKey(_) | ActorCredential::Browser(_) | ActorCredential::Job => {
            Err(Error::internal("no grant was presented"))
        }
    }
}
