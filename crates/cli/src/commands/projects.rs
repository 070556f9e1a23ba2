//! List the caller's projects, and create one.

use api::projects::{CreateProjectRequest, ListProjectsQuery};
use client::Client;
use domain::organization::OrganizationRecord;
use domain::text::Description;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::projects::{NewProject, ProjectCommand, Projects};
use crate::commands::objects::parse_name;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;
use crate::shell::quoted;
use crate::team::organization_among;

/// Runs a command on projects; without one, lists them.
pub(crate) async fn run(client: &Client, arguments: Projects, global: &Global) -> CommandResult<Exit> {
    match (arguments.q, arguments.command) {
        (Some(text), Some(_)) => {
            Err(CommandFailure::usage(format!("\"{text}\" is not a command on projects"))
                .next(format!("Search: atelier projects list {}", quoted(&text))))
        }
        (None, Some(ProjectCommand::Create(project))) => create(client, project, global).await,
        (None, Some(ProjectCommand::List { q })) => list(client, q, global).await,
        (q, None) => list(client, q, global).await,
    }
}

/// Creates a project, and says what to call it.
async fn create(client: &Client, project: NewProject, global: &Global) -> CommandResult<Exit> {
    let org_id = match &project.org {
        Some(text) => {
            let mine: Vec<OrganizationRecord> = client.list_organizations().rows().try_collect().await?;
            Some(organization_among(mine, text)?.id)
        }
        None => None,
    };
    let description = project.description.map(Description::try_from).transpose();
    let description =
        description.map_err(|error| CommandFailure::usage(format!("the description {error}")))?;
    let request = CreateProjectRequest {
        name: Some(parse_name(&project.name)?),
        org_id,
        description,
        visibility: Some(project.visibility.into()),
        ..CreateProjectRequest::default()
    };
    let created = client.create_project(&request).await?;
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

/// Prints projects, newest first, as they arrive with `--json`.
async fn list(client: &Client, q: Option<String>, global: &Global) -> CommandResult<Exit> {
    let nothing = match &q {
        Some(text) => format!("No project matches \"{text}\"."),
        None => "You have no project. Create one: atelier projects create NAME".to_owned(),
    };
    let query = ListProjectsQuery { q, ..ListProjectsQuery::default() };
    let mut projects = client.list_projects().query(&query).rows();
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
