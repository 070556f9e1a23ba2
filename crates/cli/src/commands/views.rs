//! List, show, save and delete saved views of cards.

use std::collections::HashMap;

use api::planning::cards::{ListCards, ListCardsQuery, SearchCards};
use api::planning::saved_views::{CreateView, DeleteView, ListViews, ListViewsQuery, ViewPath};
use client::Client;
use domain::planning::card::{CardOrder, CardSort, FieldSort};
use domain::planning::saved_view::{CreateViewRequest, SavedView, ViewColumn, ViewFilter, ViewOrder};
use domain::text::Text;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::views::{CreateViewArguments, Views};
use crate::commands::cards::{filter, list as cards};
use crate::commands::objects::parse_name;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::output::{self, outcome};
use crate::resource::{ProjectArgument, project_slugs};

/// Runs a command on saved views.
pub(crate) async fn run(client: &Client, command: Views, global: &Global) -> CommandResult<Exit> {
    match command {
        Views::List { project } => list(client, project.as_ref(), global).await?,
        Views::Show { view } => show(client, &view, global).await?,
        Views::Create(arguments) => create(client, *arguments, global).await?,
        Views::Rm { view } => {
            let view = find(client, &view, Beginning::of_change(global.json)).await?;
            let deleted = client.call(DeleteView, ViewPath { view_id: view.id }).await?;
            outcome(&deleted, &format!("Deleted the view \"{}\".", view.name), global.json);
        }
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, project: Option<&ProjectArgument>, global: &Global) -> CommandResult<()> {
    let project_id = match project {
        Some(project) => Some(project.find(client, Beginning::Taken).await?.record.id),
        None => None,
    };
    let query = ListViewsQuery { project_id, ..ListViewsQuery::default() };
    let views: Vec<SavedView> = client.call(ListViews, ()).query(&query).rows().try_collect().await?;
    if global.json {
        views.iter().for_each(output::json);
        return Ok(());
    }
    let is_of_project = views.iter().any(|view| view.project_id.is_some());
    let slugs = if is_of_project { project_slugs(client).await? } else { HashMap::new() };
    let row = |view: &SavedView| {
        let project = view
            .project_id
            .map_or_else(|| "all".to_owned(), |id| slugs.get(&id).cloned().unwrap_or_else(|| id.to_string()));
        let shared = if view.team_id.is_some() { "shared" } else { "-" };
        [
            output::cut(view.name.as_str(), cards::NAME_WIDTH),
            view.layout.as_str().to_owned(),
            project,
            view.owner_name.clone(),
            shared.to_owned(),
            view.id.to_string(),
        ]
    };
    let rows: Vec<[String; 6]> = views.iter().map(row).collect();
    output::print_table(
        ["VIEW", "LAYOUT", "PROJECT", "OWNER", "TEAM", "ID"],
        &rows,
        "You have no saved view.",
    );
    Ok(())
}

async fn show(client: &Client, text: &str, global: &Global) -> CommandResult<()> {
    let view = find(client, text, Beginning::Taken).await?;
    let nothing = format!("No card is in the view \"{}\".", view.name);
    let query = ListCardsQuery { sort: view.order.as_ref().and_then(order), ..view.filter.into() };
    match view.project_id {
        Some(project) => {
            cards::print(client.call(ListCards, project).query(&query).rows(), &nothing, global).await
        }
        None => cards::print(client.call(SearchCards, ()).query(&query).rows(), &nothing, global).await,
    }
}

/// The order of lists that is a view's; `None` if lists don't have it.
fn order(ViewOrder { by, is_descending }: &ViewOrder) -> Option<CardSort> {
    let order = match (by, is_descending) {
        (ViewColumn::Custom(field), _) => {
            let (field, is_descending) = (field.to_string(), *is_descending);
            return Some(CardSort::Field(FieldSort { field, is_descending }));
        }
        (ViewColumn::Own("due"), false) => Some(CardOrder::Deadline),
        (ViewColumn::Own("priority"), false) => Some(CardOrder::Priority),
        (ViewColumn::Own("updated"), true) => Some(CardOrder::Updated),
        (ViewColumn::Own("created"), true) => Some(CardOrder::Newest),
        (ViewColumn::Own("created"), false) => Some(CardOrder::Oldest),
        _ => None,
    };
    order.map(CardSort::Order)
}

async fn create(client: &Client, arguments: CreateViewArguments, global: &Global) -> CommandResult<()> {
    let name = parse_name(&arguments.name)?;
    let project = match &arguments.project {
        Some(project) => Some(project.find(client, Beginning::of_change(global.json)).await?),
        None => None,
    };
    let team_id = match &arguments.share_with {
        Some(team) => Some(team.find(client, Beginning::of_change(global.json)).await?.record.id),
        None => None,
    };
    let query = filter::query(client, project.as_ref(), arguments.filter).await?;
    let open = if arguments.all { None } else { Some(!arguments.closed) };
    let request = CreateViewRequest {
        name,
        project_id: project.map(|project| project.record.id),
        team_id,
        layout: arguments.layout.into(),
        filter: Some(ViewFilter { open, ..saved(query)? }),
        group_by: arguments.group_by,
        columns: (!arguments.columns.is_empty()).then_some(arguments.columns),
        order: arguments.sort.map(|by| ViewOrder { by, is_descending: arguments.descending }),
    };
    let answer = client.call_with(CreateView, (), &request).await?;
    outcome(&answer, &format!("Saved the view \"{}\".", answer.view.name), global.json);
    Ok(())
}

/// The filter of a query of the command line.
fn saved(query: ListCardsQuery) -> CommandResult<ViewFilter> {
    let q = query.q.map(Text::try_from).transpose();
    Ok(ViewFilter {
        tag: query.tag,
        assignee: query.assignee,
        priority: query.priority,
        card_type: query.card_type,
        parent: query.parent,
        due: query.due,
        team: query.team,
        status: query.status,
        sprint: query.sprint,
        q: q.map_err(|error| CommandFailure::usage(format!("the text {error}")))?,
        ..ViewFilter::default()
    })
}

/// The view that is meant, by its id or its name.
async fn find(client: &Client, text: &str, beginning: Beginning) -> CommandResult<SavedView> {
    let views = client.call(ListViews, ()).query(&ListViewsQuery::default()).rows();
    let views: Vec<SavedView> = views.try_collect().await?;
    let wanted = RowName { kind: "view", text, list: "atelier views list", beginning };
    wanted.among(views, |view| (view.id.to_string(), view.name.to_string()))
}
