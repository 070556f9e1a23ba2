//! List the caller's projects.

use api::projects::ListProjectsQuery;
use client::Client;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Prints projects, newest first, as they arrive with `--json`.
pub(crate) async fn run(client: &Client, q: Option<String>, global: &Global) -> CommandResult<Exit> {
    let query = ListProjectsQuery { owner_id: None, q, limit: None, cursor: None };
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
        output::print(&output::table(["SLUG", "NAME", "VISIBILITY", "UPDATED (UTC)"], &rows));
    }
    Ok(Exit::Done)
}
