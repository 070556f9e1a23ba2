//! Access to a team's board in one statement, with the last change of what the board shows: all that the answer of a
//! board that was kept needs (docs/design/boards.md).

use auth::actor::Requirement;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::ProjectId;
use domain::people::permission::Permission;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::linked_projects::{LinkedProjectAccess, LinkedTeam};
use crate::access::project::ProjectAccessRow;
use crate::access::team::{TeamAccessRow, TeamRef};

/// A team's board as a request names it: by its team.
#[derive(Clone, Copy, Debug)]
pub struct BoardRef(pub TeamRef);

/// A board with which the caller may do `P`.
#[derive(Debug)]
pub struct FoundBoard<P> {
    /// The team and its projects, as [`LinkedTeamRef`](crate::LinkedTeamRef) finds them.
    pub team: LinkedTeam<P>,
    /// The last change.
    pub last_change: LastChange,
}

/// The last visible change of anything that a board shows to anybody. It is no answer: a reader would learn of changes
/// that are hidden from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LastChange {
    /// The number of its event.
    pub(crate) sequence: i64,
    /// Its time, because a restored database draws numbers again; `None` for an event that was deleted for its age.
    occurred_at: Option<Timestamp>,
}

impl<P: Requirement> Target<P> for BoardRef {
    type Witness = FoundBoard<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<FoundBoard<P>> {
        let Self(at) = self;
        let rows: Vec<BoardRow> = Statement::new(include_str!("board.sql"))
            .bind::<SqlUuid, _>(at.team.0)
            .bind::<SqlUuid, _>(at.organization.0)
            .bind::<SqlUuid, _>(call.actor.user.0)
            .load(connection)
            .await?;
        let mut found = Projects::default();
        let mut team = None;
        for BoardRow { team: row, sequence, occurred_at, way } in rows {
            let last_change = LastChange { sequence, occurred_at: occurred_at.map(Timestamp::from) };
            team = Some((row, last_change));
            found.add(way, call)?;
        }
        let (team, last_change) = team.ok_or_else(Error::not_found)?;
        let Projects { linked, mut related } = found;
        related.sort_unstable();
        let team = LinkedTeam { team: team.decide(call)?, projects: linked, related };
        Ok(FoundBoard { team, last_change })
    }
}

/// The projects that the caller reaches.
#[derive(Default)]
struct Projects {
    linked: Vec<LinkedProjectAccess>,
    /// Those whose cards it reads.
    related: Vec<Uuid>,
}

impl Projects {
    /// Adds those of one way.
    fn add<P>(&mut self, way: WayRow, call: &Call<P>) -> Result<()> {
        let Some((reach, projects)) = way.read() else { return Ok(()) };
        let Some(role) = reach.users_role(&call.actor)? else { return Ok(()) };
        let permissions = role.permissions().intersection(call.actor.ceiling);
        let visibility = reach.visibility()?;
        for OnBoard { id, name, key, slug, linked_at } in projects {
            let project = ProjectId(id);
            match linked_at {
                _ if !reach.is_within(project, &call.actor) => {}
                Some(linked_at) => self.linked.push(LinkedProjectAccess {
                    id: project,
                    permissions,
                    name,
                    key,
                    slug,
                    visibility,
                    linked_at,
                }),
                None if permissions.contains(Permission::CardRead) => self.related.push(id),
                None => {}
            }
        }
        Ok(())
    }
}

/// A project of which cards are on the board, or can block one there.
struct OnBoard {
    id: Uuid,
    name: String,
    key: Option<String>,
    slug: String,
    /// `None` for a related project.
    linked_at: Option<OffsetDateTime>,
}

/// A team with a way to projects, as `board.sql` selects them.
#[derive(QueryableByName)]
struct BoardRow {
    #[diesel(embed)]
    team: TeamAccessRow,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    occurred_at: Option<OffsetDateTime>,
    #[diesel(embed)]
    way: WayRow,
}

/// Projects that the caller reaches with the same roles; null if there are no projects.
#[derive(QueryableByName)]
struct WayRow {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    owner_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    owner_kind: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    project_visibility: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    project_role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    owner_role: Option<String>,
    #[diesel(sql_type = Nullable<Array<SqlUuid>>)]
    project_ids: Option<Vec<Uuid>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    project_names: Option<Vec<String>>,
    #[diesel(sql_type = Nullable<Array<Nullable<Text>>>)]
    project_keys: Option<Vec<Option<String>>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    project_slugs: Option<Vec<String>>,
    #[diesel(sql_type = Nullable<Array<Nullable<Timestamptz>>>)]
    linked_at: Option<Vec<Option<OffsetDateTime>>>,
}

impl WayRow {
    fn read(self) -> Option<(ProjectAccessRow, impl Iterator<Item = OnBoard>)> {
        let reach = ProjectAccessRow {
            owner_id: self.owner_id?,
            owner_kind: self.owner_kind?,
            visibility: self.project_visibility?,
            project_role: self.project_role,
            organization_role: self.owner_role,
        };
        let names = self.project_names?.into_iter().zip(self.project_keys?).zip(self.project_slugs?);
        let columns = self.project_ids?.into_iter().zip(names).zip(self.linked_at?);
        let projects =
            columns.map(|((id, ((name, key), slug)), linked_at)| OnBoard { id, name, key, slug, linked_at });
        Some((reach, projects))
    }
}
