//! List, create, change, share and delete projects.

mod sharing;

use api::content::projects::{
    CreateProject, CreateProjectRequest, DeleteProject, ListProjects, ListProjectsQuery, UpdateProject,
    UpdateProjectRequest,
};
use client::Client;
use domain::content::project::Visibility;
use domain::patch::Patch;
use domain::text::Description;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::projects::{NewProject, ProjectCommand, Projects};
use crate::commands::objects::parse_name;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, outcome};
use crate::resource::ProjectArgument;
use crate::team::organization;

/// Runs a command on projects; without one, lists them.
pub(crate) async fn run(client: &Client, arguments: Projects, global: &Global) -> CommandResult<Exit> {
    match arguments.command {
        None => list(client, None, global).await,
        Some(ProjectCommand::List { q }) => list(client, q, global).await,
        Some(ProjectCommand::Create(project)) => create(client, project, global).await,
        Some(ProjectCommand::Rename { project, name }) => {
            let request = UpdateProjectRequest { name: Patch::Set(parse_name(&name)?), ..unchanged() };
            change(client, &project, &request, global).await
        }
        Some(ProjectCommand::Edit { project, changes }) => {
            let request = UpdateProjectRequest {
                description: set(description(changes.description)?),
                visibility: set(changes.visibility.map(Visibility::from)),
                key: set(changes.key),
                default_branch: set(changes.default_branch),
                ..unchanged()
            };
            change(client, &project, &request, global).await
        }
        Some(ProjectCommand::Rm { project, yes }) => remove(client, &project, yes, global).await,
        Some(ProjectCommand::Members { project }) => sharing::list(client, &project, global).await,
        Some(ProjectCommand::Share { project, user, role }) => {
            sharing::share(&project, &user, &role, global).await
        }
        Some(ProjectCommand::Unshare { project, user }) => sharing::unshare(&project, &user, global).await,
    }
}

/// Creates a project, and says what to call it.
async fn create(client: &Client, project: NewProject, global: &Global) -> CommandResult<Exit> {
    let org_id = match &project.org {
        Some(text) => Some(organization(client, text, Beginning::of_change(global.json)).await?.id),
        None => None,
    };
    let description = description(project.description)?;
    let request = CreateProjectRequest {
        name: Some(parse_name(&project.name)?),
        key: project.key,
        org_id,
        description,
        visibility: Some(project.visibility.into()),
        ..CreateProjectRequest::default()
    };
    let created = client.call_with(CreateProject, (), &request).await?;
    if global.json {
        output::json(&created);
    } else {
        let slug = &created.project_slug;
        output::note(&format!(
            "Created {}/{slug}. Next: atelier upload PATH --to {slug}:/Model",
            created.owner_slug
        ));
    }
    Ok(Exit::Done)
}

/// Changes the record of a project.
async fn change(
    client: &Client,
    project: &ProjectArgument,
    request: &UpdateProjectRequest,
    global: &Global,
) -> CommandResult<Exit> {
    let found = project.find(client, Beginning::of_change(global.json)).await?;
    let changed = client.call_with(UpdateProject, found.record.id, request).await?.project;
    let words = format!("Changed {}/{}: {}.", changed.owner_slug, changed.project_slug, changed.name);
    outcome(&changed, &words, global.json);
    Ok(Exit::Done)
}

async fn remove(
    client: &Client,
    project: &ProjectArgument,
    yes: bool,
    global: &Global,
) -> CommandResult<Exit> {
    let found = project.find(client, Beginning::of_change(global.json)).await?.record;
    let name = format!("{}/{}", found.owner_slug, found.project_slug);
    if !yes && may_ask(global.json) {
        ask(&format!("Delete the project {name} with all its content? It can't be brought back."))?;
    }
    let deleted = client.call(DeleteProject, found.id).await?;
    outcome(&deleted, &format!("Deleted {name}."), global.json);
    Ok(Exit::Done)
}

fn unchanged() -> UpdateProjectRequest {
    UpdateProjectRequest {
        name: Patch::Absent,
        key: Patch::Absent,
        description: Patch::Absent,
        visibility: Patch::Absent,
        default_branch: Patch::Absent,
    }
}

fn description(text: Option<String>) -> CommandResult<Option<Description>> {
    let description = text.map(Description::try_from).transpose();
    description.map_err(|error| CommandFailure::usage(format!("the description {error}")))
}

fn set<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Absent, Patch::Set)
}

/// Prints projects, newest first, as they arrive with `--json`.
async fn list(client: &Client, q: Option<String>, global: &Global) -> CommandResult<Exit> {
    let nothing = match &q {
        Some(text) => format!("No project matches \"{text}\"."),
        None => "You have no project. Create one: atelier projects create NAME".to_owned(),
    };
    let query = ListProjectsQuery { q, ..ListProjectsQuery::default() };
    let mut projects = client.call(ListProjects, ()).query(&query).rows();
    let mut rows = Vec::new();
    while let Some(project) = projects.try_next().await? {
        if global.json {
            output::json(&project);
            continue;
        }
        rows.push([
            format!("{}/{}", project.owner_slug, project.project_slug),
            project.name.to_string(),
            output::word(project.visibility),
            output::minute(project.updated_at),
        ]);
    }
    if !global.json {
        output::print_table(["SLUG", "NAME", "VISIBILITY", "UPDATED (UTC)"], &rows, &nothing);
    }
    Ok(Exit::Done)
}
