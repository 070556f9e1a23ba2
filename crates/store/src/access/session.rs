//! Access to a session: through its project.

use auth::actor::Needs;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::SessionId;
use domain::project::ProjectRef;
use domain::session::SessionRecord;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::project::Project;
use crate::access::{Target, Witness};
use crate::call::Call;
use crate::failure::failure;
use crate::schema::sessions;
use crate::sessions::SessionRow;
use crate::transaction::Tx;

/// A session as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct SessionRef {
    /// The project.
    pub project: ProjectRef,
    /// The session.
    pub session: SessionId,
}

/// A session of a project on which the caller may do `P`; it may be closed.
#[derive(Debug)]
pub struct Session<P> {
    /// Its record.
    pub record: SessionRecord,
    /// Its project, at the session's branch.
    pub project: Project<P>,
}

impl<P: Needs> Target<P> for SessionRef {
    type Witness = Session<P>;

    async fn resolve(&self, tx: &mut Tx, call: &Call<P>) -> Result<Session<P>> {
        let project = self.project.resolve(tx, call).await?;
        let row: Option<SessionRow> = sessions::table
            .find(self.session.0)
            .filter(sessions::project_id.eq(project.record.id.0))
            .select(SessionRow::as_select())
            .first(tx.connection()?)
            .await
            .optional()
            .map_err(failure)?;
        let record = row.ok_or_else(Error::not_found)?.record()?;
        // A request that names a branch names the session's.
        if self.project.branch.as_ref().is_some_and(|branch| *branch != record.branch) {
            return Err(Error::not_found());
        }
        Ok(Session { record, project })
    }
}

impl<P> Witness for Session<P> {
    fn id(&self) -> Uuid {
        self.record.id.0
    }
}
