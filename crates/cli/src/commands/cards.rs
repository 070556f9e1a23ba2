//! List, show, create, change, move, assign, tag, comment on, attach files to and delete cards.

mod attachments;
mod change;
mod checklist;
mod custom_fields;
pub(super) mod filter;
pub(super) mod list;
mod related;
mod relations;
mod search;
mod show;
mod types;

use api::planning::card_tags::ListCardTags;
use api::planning::cards::comments::{CreateComment, CreateCommentRequest};
use api::planning::cards::{CardPath, DeleteCard, GetCard, ListCards, ListCardsQuery};
use client::Client;
use domain::Code;
use domain::id::{CardId, ProjectId, TagId};
use domain::key::CardName;
use domain::planning::card::{CardRecord, CommentBody, Effort};
use domain::planning::tag::TagRecord;
use domain::text::Text;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::cards::{CardArgument, Cards};
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::output::{self, outcome};
use crate::resource::Project;

/// Runs a command on cards.
pub(crate) async fn run(client: &Client, command: Cards, global: &Global) -> CommandResult<Exit> {
    match command {
        Cards::List { project, closed, all, filter } => {
            let open = if all { None } else { Some(!closed) };
            list::run(client, &project, open, *filter, global).await
        }
        Cards::Search { text, closed, all, filter } => {
            let open = if all { None } else { Some(!closed) };
            search::run(client, text, open, *filter, global).await
        }
        Cards::Fields { project } => custom_fields::list(client, &project, global).await,
        Cards::Types { project } => types::list(client, &project, global).await,
        Cards::Show { card, at } => show::run(client, &card, at, global).await,
        Cards::Create { project, name, fields, mine, tag } => {
            change::create(client, &project, change::CardDraft { name, fields, mine, tags: tag }, global)
                .await
        }
        Cards::Edit { card, rename, fields, resolution, close, reopen } => {
            let is_open = if close { Some(false) } else { reopen.then_some(true) };
            let edit = change::CardEdit { rename, fields, resolution, is_open };
            change::edit(client, &card, edit, global).await
        }
        Cards::Move { card, team, to, sprint, close } => {
            change::place(client, &card, change::BoardPlace { team, to, sprint, close }, global).await
        }
        Cards::Assign { card, user } => relations::assign(client, &card, &user, global).await,
        Cards::Unassign { card, user } => relations::unassign(client, &card, &user, global).await,
        Cards::Tag { card, tag } => relations::tag(client, &card, &tag, global).await,
        Cards::Untag { card, tag } => relations::untag(client, &card, &tag, global).await,
        Cards::Relate(cards) => related::relate(client, &cards, global).await,
        Cards::Unrelate(cards) => related::unrelate(client, &cards, global).await,
        Cards::Check { card, text } => checklist::add(client, &card, text, global).await,
        Cards::Tick { card, line, undo } => checklist::tick(client, &card, line, !undo, global).await,
        Cards::Attach(arguments) => attachments::attach(client, arguments, global).await,
        Cards::Attachments { card } => attachments::list(client, &card, global).await,
        Cards::Download(arguments) => attachments::download(client, arguments, global).await,
        Cards::Detach(attached) => attachments::detach(client, &attached, global).await,
        Cards::Rm { card, yes } => remove(client, &card, yes, global).await,
        Cards::Comment { card, text } => comment(client, &card, text, global).await,
    }
}

async fn comment(client: &Client, card: &CardArgument, text: String, global: &Global) -> CommandResult<Exit> {
    let (project, id) = find(client, card, Beginning::of_change(global.json)).await?;
    let refused = |error: &dyn std::fmt::Display| CommandFailure::usage(format!("the comment {error}"));
    let text = Text::try_from(text).map_err(|error| refused(&error))?;
    let body = CommentBody::try_from(text).map_err(|error| refused(&error))?;
    let request = CreateCommentRequest { body, expected_history_head_id: None };
    let answer = client
        .call_with(
            CreateComment,
            CardPath { project_id: project.record.id.into(), card_id: id.into() },
            &request,
        )
        .await?;
    if global.json {
        output::json(&answer);
    } else {
        output::note("Commented.");
    }
    Ok(Exit::Done)
}

async fn remove(client: &Client, card: &CardArgument, yes: bool, global: &Global) -> CommandResult<Exit> {
    let (project, id) = find(client, card, Beginning::of_change(global.json)).await?;
    let name = client
        .call(GetCard, CardPath { project_id: project.record.id.into(), card_id: id.into() })
        .await?
        .card
        .fields
        .name;
    if !yes && may_ask(global.json) {
        ask(&format!("Delete the card \"{name}\" of {project}? It can't be brought back."))?;
    }
    let deleted = client
        .call(DeleteCard, CardPath { project_id: project.record.id.into(), card_id: id.into() })
        .await?;
    outcome(&deleted, &format!("Deleted \"{name}\"."), global.json);
    Ok(Exit::Done)
}

/// The card that is meant, by its id, its key or its name.
pub(crate) async fn find(
    client: &Client,
    card: &CardArgument,
    beginning: Beginning,
) -> CommandResult<(Project, CardId)> {
    let project = card.project.find(client, beginning).await?;
    let id = find_in(client, &project, &card.card, beginning).await?;
    Ok((project, id))
}

/// The card of a project that is meant.
pub(crate) async fn find_in(
    client: &Client,
    project: &Project,
    text: &str,
    beginning: Beginning,
) -> CommandResult<CardId> {
    match text.parse() {
        Ok(CardName::Id(id)) => return Ok(id),
        Ok(name @ CardName::Key(_)) => {
            let path = CardPath { project_id: project.record.id.into(), card_id: name };
            match client.call(GetCard, path).await {
                Ok(read) => return Ok(read.card.id),
                // A name may look like a key.
                Err(error) if error.code() == Some(Code::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(_) => {}
    }
    // The service finds cards by their text. Only a text that can begin an id makes this program read all of them.
    let may_be_id = text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let query = ListCardsQuery { q: (!may_be_id).then(|| text.to_owned()), ..ListCardsQuery::default() };
    let rows = client.call(ListCards, project.record.id).query(&query).rows();
    let cards: Vec<CardRecord> = rows.map_ok(|(card, _)| card).try_collect().await?;
    let list = format!("atelier cards list {}", project.argument());
    let wanted = RowName { kind: "card", text, list: &list, beginning };
    wanted.among(cards, |card| (card.id.to_string(), card.fields.name.to_string())).map(|card| card.id)
}

/// The tags of a project that are meant.
async fn tags(
    client: &Client,
    project: &ProjectId,
    texts: &[String],
    beginning: Beginning,
) -> CommandResult<Vec<TagId>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let tags: Vec<TagRecord> = client.call(ListCardTags, *project).await?.tags;
    let list = format!("atelier tags list {project}");
    let find = |text: &String| {
        let wanted = RowName { kind: "tag", text, list: &list, beginning };
        wanted.among(&tags, |tag| (tag.id.to_string(), tag.name.to_string())).map(|tag| tag.id)
    };
    texts.iter().map(find).collect()
}

fn effort(number: i64) -> CommandResult<Effort> {
    Effort::try_from(number).map_err(|error| CommandFailure::usage(format!("the effort {error}")))
}
