//! Access to a project of a team: needs the right to work on the team's board and on the project's cards.

use auth::actor::{CardRead, CardWrite, TeamWrite};
use database::prelude::*;
use domain::content::project::ProjectRef;
use domain::id::OwnerId;
use domain::people::permission::Permission;
use domain::{Error, Result};

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::team::{Team, TeamRef};

/// A team and a project of its organization, linked or not, as a request names them.
#[derive(Clone, Debug)]
pub struct TeamProjectRef {
    /// The team.
    pub team: TeamRef,
    /// The project.
    pub project: ProjectRef,
}

/// A team on whose board the caller works, and a project of the same organization whose cards it may write.
#[derive(Debug)]
pub struct TeamProject {
    /// The team.
    pub team: Team<TeamWrite>,
    /// The project.
    pub project: Project<CardRead>,
}

impl Target<TeamWrite> for TeamProjectRef {
    type Witness = TeamProject;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamWrite>) -> Result<TeamProject> {
        call.also::<CardWrite>()?;
        let cards = call.also::<CardRead>()?;
        let team = self.team.resolve(connection, call).await?;
        let project = self.project.resolve(connection, &cards).await?;
        // A project of another owner is absent, so this comes before the role.
        if project.record.owner_id != OwnerId::from(team.record.organization_id) {
            return Err(Error::not_found());
        }
        if !project.permissions.contains(Permission::CardWrite) {
            return Err(Error::forbidden());
        }
        Ok(TeamProject { team, project })
    }
}
