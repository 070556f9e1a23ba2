//! Assign cards to people, and put tags on them.

use api::planning::cards::relations::{
    AssignCard, AssigneePath, CardTagPath, TagCard, UnassignCard, UntagCard,
};
use client::Client;

use crate::arguments::Global;
use crate::arguments::cards::CardArgument;
use crate::commands::cards::find;
use crate::commands::tags;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::outcome;
use crate::person::{Candidates, Person};
use crate::resource::Project;

/// Assigns a card to somebody.
pub(super) async fn assign(
    client: &Client,
    card: &CardArgument,
    user: &str,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let (project, id) = find(client, card, beginning).await?;
    let user = assignee(client, &project, user, beginning).await?;
    let answer = client
        .call(
            AssignCard,
            AssigneePath { project_id: project.record.id.into(), card_id: id.into(), user_id: user.id },
        )
        .await?;
    let words = format!("\"{}\" is assigned to {}.", answer.card.fields.name, user.name);
    outcome(&answer, &words, global.json);
    Ok(Exit::Done)
}

/// Ends an assignment.
pub(super) async fn unassign(
    client: &Client,
    card: &CardArgument,
    user: &str,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let (project, id) = find(client, card, beginning).await?;
    let user = assignee(client, &project, user, beginning).await?;
    let answer = client
        .call(
            UnassignCard,
            AssigneePath { project_id: project.record.id.into(), card_id: id.into(), user_id: user.id },
        )
        .await?;
    outcome(&answer, &format!("The card is no longer assigned to {}.", user.name), global.json);
    Ok(Exit::Done)
}

/// Puts a tag on a card.
pub(super) async fn tag(
    client: &Client,
    card: &CardArgument,
    tag: &str,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let (project, id) = find(client, card, beginning).await?;
    let tag = tags::find(client, &project.record.id, tag, beginning).await?;
    let answer = client
        .call(
            TagCard,
            CardTagPath { project_id: project.record.id.into(), card_id: id.into(), tag_id: tag.id },
        )
        .await?;
    outcome(&answer, &format!("\"{}\" has the tag {}.", answer.card.fields.name, tag.name), global.json);
    Ok(Exit::Done)
}

/// Takes a tag off a card.
pub(super) async fn untag(
    client: &Client,
    card: &CardArgument,
    tag: &str,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let (project, id) = find(client, card, beginning).await?;
    let tag = tags::find(client, &project.record.id, tag, beginning).await?;
    let answer = client
        .call(
            UntagCard,
            CardTagPath { project_id: project.record.id.into(), card_id: id.into(), tag_id: tag.id },
        )
        .await?;
    outcome(&answer, &format!("The card no longer has the tag {}.", tag.name), global.json);
    Ok(Exit::Done)
}

async fn assignee(
    client: &Client,
    project: &Project,
    user: &str,
    beginning: Beginning,
) -> CommandResult<Person> {
    let list = format!("atelier projects members {}", project.argument());
    Candidates::of_project(client, &project.record.id).await?.find(client, user, &list, beginning).await
}
