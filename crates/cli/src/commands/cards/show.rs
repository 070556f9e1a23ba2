//! Show a card with its tags, people, boards, comments and commits.

use api::content::projects::members::ListProjectMembers;
use api::planning::card_tags::ListCardTags;
use api::planning::cards::checklist::ListChecklist;
use api::planning::cards::comments::ListComments;
use api::planning::cards::commits::ListCardCommits;
use api::planning::cards::{CardPath, GetCard, GetCardQuery};
use api::planning::sprints::{GetSprint, SprintPath};
use client::Client;
use domain::content::commit::CardCommit;
use domain::id::{CardId, TagId, UserId};
use domain::people::member::ProjectMember;
use domain::planning::card::{Comment, IndexCard, Priority, TeamStatus};
use domain::planning::checklist::ChecklistItem;
use domain::time::DateOrTime;
use futures_util::TryStreamExt;
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::cards::CardArgument;
use crate::commands::cards::{attachments, custom_fields, find, related};
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::Project;
use crate::revision::short;
use crate::team::teams;

/// The parts of a card that are known of now alone.
#[derive(Default)]
struct PresentParts {
    comments: Vec<Comment>,
    checklist: Vec<ChecklistItem>,
    commits: Vec<CardCommit>,
}

impl PresentParts {
    async fn read(client: &Client, project: &Project, id: CardId) -> CommandResult<Self> {
        let path = || CardPath { project_id: project.record.id.into(), card_id: id.into() };
        Ok(Self {
            comments: client.call(ListComments, path()).rows().try_collect().await?,
            checklist: client.call(ListChecklist, path()).await?.items,
            commits: commits(client, project, id).await,
        })
    }
}

/// Prints a card, as it is or as it was.
pub(crate) async fn run(
    client: &Client,
    card: &CardArgument,
    at: Option<DateOrTime>,
    global: &Global,
) -> CommandResult<Exit> {
    let (project, id) = find(client, card, Beginning::Taken).await?;
    let moment = GetCardQuery { at: at.map(DateOrTime::start) };
    let path = CardPath { project_id: project.record.id.into(), card_id: id.into() };
    let read = client.call(GetCard, path).query(&moment).await?;
    let present = match moment.at {
        None => Some(PresentParts::read(client, &project, id).await?),
        Some(_) => None,
    };
    if global.json {
        let mut value = serde_json::to_value(&read).unwrap_or_default();
        if let (Some(fields), Some(present)) = (value.as_object_mut(), &present) {
            fields.insert("comments".to_owned(), json!(present.comments));
            fields.insert("checklist".to_owned(), json!(present.checklist));
            fields.insert("commits".to_owned(), json!(present.commits));
        }
        output::json(&value);
        return Ok(Exit::Done);
    }
    if let Some(at) = moment.at {
        output::print(&output::dim(&output::as_of(at)));
    }
    let PresentParts { comments, checklist, commits } = present.unwrap_or_default();
    let (card, index) = (&read.card, &read.index_card);
    let state = if card.is_open { "open" } else { "closed" };
    let key = card.key.as_ref().map(|key| format!("{key}  ")).unwrap_or_default();
    output::print(&format!("{key}{}  {}", card.fields.name, output::dim(state)));
    output::print(&format!("id        {id}"));
    let author = &card.author_display_name;
    output::print(&format!("created   {} by {author}", output::minute(card.created_at)));
    output::print(&format!("type      {}", card.fields.card_type));
    if card.fields.priority != Priority::None {
        output::print(&format!("priority  {}", card.fields.priority));
    }
    if card.fields.effort.get() > 0 {
        output::print(&format!("effort    {}", card.fields.effort.get()));
    }
    if let Some(start) = card.fields.start_date {
        output::print(&format!("start     {start}"));
    }
    if let Some(deadline) = card.fields.deadline {
        output::print(&format!("due       {}", output::day(deadline.0)));
    }
    for (label, names) in [
        ("tags", tags(client, &project, index).await),
        ("assigned", assignees(client, &project, index).await),
    ] {
        if !names.is_empty() {
            output::print(&format!("{label:<10}{}", names.join(", ")));
        }
    }
    if let Some(parent) = &read.parent {
        output::print(&format!("parent    {}", related::title(parent)));
    }
    for (name, value) in custom_fields::shown(client, &project, card).await {
        output::print(&format!("{name:<9} {value}"));
    }
    if read.children.total > 0 {
        output::print(&format!("children  {} of {} closed", read.children.closed, read.children.total));
    }
    if moment.at.is_some() && index.checklist.total > 0 {
        output::print(&format!("lines     {} of {} done", index.checklist.done, index.checklist.total));
    }
    for relation in &read.relations {
        output::print(&related::line(relation));
    }
    for attachment in &read.attachments {
        output::print(&attachments::line(attachment));
    }
    for board in boards(client, index).await {
        output::print(&format!("board     {board}"));
    }
    for text in [card.fields.description.as_str(), card.fields.resolution.as_str()] {
        if !text.is_empty() {
            output::print(&format!("\n{text}"));
        }
    }
    for (at, item) in checklist.iter().enumerate() {
        let tick = if item.is_done { "x" } else { " " };
        output::print(&format!(
            "{}{:>3}  [{tick}] {}",
            if at == 0 { "\n" } else { "" },
            at + 1,
            item.text.as_str()
        ));
    }
    for comment in &comments {
        let about = format!("{} · {}", comment.author_display_name, output::minute(comment.created_at));
        output::print(&format!("\n{}\n{}", output::dim(&about), comment.body));
    }
    for (at, commit) in commits.iter().enumerate() {
        let gap = if at == 0 { "\n" } else { "" };
        let closes = if commit.closes { "  (closes it)" } else { "" };
        output::print(&format!("{gap}{}  {}{closes}", short(&commit.commit_hash), commit.message));
    }
    Ok(Exit::Done)
}

/// The commits that name it. A key may read cards without their commits.
async fn commits(client: &Client, project: &Project, card: CardId) -> Vec<CardCommit> {
    let path = CardPath { project_id: project.record.id.into(), card_id: card.into() };
    client.call(ListCardCommits, path).await.map(|answer| answer.commits).unwrap_or_default()
}

/// The names of its tags. A name that this key may not read is an id, here and below.
async fn tags(client: &Client, project: &Project, card: &IndexCard) -> Vec<String> {
    if card.tag_ids.is_empty() {
        return Vec::new();
    }
    let known =
        client.call(ListCardTags, project.record.id).await.map(|answer| answer.tags).unwrap_or_default();
    let name = |id: &TagId| {
        let tag = known.iter().find(|tag| tag.id == *id);
        tag.map_or_else(|| id.to_string(), |tag| tag.name.to_string())
    };
    card.tag_ids.iter().map(name).collect()
}

/// The names of its assignees.
async fn assignees(client: &Client, project: &Project, card: &IndexCard) -> Vec<String> {
    if card.user_ids.is_empty() {
        return Vec::new();
    }
    let members = client.call(ListProjectMembers, project.record.id).rows();
    let members: Vec<ProjectMember> = members.try_collect().await.unwrap_or_default();
    let name = |id: &UserId| {
        let member = members.iter().find(|member| member.user_id == *id);
        member.map_or_else(|| id.to_string(), |member| member.name.to_string())
    };
    card.user_ids.iter().map(name).collect()
}

/// Its places: team, column, and sprint if it has one.
async fn boards(client: &Client, card: &IndexCard) -> Vec<String> {
    let teams = match card.team_statuses.is_empty() {
        true => Vec::new(),
        false => teams(client, None, Beginning::Taken).await.unwrap_or_default(),
    };
    let mut boards = Vec::new();
    for TeamStatus { team_id, status_name, sprint_id, .. } in &card.team_statuses {
        let team = teams.iter().find(|team| team.record.id == *team_id);
        let name = team.map_or_else(|| team_id.to_string(), ToString::to_string);
        let sprint = match (team, sprint_id) {
            (_, None) => String::new(),
            (None, Some(sprint)) => format!(", {sprint}"),
            (Some(team), Some(sprint)) => {
                let read = client
                    .call(
                        GetSprint,
                        SprintPath { org_id: team.organization, team_id: *team_id, sprint_id: *sprint },
                    )
                    .await;
                read.map_or_else(|_| format!(", {sprint}"), |read| format!(", {}", read.sprint.name))
            }
        };
        boards.push(format!("{name}, {status_name}{sprint}"));
    }
    boards
}
