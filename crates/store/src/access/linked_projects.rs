//! Access to a team together with the projects that are linked to it.

pub(crate) mod board;

use auth::actor::Requirement;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::content::project::Visibility;
use domain::id::{ProjectId, TeamId};
use domain::key::ProjectKey;
use domain::people::permission::{Permission, Permissions};
use domain::text::Name;
use domain::time::Timestamp;
use futures_util::future::join3;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::ProjectAccessRow;
use crate::access::reachable;
use crate::access::team::{Team, TeamRef};

/// A project that is linked to a team and that the caller sees. Most uses need its id alone, so other columns stay
/// undecoded.
#[derive(Debug)]
pub(crate) struct LinkedProjectAccess {
    /// Id.
    pub(crate) id: ProjectId,
    /// Everything that the caller may do on the project with this credential.
    pub(crate) permissions: Permissions,
    name: String,
    key: Option<String>,
    slug: String,
    visibility: Visibility,
    linked_at: OffsetDateTime,
}

impl LinkedProjectAccess {
    /// Its name.
    pub(crate) fn name(&self) -> Result<Name> {
        decode::name(&self.name)
    }

    /// Its key.
    pub(crate) fn key(&self) -> Result<Option<ProjectKey>> {
        self.key.as_deref().map(decode::parse).transpose()
    }

    /// The project as a team lists it.
    pub(crate) fn record(&self) -> Result<domain::planning::team::LinkedProject> {
        Ok(domain::planning::team::LinkedProject {
            id: self.id,
            name: self.name()?,
            project_slug: decode::slug(&self.slug)?,
            visibility: self.visibility,
            linked_at: Timestamp::from(self.linked_at),
        })
    }
}

/// A team as a request names it, together with the projects that are linked to it.
#[derive(Clone, Copy, Debug)]
pub struct LinkedTeamRef(pub TeamRef);

/// A team with which the caller may do `P`, and the projects that are linked to it.
#[derive(Debug)]
pub struct LinkedTeam<P> {
    /// The team.
    pub team: Team<P>,
    projects: Vec<LinkedProjectAccess>,
    related: Vec<Uuid>,
}

impl<P> LinkedTeam<P> {
    /// The linked projects on which the caller may do `permission`, in no order.
    pub(crate) fn projects_with(&self, permission: Permission) -> impl Iterator<Item = &LinkedProjectAccess> {
        self.projects.iter().filter(move |project| project.permissions.contains(permission))
    }

    /// The projects whose cards the caller reads and that have relations to cards of a linked project, in order. A linked
    /// project may be among them.
    pub(crate) fn related_projects(&self) -> Vec<Uuid> {
        self.related.clone()
    }
}

impl<P: Requirement> Target<P> for LinkedTeamRef {
    type Witness = LinkedTeam<P>;

    /// Finds the team and the projects in one round trip.
    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<LinkedTeam<P>> {
        let Self(at) = self;
        let (team, projects, related) = join3(
            at.resolve(connection, call),
            find(connection, at.team, call),
            reachable::related_to_team(connection, call, at.team),
        )
        .await;
        Ok(LinkedTeam { team: team?, projects: projects?, related: related? })
    }
}

/// The projects linked to a team that the caller sees, with the permissions of its role that the credential also has.
pub(crate) async fn find<P>(
    connection: &Connection,
    team: TeamId,
    call: &Call<P>,
) -> Result<Vec<LinkedProjectAccess>> {
    let rows: Vec<LinkedProjectsRow> = Statement::new(include_str!("linked_projects.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<SqlUuid, _>(call.actor.user.0)
        .load(connection)
        .await?;
    let mut found = Vec::new();
    for LinkedProjectsRow { reach, ids, names, keys, slugs, linked_at } in rows {
        let Some(role) = reach.users_role(&call.actor)? else { continue };
        let permissions = role.permissions().intersection(call.actor.ceiling);
        let visibility = reach.visibility()?;
        let columns = names.into_iter().zip(keys).zip(slugs).zip(linked_at);
        for (id, (((name, key), slug), linked_at)) in ids.into_iter().map(ProjectId).zip(columns) {
            if reach.is_within(id, &call.actor) {
                found.push(LinkedProjectAccess { id, permissions, name, key, slug, visibility, linked_at });
            }
        }
    }
    Ok(found)
}

/// Projects that the caller reaches with the same roles.
#[derive(QueryableByName)]
struct LinkedProjectsRow {
    #[diesel(embed)]
    reach: ProjectAccessRow,
    #[diesel(sql_type = Array<SqlUuid>)]
    ids: Vec<Uuid>,
    #[diesel(sql_type = Array<Text>)]
    names: Vec<String>,
    #[diesel(sql_type = Array<Nullable<Text>>)]
    keys: Vec<Option<String>>,
    #[diesel(sql_type = Array<Text>)]
    slugs: Vec<String>,
    #[diesel(sql_type = Array<Timestamptz>)]
    linked_at: Vec<OffsetDateTime>,
}
