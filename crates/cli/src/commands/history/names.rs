//! Names of what a history row refers to by id. Each list is read at the first row that needs it; a name that this key
//! may not read is an id.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use api::content::objects::{GetObject, ObjectPath};
use api::content::projects::members::ListProjectMembers;
use api::planning::card_tags::ListCardTags;
use api::planning::cards::{CardPath, GetCard};
use api::planning::sprints::{GetSprint, SprintPath};
use api::planning::teams::statuses::ListStatuses;
use client::Client;
use domain::id::{CardId, ObjectId, StatusId, TagId, TeamId, UserId};
use domain::people::member::ProjectMember;
use domain::planning::board::Placement;
use domain::planning::history::{HistoryRow, TEAM_PLACEMENT};
use domain::planning::status::StatusRecord;
use futures_util::TryStreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::CommandResult;
use crate::naming::Beginning;
use crate::resource::Project;
use crate::team::{Team, teams};

/// The names that were read so far.
#[derive(Default)]
pub(super) struct Names {
    people: Option<HashMap<UserId, String>>,
    tags: Option<HashMap<TagId, String>>,
    teams: Option<HashMap<TeamId, Team>>,
    columns: HashMap<TeamId, HashMap<StatusId, String>>,
    sprints: HashMap<String, String>,
    cards: HashMap<CardId, String>,
}

impl Names {
    /// The author of a row.
    pub(super) async fn actor(
        &mut self,
        client: &Client,
        project: &Project,
        row: &HistoryRow,
    ) -> CommandResult<String> {
        let found = self.people(client, project).await?.get(&row.actor.user_id).cloned();
        Ok(found.unwrap_or_else(|| "someone".to_owned()))
    }

    /// The card of a row.
    pub(super) async fn card(&mut self, client: &Client, project: &Project, row: &HistoryRow) -> String {
        if let Some((_, Value::String(name))) = row.changes.of("name") {
            self.cards.insert(row.card_id, name.clone());
        }
        match self.cards.entry(row.card_id) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(unknown) => {
                // The name of a deleted card is in its history alone, maybe before the first row.
                let read = client
                    .call(
                        GetCard,
                        CardPath { project_id: project.record.id.into(), card_id: (*unknown.key()).into() },
                    )
                    .await;
                let name = read.map(|read| read.card.fields.name.to_string());
                unknown.insert(name.unwrap_or_else(|_| row.card_id.to_string())).clone()
            }
        }
    }

    /// The person, the tag, the object or the place on a board that a row is about.
    pub(super) async fn subject(
        &mut self,
        client: &Client,
        project: &Project,
        row: &HistoryRow,
    ) -> CommandResult<Option<String>> {
        if let Some(user) = element::<UserId>(row, "user_id") {
            let name = self.people(client, project).await?.get(&user).cloned();
            return Ok(Some(name.unwrap_or_else(|| user.to_string())));
        }
        if let Some(tag) = element::<TagId>(row, "tag_id") {
            return Ok(Some(self.tag(client, project, tag).await));
        }
        if let Some(object) = element::<ObjectId>(row, "object_id") {
            let read = client
                .call(GetObject, ObjectPath { project_id: project.reference(), object_id: object })
                .await;
            return Ok(Some(read.map_or_else(|_| object.to_string(), |read| read.object.name.to_string())));
        }
        match element::<Placement>(row, TEAM_PLACEMENT) {
            Some(place) => Ok(Some(self.place(client, &place).await)),
            None => Ok(None),
        }
    }

    async fn people(
        &mut self,
        client: &Client,
        project: &Project,
    ) -> CommandResult<&HashMap<UserId, String>> {
        if self.people.is_none() {
            let members = client.call(ListProjectMembers, project.record.id).rows();
            let members: Vec<ProjectMember> = members.try_collect().await?;
            let names = members.into_iter().map(|member| (member.user_id, member.name.to_string()));
            self.people = Some(names.collect());
        }
        Ok(self.people.get_or_insert_default())
    }

    async fn tag(&mut self, client: &Client, project: &Project, tag: TagId) -> String {
        if self.tags.is_none() {
            let read = client.call(ListCardTags, project.record.id).await;
            let tags = read.map(|answer| answer.tags).unwrap_or_default();
            self.tags = Some(tags.into_iter().map(|tag| (tag.id, tag.name.to_string())).collect());
        }
        self.tags.as_ref().and_then(|tags| tags.get(&tag)).cloned().unwrap_or_else(|| tag.to_string())
    }

    /// The column, the team, and the sprint if there is one.
    async fn place(&mut self, client: &Client, place: &Placement) -> String {
        if self.teams.is_none() {
            let teams = teams(client, None, Beginning::Taken).await.unwrap_or_default();
            self.teams = Some(teams.into_iter().map(|team| (team.record.id, team)).collect());
        }
        let Some(team) = self.teams.as_ref().and_then(|teams| teams.get(&place.team_id)) else {
            return format!("team {}", place.team_id);
        };
        let columns = match self.columns.entry(place.team_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let read = client.call(ListStatuses, team.path()).rows();
                let columns: Vec<StatusRecord> = read.try_collect().await.unwrap_or_default();
                let names = columns.into_iter().map(|column| (column.id, column.name.to_string()));
                unknown.insert(names.collect())
            }
        };
        let column = columns.get(&place.status_id).map_or("(deleted)", String::as_str);
        let Some(sprint) = &place.sprint_id else { return format!("{column} of {team}") };
        let sprint = match self.sprints.entry(sprint.to_string()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let read = client
                    .call(
                        GetSprint,
                        SprintPath { org_id: team.organization, team_id: place.team_id, sprint_id: *sprint },
                    )
                    .await;
                let name = read.map(|read| read.sprint.name.to_string());
                unknown.insert(name.unwrap_or_else(|_| sprint.to_string()))
            }
        };
        format!("{column} of {team}, {sprint}")
    }
}

/// The element of a collection that a row has added, changed or removed.
fn element<T: DeserializeOwned>(row: &HistoryRow, field: &str) -> Option<T> {
    let (before, after) = row.changes.of(field)?;
    T::deserialize(if after.is_null() { before } else { after }).ok()
}
