//! List, create, rename and delete the tags of a project's cards.

use api::planning::card_tags::{
    CreateCardTag, CreateCardTagRequest, DeleteCardTag, ListCardTags, TagPath, UpdateCardTag,
    UpdateCardTagRequest,
};
use client::Client;
use domain::id::ProjectId;
use domain::patch::Patch;
use domain::planning::tag::{Color, InvalidColor, TagRecord};

use crate::arguments::Global;
use crate::arguments::teams::Tags;
use crate::commands::objects::parse_name;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::output::{self, counted, outcome};
use crate::resource::ProjectArgument;

/// Runs a command on tags.
pub(crate) async fn run(client: &Client, command: Tags, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Tags::List { project } => list(client, &project, global).await?,
        Tags::Create { project, name, color } => {
            let color = color.map(|text| text.parse::<Color>()).transpose();
            let color =
                color.map_err(|error: InvalidColor| CommandFailure::usage(format!("the color {error}")))?;
            let name = parse_name(&name)?;
            let project = project.find(client, beginning).await?;
            let request = CreateCardTagRequest { name, description: None, color, status: None };
            let tag = client.call_with(CreateCardTag, project.record.id, &request).await?.tag;
            outcome(&tag, &format!("Created the tag {} of {project}.", tag.name), global.json);
        }
        Tags::Rename { project, tag, name } => {
            let request = UpdateCardTagRequest {
                name: Patch::Set(parse_name(&name)?),
                description: Patch::Absent,
                color: Patch::Absent,
                status: Patch::Absent,
            };
            let project = project.find(client, beginning).await?;
            let found = find(client, &project.record.id, &tag, beginning).await?;
            let tag = client
                .call_with(
                    UpdateCardTag,
                    TagPath { project_id: project.record.id.into(), tag_id: found.id },
                    &request,
                )
                .await?
                .tag;
            outcome(&tag, &format!("{} is now {}.", found.name, tag.name), global.json);
        }
        Tags::Rm { project, tag, yes } => {
            let project = project.find(client, beginning).await?;
            let tag = find(client, &project.record.id, &tag, beginning).await?;
            let cards = u64::try_from(tag.card_count).unwrap_or_default();
            if !yes && cards > 0 && may_ask(global.json) {
                ask(&format!(
                    "Delete the tag {}, which {} have?",
                    tag.name,
                    counted(cards, "card", "cards")
                ))?;
            }
            let deleted = client
                .call(DeleteCardTag, TagPath { project_id: project.record.id.into(), tag_id: tag.id })
                .await?;
            outcome(&deleted, &format!("Deleted the tag {}.", tag.name), global.json);
        }
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, project: &ProjectArgument, global: &Global) -> CommandResult<()> {
    let project = project.find(client, Beginning::Taken).await?;
    let tags = client.call(ListCardTags, project.record.id).await?.tags;
    if global.json {
        tags.iter().for_each(output::json);
        return Ok(());
    }
    let row = |tag: &TagRecord| {
        let state = tag.status.as_str().to_owned();
        [tag.name.to_string(), tag.card_count.to_string(), state, tag.id.to_string()]
    };
    let rows: Vec<[String; 4]> = tags.iter().map(row).collect();
    output::print_table(["TAG", "CARDS", "STATE", "ID"], &rows, &format!("{project} has no tag."));
    Ok(())
}

/// The tag of a project that is meant.
pub(super) async fn find(
    client: &Client,
    project: &ProjectId,
    text: &str,
    beginning: Beginning,
) -> CommandResult<TagRecord> {
    let tags = client.call(ListCardTags, *project).await?.tags;
    let list = format!("atelier tags list {project}");
    let wanted = RowName { kind: "tag", text, list: &list, beginning };
    wanted.among(tags, |tag| (tag.id.to_string(), tag.name.to_string()))
}
